# SPDX-License-Identifier: MIT
"""The conversations that nano-operator learns from and is judged by: a request, the tools on offer,
and the one right answer, which is a tool call, one of three fixed sentences, or a report of a result.

(Not operator.py: that name belongs to the standard library.) Run as a program, it prints samples."""
import dataclasses
import itertools
import json
import random
import sys

import operator_words as words
from operator_tools import Maker, plural, with_article

FRONTED = ("on ", "in ", "at ", "with ", "using ")  # phrases that may begin a request
LEVELS = 3  # 0: copy one value into one tool; 1: one tool, any arguments; 2: everything
MIXTURE = {"call": 42, "none": 13, "ask": 4, "report": 22, "chain": 5, "lookup": 4, "condition": 5, "again": 5}


class Conversation:
    """Messages and tools as they come about; the last assistant message is what score() judges."""

    def __init__(self, maker, level):
        self.maker, self.split, self.level = maker, maker.split, level
        self.messages, self.tools, self.check = [], [], {}
        if maker.chance(0.85 if level else 0.3):
            self.say("system", self.fill(words.SYSTEMS))

    def say(self, role, content, **more):
        self.messages.append({"role": role, "content": content, **more})

    def fill(self, table):
        return self.maker.pick(table[self.split]).replace("{w}", self.maker.word())

    def offer(self, *tools, absent=None):
        least = max(1, len(tools))
        count = least if self.level < 2 else max(least, self.maker.pick((1, 2, 2, 3, 3, 4)))
        self.tools = self.maker.offer(tools, count, absent)

    def request(self, tool, omit=None):
        """The user asks for `tool`; returns the arguments. `omit` is left unsaid."""
        clause, arguments = self.clause(tool, omit=omit)
        self.user(clause)
        return arguments

    def user(self, clause):
        maker = self.maker
        if clause[-1] in ".?":
            text = clause
        else:
            frame = maker.pick(words.FRAMES[self.split])
            text = frame.replace("{c}", clause).replace("{C}", clause[0].upper() + clause[1:])
        if self.level == 2 and maker.chance(0.12):
            aside = maker.pick(words.ASIDES[self.split])
            end = "" if text[-1] in ".?" else "."
            text = f"{aside} {text}" if maker.chance(0.5) else f"{text}{end} {aside}"
        self.say("user", text)

    def clause(self, tool, omit=None, sentences=True):
        """ "restart the service kelmo on port 80", and the arguments that it asks for. Without
        `sentences` it is never a whole sentence, "Is kelmo up?"."""
        maker = self.maker
        options = [r for r in tool.requests if sentences or r[-1] not in ".?"]
        request = maker.pick(options) if options else ""
        mark = request[-1] if request.endswith((".", "?")) else ""
        is_closed = mark and "," in request  # "kelmo hangs, restart it." takes no more words
        said = [a for a in tool.arguments if a is not omit
                and (a.required or a is tool.key or not is_closed and maker.chance(0.5))]
        drawn = {a.name: maker.value(a) for a in said}
        arguments = {name: value for name, (value, _) in drawn.items()}
        spoken = {name: text for name, (_, text) in drawn.items()}
        if request:
            head = request.removesuffix(mark).format(**spoken)
            said = [a for a in said if "{" + a.name + "}" not in request]
        else:
            head = self.head(tool, spoken, omit)
            said = [a for a in said if a is not tool.key]
        if len(said) > 1 and maker.chance(0.5):
            maker.rng.shuffle(said)
        phrases = [self.phrase(argument, *drawn[argument.name]) for argument in said]
        return self.joined(head, phrases, mark), arguments

    def joined(self, head, phrases, mark):
        maker = self.maker
        if not mark and phrases and phrases[0].startswith(FRONTED) and maker.chance(0.15):
            return f"{phrases[0]}, {' '.join([head, *phrases[1:]])}"
        if len(phrases) > 1 and maker.chance(0.4):
            return f"{head} {', '.join(phrases[:-1])} and {phrases[-1].removeprefix('and ')}{mark}"
        return " ".join([head, *phrases]) + mark

    def head(self, tool, spoken, omit):
        maker, noun, verb = self.maker, self.maker.pick(tool.nouns), self.maker.pick(tool.verbs)
        value = ""
        if tool.is_plural:
            form = words.PLURAL
            verb = maker.pick([v for v in tool.verbs if v in words.PLURAL_VERBS])
        elif tool.key and tool.key is not omit:
            form, value = words.KEY_PHRASES, spoken[tool.key.name]
        else:
            form = words.NO_KEY
        thing = maker.pick(form[self.split]).format(o=noun, v=value, a=with_article(noun), s=plural(noun))
        return f"{verb} {thing}"

    def phrase(self, argument, value, spoken):
        """ "on port 80", "port: 80", "with force" """
        maker = self.maker
        own, general = argument.phrases, words.GENERIC[self.split]
        if argument.kind == "flag":
            own, general = own[not value], words.GENERIC_FLAG[self.split][not value]
        phrase = maker.pick(own if own and maker.chance(0.6) else general).replace("{}", "{v}")
        if "{v}%" in phrase:
            spoken = str(value)  # "5%", never "five%"
        return phrase.replace("{n}", argument.name.replace("_", " ")).replace("{v}", spoken)

    def do_to(self, pronoun, tool):
        """ "restart it", "back it up" """
        verb, *rest = self.maker.pick(tool.verbs or (tool.group,)).split()
        return " ".join([verb, pronoun, *rest])

    # Assistant turns and tool results.

    def call(self, tool, arguments):
        self.say("assistant", "", tool_calls=[{"name": tool.name, "arguments": arguments}])
        self.check = {"kind": "call", "name": tool.name, "arguments": arguments}

    def answer(self, kind, text):
        self.say("assistant", text)
        self.check = {"kind": kind}

    def succeed(self, **known):
        """A tool's result, and the report of it."""
        maker = self.maker
        if not known and maker.chance(0.12):
            became = maker.pick(("is", "was", "is now", "has been"))
            text = maker.text() if maker.chance(0.4) else f"{maker.word()} {became} {maker.state()}"
            self.say("tool", text)
            return f"Done: {text}."
        fields = words.FIELDS[self.split]
        if known:  # beside other fields, but none that could be meant instead
            others = [name for name, kind in fields.items() if kind not in ("id", "state")]
            names = maker.rng.sample(others, maker.pick((0, 0, 1)))
        else:
            names = maker.rng.sample(list(fields), maker.pick((0, 1, 1, 1, 2, 2, 3)))
        result = {**known, **{name: maker.result(fields[name]) for name in names}}
        if len(result) == 2 and maker.chance(0.5):
            result = dict(reversed(result.items()))
        told = [tell(name, value) for name, value in result.items()]
        if not told or maker.chance(0.2):
            result = {"ok": True, **result}
        self.say("tool", json.dumps(result))
        return f"Done, {join(told)}." if told else "Done."

    def fail(self):
        maker = self.maker
        reason = maker.pick(words.REASONS[self.split])
        for mark, make in (("{w}", maker.word), ("{i}", lambda: str(maker.between(2, 120))), ("{d}", maker.code),
                           ("{h}", maker.host)):
            while mark in reason:
                reason = reason.replace(mark, make(), 1)
        form = maker.pick(words.ERROR_FORMS[self.split])
        text = form if isinstance(form, str) else json.dumps(form)
        self.say("tool", text.replace("{r}", reason))
        return f"That failed: {reason}."

    # The kinds of conversation.

    def make_call(self):
        tool = self.maker.composed_tool(arguments=0) if self.level == 0 else self.maker.any_tool()
        self.offer(tool)
        self.call(tool, self.request(tool))

    def make_none(self):
        maker, tool = self.maker, self.maker.any_tool()
        self.offer(absent=tool)
        if maker.chance(0.03):
            self.tools = []
        if maker.chance(0.2):
            self.user(self.fill(words.SMALL_TALK))
        else:
            self.request(tool)
        self.answer("none", words.NONE)

    def make_ask(self):
        required = []
        while not required:
            tool = self.maker.composed_tool()
            required = [a for a in tool.arguments if a.required]
        missing = self.maker.pick(required)
        self.offer(tool)
        self.request(tool, omit=missing)
        self.answer("ask", f"I need the {missing.name.replace('_', ' ')}.")

    def make_report(self):
        self.make_call()
        self.answer("report", self.fail() if self.maker.chance(0.28) else self.succeed())

    def make_chain(self):
        """Two independent requests in one message."""
        maker = self.maker
        first = maker.any_tool()
        self.tools = maker.offer([first], maker.pick((2, 2, 3)))
        second = maker.pick([tool for tool in self.tools if tool is not first])
        one, arguments = self.clause(first, sentences=False)
        two, more_arguments = self.clause(second, sentences=False)
        self.ask_in_turn(one, two)
        self.call(first, arguments)
        if maker.chance(0.15):
            self.answer("report", self.fail())
            return
        self.succeed()
        self.finish(second, more_arguments)

    def make_lookup(self):
        """Find a thing, then do something to it by the id that was found."""
        maker = self.maker
        find, act = self.pair(by_key=False)
        find.arguments[0].required = True
        self.offer(act, find)
        clause, arguments = self.clause(find)
        pronoun = maker.pick(("it", "it", f"that {maker.pick(act.nouns)}"))
        self.ask_in_turn(clause, self.do_to(pronoun, act))
        self.call(find, arguments)
        if maker.chance(0.1):
            self.answer("report", self.fail())
            return
        found = maker.result(act.key.kind)
        self.succeed(**{act.key.name: found})
        self.finish(act, {act.key.name: found})

    def make_condition(self):
        """Look at a thing, and act on it only if the result says so."""
        maker = self.maker
        look, act = self.service_pair() or self.pair(by_key=True)
        look.key.kind = act.key.kind
        self.offer(act, look)
        clause, arguments = self.clause(look, sentences=False)
        wanted = maker.state()
        state = wanted if maker.chance(0.5) else maker.state()
        condition = maker.pick(words.IF[self.split]).replace("{1}", clause).replace("{s}", wanted)
        self.user(condition.replace("{2}", self.do_to("it", act)))
        self.call(look, arguments)
        report = self.succeed(**{maker.pick(words.STATE_FIELDS[self.split]): state})
        if state == wanted:
            self.finish(act, {act.key.name: arguments[look.key.name]})
        else:
            self.answer("report", report)

    def ask_in_turn(self, one, two):
        self.user(self.maker.pick(words.THEN[self.split]).replace("{1}", one).replace("{2}", two))

    def finish(self, tool, arguments):
        """The last call, and half the time its report too."""
        self.call(tool, arguments)
        if self.maker.chance(0.5):
            self.answer("report", self.succeed())

    def pair(self, by_key):
        """A tool to look at a kind of thing, by its key or by something else, and one that acts on it."""
        maker = self.maker
        while True:
            act = maker.composed_tool(arguments=0)
            looks = [c for c in maker.by_thing[act.thing] if c[0] == "view" and "list" not in c[1]]
            if not act.key or act.group == "view" or not looks or not by_key and act.key.kind == "word":
                continue
            look = maker.composed_tool(maker.pick(looks), arguments=0 if by_key else 1, key=by_key)
            if bool(look.key) == by_key and look.name != act.name:
                return look, act

    def service_pair(self):
        """The same with the tools that an operator is most likely to have."""
        maker = self.maker
        services = {tool.group: tool for tool in maker.natural if tool.thing == "service"}
        if "view" not in services or maker.chance(0.7):
            return None
        look, act = services["view"], services[maker.pick(("restart", "start", "stop"))]
        return [dataclasses.replace(tool, name=maker.pick(tool.name.split("/")), key=tool.arguments[0])
                for tool in (look, act)]

    def make_again(self):
        """A second request after the first is done."""
        self.make_report()
        tool = self.maker.pick(self.tools)
        self.call(tool, self.request(tool))

    def example(self):
        return {"messages": self.messages, "tools": [tool.schema() for tool in self.tools], "check": self.check}


def tell(name, value):
    name = name.replace("_", " ")
    if isinstance(value, bool):
        return f"it is {'' if value else 'not '}{name}"
    if isinstance(value, list):
        return f"the {name} are {join(value)}" if value else f"there are no {name}"
    return f"the {name} is {value}"


def join(parts):
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def examples(split, seed, level=2):
    """Endless and deterministic; "held" shares no template, name, tool or description with "train"."""
    rng = random.Random(f"operator {split} {seed} {level}")
    maker = Maker(split, rng)
    kinds, bounds = list(MIXTURE), list(itertools.accumulate(MIXTURE.values()))
    while True:
        if level < 2 or rng.random() < 0.1:
            kind = "call" if level == 0 or rng.random() < 0.7 else maker.pick(("none", "report"))
            conversation = Conversation(maker, min(level, 1) if level < 2 else maker.between(0, 1))
        else:
            kind = rng.choices(kinds, cum_weights=bounds)[0]
            conversation = Conversation(maker, level)
        getattr(conversation, "make_" + kind)()
        yield conversation.example()


def same(left, right):
    """Equality that, as JSON's types do, tells true from 1 and "1" from 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    return left == right and all(isinstance(left, kind) == isinstance(right, kind) for kind in (bool, str))


def score(example, answer):
    """exact: the right tool with the right arguments, or the right sentence. valid_json: whatever
    was written as a call can be read. right_tool: the right tool, or rightly none."""
    wanted = example["messages"][-1]
    calls, expected = answer["tool_calls"], wanted.get("tool_calls", [])
    right_tool = [call["name"] for call in calls] == [call["name"] for call in expected]
    right_arguments = right_tool and all(same(a["arguments"], b["arguments"]) for a, b in zip(calls, expected))
    right_text = bool(expected) or answer["content"].strip() == wanted["content"]
    broken = '"arguments"' in answer["content"] or "tool_call>" in answer["content"]
    return {"exact": right_arguments and right_text,
            "valid_json": not broken and all(isinstance(call["arguments"], dict) for call in calls),
            "right_tool": right_tool}


def main():
    import chat
    split, count = sys.argv[1:2] or ["train"], int((sys.argv[2:3] or ["5"])[0])
    for example in itertools.islice(examples(split[0], seed=0), count):
        print(chat.render(example["messages"], example["tools"], False).replace("<|end|>", "\n"))


if __name__ == "__main__":
    main()
