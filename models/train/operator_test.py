# SPDX-License-Identifier: MIT
"""What nano-operator's data promises: run with python3 -m unittest discover -s models/train -p '*_test.py'."""
import itertools
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import operator_task  # noqa: E402
import operator_words as words  # noqa: E402


def take(split, count, seed=5, level=2):
    return list(itertools.islice(operator_task.examples(split, seed, level), count))


def answer_of(example):
    last = example["messages"][-1]
    return {"content": last["content"], "tool_calls": last.get("tool_calls", [])}


def calls_of(example):
    """Each call with all that the model had read before it."""
    read = ""
    for message in example["messages"]:
        for call in message.get("tool_calls", []):
            yield call, read
        read += message["content"] + "\n"


def spellings(value):
    """How a request may say a value that is not copied as it stands."""
    said = {str(value)}
    for table in words.CHOICES.values():
        said |= set(table.get(value, "").split("/")) - {""}
    if isinstance(value, int) and value < len(words.NUMBER_WORDS):
        said.add(words.NUMBER_WORDS[value])
    return said


class OperatorData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.train, cls.held = take("train", 2000), take("held", 2000)

    def test_the_same_seed_gives_the_same_examples_and_another_seed_others(self):
        self.assertEqual(self.train[:50], take("train", 50))
        self.assertNotEqual(self.train[:50], take("train", 50, seed=6))

    def test_no_tool_of_train_is_offered_in_held(self):
        def names(examples):
            return {tool["function"]["name"].lower().replace("_", "").replace("-", "")
                    for example in examples for tool in example["tools"]}

        def descriptions(examples):
            return {tool["function"]["description"] for example in examples for tool in example["tools"]} - {""}
        # "tool_12a" says nothing; what such a tool does stands in its description alone.
        shared = {name for name in names(self.train) & names(self.held) if not name.startswith("tool")}
        self.assertEqual(shared, set())
        self.assertEqual(descriptions(self.train) & descriptions(self.held), set())
        self.assertGreater(len(names(self.train)), 1500)

    def test_no_wording_of_train_is_used_in_held(self):
        split = {name: table for name, table in vars(words).items()
                 if isinstance(table, dict) and set(table) == {"train", "held"}}
        self.assertIn("FRAMES", split)
        for name, table in split.items():
            train, held = (set(map(str, table[side])) for side in ("train", "held"))
            self.assertEqual(train & held, set(), name)
        for slot, (_, _, train, held) in words.SLOTS.items():
            self.assertEqual(set(train.split("/")) & set(held.split("/")), set(), slot)

        def requests(examples):
            return {message["content"] for example in examples for message in example["messages"]
                    if message["role"] == "user"}
        self.assertEqual(requests(self.train) & requests(self.held), set())

    def test_no_made_up_name_of_train_occurs_in_held(self):
        def hosts(examples):
            return {call["arguments"]["host"] for example in examples for call, _ in calls_of(example)
                    if "host" in call["arguments"]}
        self.assertGreater(len(hosts(self.held)), 20)
        self.assertEqual(hosts(self.train) & hosts(self.held), set())

    def test_every_value_of_a_call_was_said_before(self):
        for example in self.train + self.held:
            for call, read in calls_of(example):
                for value in call["arguments"].values():
                    if not isinstance(value, bool):
                        self.assertTrue(any(said in read for said in spellings(value)), (value, read))

    def test_a_call_satisfies_the_schema_of_an_offered_tool(self):
        types = {"string": str, "integer": int, "number": (int, float), "boolean": bool}
        for example in self.train + self.held:
            schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in example["tools"]}
            self.assertEqual(len(schemas), len(example["tools"]))
            for call, _ in calls_of(example):
                schema = schemas[call["name"]]
                self.assertLessEqual(set(schema["required"]), set(call["arguments"]))
                for name, value in call["arguments"].items():
                    field = schema["properties"][name]
                    self.assertIsInstance(value, types[field["type"]])
                    self.assertEqual(isinstance(value, bool), field["type"] == "boolean")
                    self.assertIn(value, field.get("enum", [value]))

    def test_every_level_makes_examples_and_the_first_is_short(self):
        for level in range(operator_task.LEVELS):
            self.assertEqual(len(take("train", 20, level=level)), 20)
        for example in take("train", 200, level=0):
            self.assertEqual(len(example["tools"]), 1)
            self.assertLessEqual(len(answer_of(example)["tool_calls"][0]["arguments"]), 2)


class Score(unittest.TestCase):
    def first(self, kind):
        return next(e for e in take("held", 500) if e["check"]["kind"] == kind)

    def test_the_right_answer_passes_every_check(self):
        for example in take("held", 500):
            scores = operator_task.score(example, answer_of(example))
            self.assertEqual(scores, {"exact": True, "valid_json": True, "right_tool": True})

    def test_a_wrong_argument_is_not_exact(self):
        example = self.first("call")
        for wrong in ({"no_such": 1}, {}, {**example["check"]["arguments"], "more": "x"}):
            answer = {"content": "", "tool_calls": [{"name": example["check"]["name"], "arguments": wrong}]}
            scores = operator_task.score(example, answer)
            self.assertEqual(scores, {"exact": False, "valid_json": True, "right_tool": True})

    def test_another_tool_or_none_is_the_wrong_tool(self):
        example = self.first("call")
        call = {"name": "other", "arguments": example["check"]["arguments"]}
        for calls in ([call], [], [call, call]):
            scores = operator_task.score(example, {"content": "", "tool_calls": calls})
            self.assertFalse(scores["exact"] or scores["right_tool"])

    def test_arguments_that_are_no_json_are_told(self):
        example = self.first("call")
        answer = {"content": "", "tool_calls": [{"name": example["check"]["name"], "arguments": '{"a": '}]}
        self.assertFalse(operator_task.score(example, answer)["valid_json"])
        answer = {"content": '<tool_call>{"name": "a", "arguments": {', "tool_calls": []}
        self.assertFalse(operator_task.score(example, answer)["valid_json"])

    def test_types_count(self):
        self.assertFalse(operator_task.same({"a": "1"}, {"a": 1}))
        self.assertFalse(operator_task.same({"a": True}, {"a": 1}))
        self.assertTrue(operator_task.same({"a": 1, "b": 2.5}, {"b": 2.5, "a": 1.0}))

    def test_a_call_where_none_fits_and_a_report_that_changes_a_value_are_wrong(self):
        none = self.first("none")
        call = {"name": "a", "arguments": {}}
        self.assertFalse(operator_task.score(none, {"content": "", "tool_calls": [call]})["exact"])
        report = self.first("report")
        text = answer_of(report)["content"] + "0"
        self.assertFalse(operator_task.score(report, {"content": text, "tool_calls": []})["exact"])


if __name__ == "__main__":
    unittest.main()
