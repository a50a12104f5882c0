# SPDX-License-Identifier: MIT
"""What a worker answers: text, limits, stop strings, logprobs, formats, tools, refusals."""

import json
import math
import unittest

from worker_process import Worker, model, once, user

GREEDY = {"temperature": 0}
WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "tells the weather",
    "parameters": {"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}},
                   "required": ["city"]}}}


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.worker = Worker(model(), "--ctx", "1024")

    @classmethod
    def tearDownClass(cls):
        cls.worker.__exit__()

    def ask(self, **body):
        return self.worker.ask(**body)

    def refusal(self, **body):
        end = self.ask(**body).end
        self.assertEqual(end["frame"], "broken", end)
        return end

    def test_says_that_it_loaded_what_it_has_loaded(self):
        ready = self.worker.first
        self.assertEqual(ready["frame"], "ready")
        self.assertEqual((ready["context"], ready["slots"], ready["layers"]), (1024, 8, 4))
        self.assertEqual((ready["layers_on_device"], ready["device_bytes"]), (0, 0))
        # 7 MiB of weights and 2 KiB of KV for each cell, at least.
        self.assertGreater(ready["host_bytes"], (7 << 20) + 1024 * 2048)
        self.assertTrue(ready["engine"].startswith("0.4.0"))
        self.assertEqual(self.worker.loading[-1], 1000)
        self.assertEqual(sorted(set(self.worker.loading)), self.worker.loading)
        self.assertLessEqual(len(self.worker.loading), 21)

    def test_chat_ends_at_max_tokens_and_counts_them(self):
        answer = self.ask(messages=user("Hello"), max_tokens=9, **GREEDY)
        self.assertEqual(answer.end["finish_reason"], "length")
        self.assertEqual((answer.end["completion"], answer.end["cached"]), (9, 0))
        self.assertGreater(answer.end["prompt"], 5)
        self.assertTrue(answer.text)

    def test_max_completion_tokens_comes_before_max_tokens(self):
        answer = self.ask(messages=user("Hello"), max_tokens=9, max_completion_tokens=3, **GREEDY)
        self.assertEqual(answer.end["completion"], 3)

    def test_a_limit_of_zero_only_reads_the_prompt(self):
        end = self.ask(messages=user("Hello"), max_tokens=0).end
        self.assertEqual((end["finish_reason"], end["completion"]), ("length", 0))

    def test_without_a_limit_an_answer_ends_with_the_context(self):
        end = self.ask(messages=user("Hello"), ignore_eos=True, **GREEDY).end
        self.assertEqual(end["finish_reason"], "length")
        # The last token is chosen and shown, and needs no cell of its own.
        self.assertEqual(end["prompt"] + end["completion"], 1024 + 1)

    def test_a_completion_has_text_deltas(self):
        answer = self.ask(kind="completion", prompt="Once upon", max_tokens=5, **GREEDY)
        self.assertEqual([list(d["delta"]) for d in answer.deltas], [["text"]] * 5)
        as_list = self.ask(kind="completion", prompt=["Once upon"], max_tokens=5, **GREEDY)
        self.assertEqual(as_list.text, answer.text)

    def test_a_prompt_may_be_tokens(self):
        answer = self.ask(kind="completion", prompt=[5, 6, 7], max_tokens=2, **GREEDY)
        self.assertEqual((answer.end["prompt"], answer.end["completion"]), (3, 2))
        self.assertEqual(self.refusal(kind="completion", prompt=[5, 1 << 30])["reason"],
                         "invalid_request")

    def test_the_same_seed_gives_the_same_text_and_another_one_another(self):
        texts = [self.ask(messages=user("Hello"), max_tokens=20, seed=s, temperature=1.5).text
                 for s in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_nothing_of_a_stop_string_is_shown(self):
        whole = self.ask(messages=user("Hello"), max_tokens=20, **GREEDY).text
        stop = whole[len(whole) // 2:][:7]  # spans tokens
        for stops in (stop, ["never said", stop]):
            answer = self.ask(messages=user("Hello"), max_tokens=20, stop=stops, **GREEDY)
            self.assertEqual(answer.text, whole[:whole.index(stop)])
            self.assertEqual(answer.end["finish_reason"], "stop")

    def test_a_repeat_penalty_changes_a_greedy_answer(self):
        plain = self.ask(messages=user("Hello"), max_tokens=40, **GREEDY).text
        penal = self.ask(messages=user("Hello"), max_tokens=40, repeat_penalty=1.9, **GREEDY).text
        self.assertNotEqual(plain, penal)

    def test_logit_bias_forbids_a_token(self):
        one = self.ask(messages=user("Hello"), max_tokens=1, logprobs=True, **GREEDY)
        said = one.deltas[0]["logprobs"]["content"][0]["token"]
        forbidden = {str(token): -100 for token in range(2000) if token < 1073}
        refused = self.refusal(messages=user("Hello"), logit_bias={"5000000": 1})
        self.assertEqual(refused["reason"], "invalid_request")
        for keep in (1072,):
            del forbidden[str(keep)]
        other = self.ask(messages=user("Hello"), max_tokens=1, logit_bias=forbidden, logprobs=True,
                         **GREEDY)
        self.assertNotEqual(said, other.deltas[0]["logprobs"]["content"][0]["token"]
                            if other.deltas else None)

    def test_logprobs_are_sorted_and_the_greedy_token_is_the_first(self):
        answer = self.ask(messages=user("Hello"), max_tokens=4, logprobs=True, top_logprobs=3,
                          **GREEDY)
        entries = [e for d in answer.deltas for e in d["logprobs"]["content"]]
        self.assertEqual(len(entries), 4)
        for entry in entries:
            top = [t["logprob"] for t in entry["top_logprobs"]]
            self.assertEqual(top, sorted(top, reverse=True))
            self.assertEqual(entry["top_logprobs"][0]["token"], entry["token"])
            self.assertLess(top[0], 0)

    def test_a_schema_is_kept_whatever_the_seed(self):
        schema = {"type": "object", "required": ["n", "who"],
                  "properties": {"n": {"type": "integer"}, "who": {"enum": ["me", "you"]}}}
        form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
        for seed in range(5):
            answer = self.ask(messages=user("Hello"), response_format=form, seed=seed,
                              max_tokens=400)
            self.assertEqual(answer.end["finish_reason"], "stop")
            self.assertIn(json.loads(answer.text)["who"], ("me", "you"))

    def test_json_object_gives_an_object(self):
        answer = self.ask(kind="completion", prompt="json:", seed=5, max_tokens=500,
                          response_format={"type": "json_object"})
        if answer.end["finish_reason"] == "stop":  # a random model may fill strings for ever
            self.assertIsInstance(json.loads(answer.text), dict)
        self.assertTrue(answer.text.lstrip().startswith("{"))

    def test_a_required_tool_is_called(self):
        answer = self.ask(messages=user("Weather?"), tools=[WEATHER], tool_choice="required",
                          seed=1, max_tokens=400)
        self.assertEqual(answer.end["finish_reason"], "tool_calls")
        (call,) = answer.tool_calls
        self.assertEqual(call["name"], "get_weather")
        self.assertIn(json.loads(call["arguments"])["city"], ("Paris", "Rome"))
        self.assertTrue(call["id"].startswith("call_"))

    def test_a_named_tool_is_the_one_that_is_called(self):
        other = {"type": "function", "function": {"name": "stop_all", "parameters": {
            "type": "object", "properties": {"why": {"enum": ["fire"]}}, "required": ["why"]}}}
        answer = self.ask(messages=user("Weather?"), tools=[WEATHER, other], seed=1,
                          tool_choice={"type": "function", "function": {"name": "stop_all"}},
                          max_tokens=400)
        self.assertEqual([c["name"] for c in answer.tool_calls], ["stop_all"])
        refused = self.refusal(messages=user("x"), tools=[WEATHER],
                               tool_choice={"type": "function", "function": {"name": "nope"}})
        self.assertIn("nope", refused["error"]["message"])

    def test_talk_instead_of_a_tool_call_comes_back_as_content(self):
        answer = self.ask(messages=user("Weather?"), tools=[WEATHER], max_tokens=12, seed=3)
        self.assertEqual(answer.end["frame"], "finished")
        self.assertTrue(answer.text)

    def test_a_cut_tool_call_is_no_error(self):
        for limit in (1, 5, 15, 30, 60):
            answer = self.ask(messages=user("Weather?"), tools=[WEATHER], tool_choice="required",
                              seed=1, max_tokens=limit)
            self.assertEqual((answer.end["frame"], answer.end["finish_reason"]),
                             ("finished", "length"))

    def test_a_tool_conversation_can_go_on(self):
        messages = user("Weather?") + [
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "call_1", "type": "function",
                 "function": {"name": "get_weather", "arguments": "{\"city\":\"Rome\"}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
        answer = self.ask(messages=messages, tools=[WEATHER], max_tokens=3, **GREEDY)
        self.assertEqual(answer.end["completion"], 3)

    def test_a_prompt_over_the_context_is_refused_with_numbers(self):
        refused = self.refusal(kind="completion", prompt=[5] * 1025)
        self.assertEqual(refused["reason"], "context_length_exceeded")
        self.assertEqual(refused["numbers"], {"prompt_tokens": 1025, "context": 1024})
        self.assertEqual(refused["error"]["code"], "invalid")
        fits = self.ask(kind="completion", prompt=[5] * 1024, max_tokens=5, **GREEDY).end
        self.assertEqual((fits["finish_reason"], fits["completion"]), ("length", 1))

    def test_bad_requests_are_refused_each_with_its_reason(self):
        deep = {}
        for _ in range(200):
            deep = {"properties": deep}
        ok = {"messages": user("x")}
        cases = [
            ("invalid_request", {}),
            ("invalid_request", {"messages": []}),
            ("invalid_request", {"messages": "hi"}),
            ("invalid_request", {"messages": [{"content": "x"}]}),
            ("invalid_request", {"messages": [{"role": "user"}]}),
            ("invalid_request", {**ok, "temperature": "hot"}),
            ("invalid_request", {**ok, "temperature": -0.1}),
            ("invalid_request", {**ok, "max_tokens": 1.5}),
            ("invalid_request", {**ok, "top_p": 1.01}),
            ("invalid_request", {**ok, "stop": [1]}),
            ("invalid_request", {**ok, "tools": [{}]}),
            ("invalid_request", {**ok, "tool_choice": "required"}),
            ("invalid_request", {**ok, "top_logprobs": 3}),
            ("invalid_request", {**ok, "response_format": {"type": "xml"}}),
            ("invalid_request", {**ok, "metadata": deep}),
            ("unsupported_parameter", {**ok, "n": 2}),
            ("unsupported_parameter", {"messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]}),
            ("bad_schema", {**ok, "response_format": {"type": "json_schema", "json_schema": {}}}),
            ("bad_schema", {**ok, "response_format": {"type": "json_schema", "json_schema": {
                "schema": {"type": "nonsense"}}}}),
            ("bad_schema", {**ok, "response_format": {"type": "json_schema", "json_schema": {
                "schema": {"$ref": "#/nowhere"}}}}),
        ]
        for reason, body in cases:
            with self.subTest(body=str(body)[:90]):
                refused = self.refusal(**body)
                self.assertEqual((refused["reason"], refused["error"]["code"]), (reason, "invalid"))
                self.assertTrue(refused["error"]["message"])
        self.assertEqual(self.refusal(kind="completion", prompt=[])["reason"], "invalid_request")
        self.assertEqual(self.refusal(kind="embedding", input="x")["reason"],
                         "not_an_embedding_model")

    def test_strange_lines_on_the_socket_are_ignored(self):
        self.worker.socket.sendall(b'nonsense\n{}\n{"frame":"generate"}\n\n')
        self.assertEqual(self.ask(messages=user("x"), max_tokens=1, **GREEDY).end["completion"], 1)


class Embeddings(unittest.TestCase):
    def test_texts_become_vectors_of_length_one(self):
        for pooling in ("mean", "last"):
            with self.subTest(pooling), Worker(model(f"vectors-{pooling}", pooling=pooling)) as worker:
                texts = ["a text", "another one, and longer", "a text"]
                end = worker.ask("embedding", input=texts).end
                vectors = end["embedding"]
                self.assertEqual([len(vector) for vector in vectors], [256] * 3)
                for vector in vectors:
                    self.assertAlmostEqual(math.hypot(*vector), 1, places=5)
                self.assertEqual(vectors[0], vectors[2])
                self.assertLess(sum(x * y for x, y in zip(vectors[0], vectors[1])), 0.99)
                self.assertGreater(end["prompt"], len(texts))
                self.assertEqual(worker.ask("embedding", input="a text").end["embedding"], vectors[:1])

    def test_what_it_cannot_do_is_refused(self):
        with Worker(model("vectors-mean", pooling="mean"), "--ctx", "1024") as worker:
            self.assertEqual(worker.ask(messages=user("x")).end["reason"], "not_a_text_model")
            long = worker.ask("embedding", input=["fits", "word " * 3000]).end
            self.assertEqual(long["reason"], "context_length_exceeded")
            self.assertEqual(len(worker.ask("embedding", input="well").end["embedding"]), 1)


class Once(unittest.TestCase):
    def test_gives_the_object_of_the_api(self):
        code, answer = once(model(), {"messages": user("Hello"), "max_tokens": 4, **GREEDY})
        self.assertEqual(code, 0)
        self.assertEqual(answer["object"], "chat.completion")
        self.assertEqual(answer["usage"]["completion_tokens"], 4)
        choice = answer["choices"][0]
        self.assertEqual((choice["finish_reason"], choice["message"]["role"]),
                         ("length", "assistant"))
        self.assertTrue(choice["message"]["content"])

    def test_a_bad_request_is_an_object_too(self):
        for body in ("not json", {"messages": []}, {}):
            code, answer = once(model(), body)
            self.assertEqual((code, answer["error"]["code"]), (65, "invalid"))


if __name__ == "__main__":
    unittest.main()
