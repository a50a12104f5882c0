# SPDX-License-Identifier: MIT
"""The examples of nano-writer: short reports and replies from given facts, and long tool results
condensed to what is asked for. Run as a program, it prints a few.

Every answer follows from its prompt by rules that a model of 3 million weights can learn: facts are
told in the order given, what is kept of a tool result in the order asked, figures as they are
written, and nothing is added up. The held-out split has other words, keys, units, layouts, wordings
and syllables than the training split (writer_words.py); the kinds of task are the same."""
import itertools
import json
import random
import re
import sys

import writer_words as words
from writer_draw import Draw, overlaps

NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
NOT_GIVEN = "not given"
NOTHING = "Nothing found."


def numbers(text):
    return set(NUMBER.findall(text))


def as_json(facts, lines):
    table = {key.replace(" ", "_"): int(value) if re.fullmatch(r"0|[1-9]\d*", value) else value
             for key, value in facts}
    return json.dumps(table, indent=1 if lines else None, ensure_ascii=False)


def lay_out(draw, facts):
    """The facts as text, and again with their keys as they are to be told."""
    layout = draw.pick(words.LAYOUTS)
    if layout.startswith("json"):
        return as_json(facts, layout == "json lines"), facts
    if draw.chance(0.2):
        facts = [(key[0].upper() + key[1:], value) for key, value in facts]
    return "".join(layout.format(k=k, v=v) for k, v in facts).rstrip(" \n,;/"), facts


def tell(fact):
    """A fact in a sentence."""
    key, value = fact
    if key.lower() in words.PHRASES:
        return words.PHRASES[key.lower()].format(value)
    return f"{key} {value}" if re.match(r"-?\d", value) or value == NOT_GIVEN else f"{key}: {value}"


def sentence(facts):
    return ", ".join(map(tell, facts)) + "."


def join_and(parts):
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def with_article(request):
    return re.sub(r"\b([aA]) (?=[aeio])", r"\1n ", request)


def example(messages, answer, names, facts):
    """`facts` are the (key, value) pairs that have to stand together in the answer."""
    return {"messages": messages + [{"role": "assistant", "content": answer}], "tools": [],
            "check": {"figures": sorted(numbers(answer)), "names": names, "facts": [list(fact) for fact in facts]}}


def ask(draw, request, text, systems):
    """The request and the text it is about, put where users put them."""
    if draw.chance(0.2):
        return [{"role": "system", "content": request}, {"role": "user", "content": text}]
    user = f"{text}\n\n{request}" if draw.chance(0.25) else f"{request}\n\n{text}"
    messages = [{"role": "user", "content": user}]
    if draw.chance(0.65):
        messages.insert(0, {"role": "system", "content": draw.pick(systems)})
    return messages


def ask_to_condense(draw, what, text):
    request = draw.pick(words.CONDENSE).format(what=join_and(what)) if what else draw.pick(words.CONDENSE_PLAINLY)
    if draw.chance(0.5):
        return ask(draw, request, text, words.CONDENSE_SYSTEM)
    messages = [{"role": "user", "content": request}, {"role": "tool", "content": text}]
    if draw.chance(0.5):
        messages.insert(0, {"role": "system", "content": draw.pick(words.CONDENSE_SYSTEM)})
    return messages


def report_facts(draw, kind, low, high):
    if kind == "alerts":
        return draw.several(lambda: (draw.place(), " ".join(draw.figure())), draw.rng.randint(low, min(high, 5)))
    facts = draw.facts(low, high)
    if kind == "incident":
        facts += [("began", draw.time())] + [("ended", draw.time())] * draw.chance(0.6)
        draw.rng.shuffle(facts)
    return facts


def moment_of_report(draw, kind):
    """When it is about, and the request's words for that."""
    if kind == "week" and draw.chance(0.7):
        week = f"week {draw.rng.randint(1, 52)}"
        return week, f" for {week}"
    when = draw.pick(words.DAYS) if draw.chance(0.4) else draw.date()
    return when, draw.pick([" for ", " of ", " on "]) + when


def report(draw, low=2, high=7):
    kind = draw.pick(["status", "status", "week", "incident", "alerts"])
    head, of, kinds = words.REPORTS[kind]
    facts = report_facts(draw, kind, low, high)
    subject = draw.place() if draw.chance(0.85) else ""
    when, on = moment_of_report(draw, kind) if draw.chance(0.6) else ("", "")
    given = []
    if draw.chance(0.45):  # the subject and the date are among the facts, and not in the request
        given = [(draw.pick(words.SUBJECT_KEYS), subject)] * bool(subject) + [("date", when)] * bool(when)
    named = f" {draw.pick(words.FOR)} {subject}" if subject and not given else ""
    listed = draw.chance(0.25)
    request = with_article(draw.pick(words.REQUESTS).format(a=draw.pick(kinds), n=named, w="" if given else on))
    request += draw.pick(words.AS_LIST if listed else words.AS_TEXT)
    text, told = lay_out(draw, given + facts)
    told = told[len(given):]
    title = head + (f" {of} {subject}" if subject else "") + (f", {when}" if when else "") + ":"
    answer = title + ("".join(f"\n- {k}: {v}" for k, v in told) if listed else " " + sentence(told))
    names = [subject] * bool(subject) + [v for k, v in told if k.lower() in words.PERSON_KEYS]
    return example(ask(draw, request, text, words.WRITER_SYSTEM), answer, names, told)


def reply(draw):
    customer = draw.person() if draw.chance(0.7) else draw.name()
    firm, order = draw.firm(), draw.integer() + draw.integer()
    facts = [("ordered", draw.date()), ("amount", f"{draw.amount()} EUR"), ("arrives", draw.date()),
             ("reason", draw.cause())]
    facts = [("order", order)] + draw.rng.sample(facts, draw.rng.randint(0, 3))
    others = draw.several(draw.figure, draw.rng.randint(0, 2))
    facts += [other for other in others if not any(overlaps(other[0], key) for key in words.REPLY_PHRASES)]
    draw.rng.shuffle(facts)
    text, told = lay_out(draw, [("customer", customer)] + facts + [("from", firm)])
    told = told[1:-1]
    if draw.chance(0.4):
        text += "\nThe customer says: " + draw.pick(words.CUSTOMER_SAYS).format(order)
    body = " ".join(words.REPLY_PHRASES[key.lower()].format(value) if key.lower() in words.REPLY_PHRASES
                    else words.OTHER_REPLY.format(f"{key} {value}") for key, value in told)
    messages = ask(draw, draw.pick(words.REPLIES), text, words.WRITER_SYSTEM)
    return example(messages, f"Dear {customer},\n{body}\nKind regards,\n{firm}", [customer, firm], told)


def condense_fields(draw):
    facts = draw.facts(5, 11, 0.15)
    text, told = lay_out(draw, facts)
    if len(facts) < 8 and draw.chance(0.15):
        return example(ask_to_condense(draw, [], text), sentence(told), [], told)
    asked = draw.rng.sample(told, draw.rng.randint(1, 4))
    if draw.chance(0.06):
        key = draw.figure()[0]
        if not any(overlaps(key, other) for other, _ in facts):
            asked.insert(draw.rng.randint(0, len(asked)), (key, NOT_GIVEN))
    wanted = [key for key, _ in asked]
    if text.startswith("{"):
        if draw.chance(0.3):
            text = f'{{"ok": true, "data": {text}}}'
        if draw.chance(0.5):
            wanted = [key.replace(" ", "_") for key in wanted]
    return example(ask_to_condense(draw, wanted, text), sentence(asked), [], asked)


def fill_without(draw, templates, stems):
    """A message with none of the words that mark the lines to keep."""
    while True:
        text, source = draw.fill(draw.pick(templates))
        if not any(stem in text.lower() for stem in stems):
            return text, source


def choose_marks(draw):
    """What the request says is to be kept, and the marks of these lines. Nothing said is errors,
    failures and totals."""
    kind = draw.rng.random()
    if kind < 0.1:
        called = [draw.pick(["errors", "failures"]), "totals"]
        return [], [draw.pick(words.KEEP_WORDS[name]) for name in called]
    if kind < 0.55:
        called = draw.rng.sample(["errors", "warnings", "failures"], 1 + draw.chance(0.2))
        if draw.chance(0.4):
            called.append(draw.pick(words.END_WORDS))
        marks = [draw.pick(words.KEEP_WORDS[name]) for name in called]
        # Names and figures stand in the lines anyhow; people ask for them all the same.
        return called + [draw.pick(["names", "figures"])] * draw.chance(0.2), marks
    marks = draw.several(lambda: draw.word().upper() if draw.chance(0.15) else draw.pick(words.MARKS),
                         1 + draw.chance(0.25))
    return [draw.pick(words.MARKED).format(mark) for mark in marks], marks


def condense_lines(draw):
    """Of a log or the output of a test, the marked lines from the mark on."""
    asked, marks = choose_marks(draw)
    at_end = [mark for mark in marks if any(mark in words.KEEP_WORDS[name] for name in words.END_WORDS)]
    levels = [mark for mark in marks if mark not in at_end]
    stems = [mark.lower()[:4] for mark in marks if mark]
    calm = [mark for mark in words.CALM[draw.split] if mark.lower()[:4] not in stems]
    layout = draw.pick(words.LOG_LINES)
    start = re.search(r"[\[(]?\{m\}", layout).start()
    count = draw.rng.randint(4, 9)
    wanted = set() if draw.chance(0.05) else draw.rng.sample(range(count), draw.rng.randint(1, 3))
    lines, kept, names = [], [], []
    for i in range(count):
        text, source = fill_without(draw, words.MESSAGES, stems)
        mark = draw.pick(levels if i in wanted else calm)
        values = {"t": draw.time(), "m": mark, "x": text}
        lines.append(layout.format(**values))
        if i in wanted:
            kept.append(layout[start:].format(**values))
            names.append(source)
    for mark in at_end:
        kept.append(f"{mark} {fill_without(draw, words.SUMMARIES, stems)[0]}".strip())
        lines.append(kept[-1])
    messages = ask_to_condense(draw, asked, "\n".join(lines))
    return example(messages, "\n".join(kept) or NOTHING, names, [line.split(" ", 1) for line in kept])


def as_table(draw, rows):
    bar = draw.pick(words.TABLES)
    if bar == "aligned":
        widths = [max(map(len, column)) for column in zip(*rows)]
        rows, bar = [[cell.ljust(width) for cell, width in zip(row, widths)] for row in rows], "  "
    return "\n".join(bar.join(row).rstrip() for row in rows)


def condense_table(draw):
    columns = [key for key, _ in draw.several(draw.figure, draw.rng.randint(2, 4))]
    rows = draw.several(draw.place if draw.chance(0.7) else draw.person, draw.rng.randint(3, 6))
    asked = draw.rng.sample(rows, draw.rng.randint(1, 2))
    total = [draw.pick(["total", "Total"])] if draw.chance(0.5) else []
    if total and draw.chance(0.3):
        asked = []
    kept = asked + total * (not asked or draw.chance(0.6))
    cells = {row: [draw.decimal() if draw.chance(0.2) else draw.integer() for _ in columns] for row in rows + total}
    lines = [[draw.pick(["name", "site", "who"])] + columns] + [[row] + cells[row] for row in cells]
    what = [draw.pick(words.ROWS_OF).format(join_and(asked))] if asked else []
    if kept != asked and (asked or draw.chance(0.6)):
        what.append(draw.pick(["the total", "totals", "the totals"]))
    answer = "\n".join(f"{row}: {sentence(list(zip(columns, cells[row])))}" for row in kept)
    facts = [fact for row in kept for fact in zip(columns, cells[row])]
    return example(ask_to_condense(draw, what, as_table(draw, lines)), answer, asked, facts)


def condense_listing(draw):
    endings = draw.rng.sample(words.ENDINGS[draw.split], 3)
    files = [f"{name}.{draw.pick(endings)}" for name in draw.several(draw.word, draw.rng.randint(4, 8))]
    sizes = {file: draw.integer() for file in files}
    layout = draw.pick(words.LISTINGS)
    lines = [layout.format(f=file, z=sizes[file], e=draw.date()) for file in files]
    ending = files[-1].split(".")[1]
    asked = [file for file in files if file.endswith("." + ending)]
    if len(asked) > 4 or draw.chance(0.5):
        asked = draw.rng.sample(files, draw.rng.randint(1, 3))
        what = [draw.pick(words.NAMED_FILES).format(join_and(asked))]
    else:
        what = [draw.pick(words.ENDED_FILES).format(ending)]
    told = [f"{file} {sizes[file]}" for file in asked]
    if draw.chance(0.5):
        total = f"total {draw.integer()}"
        lines.insert(draw.pick([0, len(lines)]), total)
        if draw.chance(0.6):
            what.append("the total")
            told.append(total)
    facts = [line.split(" ") for line in told]
    return example(ask_to_condense(draw, what, "\n".join(lines)), "\n".join(told), asked, facts)


# What is learnt first, then second, then all of it: a row is (kind, share).
LEVELS = [
    [(lambda draw: report(draw, 1, 2), 1)],
    [(lambda draw: report(draw, 2, 4), 3), (reply, 1)],
    [(report, 5), (reply, 2), (condense_fields, 3), (condense_lines, 4), (condense_table, 2), (condense_listing, 2)],
]


def examples(split, seed, level=2):
    """Endless examples of a split; `level` 0 is the easiest mixture, 2 all of it."""
    draw = Draw(split, random.Random(f"writer {split} {seed}"))
    kinds, shares = zip(*LEVELS[level])
    while True:
        yield draw.rng.choices(kinds, shares)[0](draw)


def plain(text):
    """A text without what differs between "Orders: 3", "- orders: 3" and "orders 3,"."""
    return " " + " ".join(re.findall(r"[\w.%/@:-]*[\w%]", text.lower().replace("_", " "))) + " "


def in_place(fact, text):
    """Whether a value stands behind its key or in the key's phrase."""
    key, value = fact
    phrases = [table[key.lower()] for table in (words.PHRASES, words.REPLY_PHRASES) if key.lower() in table]
    return any(plain(phrase.format(value)) in text for phrase in phrases + [key + " {}"])


def score(example, answer):
    """kept: each figure to keep is there. none_invented: each figure stands in the prompt.
    only_asked: no figure of the prompt that was to be dropped. in_place: each value stands by its key."""
    check, content = example["check"], answer["content"]
    prompt = "\n".join(message["content"] for message in example["messages"][:-1])
    said, text = numbers(content), plain(content)
    kept, none_invented = said >= set(check["figures"]), said <= numbers(prompt)
    return {"kept": kept, "none_invented": none_invented, "faithful": kept and none_invented,
            "names_kept": all(name in content for name in check["names"]),
            "only_asked": said <= set(check["figures"]),
            "in_place": all(in_place(fact, text) for fact in check["facts"])}


def main():
    split = sys.argv[1] if len(sys.argv) > 1 else "held"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    for shown in itertools.islice(examples(split, 1), count):
        for part in shown["messages"]:
            print(f"<{part['role']}> {part['content']}")
        print("-" * 40)


if __name__ == "__main__":
    main()
