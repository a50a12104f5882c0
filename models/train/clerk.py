# SPDX-License-Identifier: MIT
"""Short messages to be sorted into the labels that the system prompt lists; the answer is a label.

The subjects are in clerk_subjects.py: each has several names for its label, a description, and
templates. Held-out examples use other templates, other prompts, other frames around the message,
other names, and sets of subjects that no training example offers."""
import random
import zlib

from clerk_subjects import CLASHES, GRADES, SUBJECTS

NAMES = 3  # of the names that each subject's label may have
PROMPTS = {
    "train": [
        "Classify the message. Answer with one label.\nLabels: {labels}",
        "You sort {kind}s. Labels: {labels}. Answer with the label only.",
        "You are a triage agent. Put each {kind} into one of these categories: {labels}.",
        "Which of these fits the {kind}? {labels}",
        "Choose exactly one of: {labels}. Reply with nothing else.",
        "Read the {kind} and name its category.\n{lines}",
        "Triage the incoming {kind}. Allowed labels:\n{lines}\nGive one label.",
        "Labels:\n{lines}\n\nSay which label the {kind} gets.",
        "Your task is to label a {kind}. The labels are {labels}. Output one word of them.",
        "{labels}\nPick the right one for the {kind} below.",
    ],
    "held": [
        "Sort the {kind} into one of these labels: {labels}. Reply with the label only.",
        "You label each incoming {kind}. Possible labels:\n{lines}\nAnswer with one of them.",
        "Decide on the category of the {kind}. Categories: {labels}",
    ],
}
OPENINGS = {
    "train": ["", "", "", "Hello, ", "Hi, ", "Dear team, ", "Hi {name}, ", "Good morning. ", "Hey, "],
    "held": ["", "", "Good evening, ", "Hello {name}, ", "To whom it may concern: "],
}
CLOSINGS = {
    "train": ["", "", "", " Thanks.", " Thank you, {name}", " Regards, {name}", " Best, {name}",
              " I wait for your answer.", " Please reply by {day}."],
    "held": ["", "", " Many thanks, {name}", " Yours, {name}", " Let me know by {day}."],
}
FRAMES = {
    "train": {
        "ticket": ["{text}", "{text}", "Ticket #{id}: {text}", "From: {mail}\n{text}",
                   "Customer {name} writes: {text}"],
        "mail": ["{text}", "From: {name} <{mail}>\n\n{text}", "{name} wrote on {day}: {text}"],
        "log": ["{text}", "{date} {time} {host} {service}: {text}", "[{time}] {service}[{id}]: {text}",
                "{host} {service}: {text}"],
        "alert": ["{text}", "ALERT {host}: {text}", "[{time}] {host} - {text}", "{text} (host {host})"],
    },
    "held": {
        "ticket": ["{text}", "Request {id} from {name}: {text}", "Case {id}, opened {day}\n{text}"],
        "mail": ["{text}", "Sender: {mail}\n{text}"],
        "log": ["{text}", "{date}T{time} {service} on {host}: {text}"],
        "alert": ["{text}", "{host} at {time}: {text}"],
    },
}
SYLLABLES = {"train": ["an", "bel", "cor", "da", "el", "fi", "gra", "ha", "jo", "ka", "lin", "mar",
                       "ni", "os", "pe", "ro", "sa", "ti", "ul", "vi", "wen", "ya"],
             "held": ["am", "bri", "che", "dor", "eva", "fen", "gus", "hol", "iri", "ju", "ko", "lu",
                      "mon", "ne", "or", "pau", "qui", "ra", "ste", "tho", "va", "zo"]}
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def name_part(rng, split):
    return "".join(rng.choice(SYLLABLES[split]) for _ in range(rng.randint(2, 3)))


class Slots(dict):
    """Fills each {slot} of a template with something random."""

    def __init__(self, rng, split):
        super().__init__()
        self.rng, self.split = rng, split

    def __missing__(self, slot):
        rng, word = self.rng, name_part(self.rng, self.split)
        if slot == "name":
            last = name_part(rng, self.split).capitalize()
            return word.capitalize() + (" " + last if rng.random() < 0.5 else "")
        return {
            "id": lambda: str(rng.randint(100, 99999)),
            "n": lambda: str(rng.randint(2, 60)),
            "pct": lambda: f"{rng.randint(81, 99)}%",
            "money": lambda: rng.choice(["{} EUR", "${}", "{} dollars", "{}.50 EUR"]).format(
                rng.randint(5, 900)),
            "day": lambda: rng.choice(DAYS),
            "date": lambda: f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            "time": lambda: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:{rng.randint(0, 59):02}",
            "host": lambda: f"{word}-{rng.randint(1, 40):02}",
            "ip": lambda: ".".join(str(rng.randint(1, 254)) for _ in range(4)),
            "mail": lambda: f"{word}@{name_part(rng, self.split)}.example",
        }.get(slot, lambda: word if slot in ("service", "file") else word.capitalize())()


def fill(template, rng, split):
    return template.format_map(Slots(rng, split))


def is_held_set(subjects):
    """One set of subjects in five is kept for the held-out examples."""
    return zlib.crc32(" ".join(sorted(subjects)).encode()) % 5 == 0


def pick_set(rng, family, split):
    """Subjects of which no two could both be right, in a set that belongs to the split."""
    while True:
        count = min(len(family), rng.choice([2, 3, 3, 4, 4, 5, 6]))
        subjects = rng.sample(sorted(family), count)
        if any(a in subjects and b in subjects for a, b in CLASHES):
            continue
        if family is not SUBJECTS or is_held_set(subjects) == (split == "held"):
            return subjects


def spell_label(label, style):
    """A label in the set's way of writing: all of a set look alike."""
    return {"plain": label, "title": label.capitalize(),
            "snake": label.replace(" ", "_"), "dash": label.replace(" ", "-")}[style]


def message(rng, subject, split):
    kind = rng.choice(subject["kinds"])
    text = fill(rng.choice(subject[split]), rng, split)
    if kind in ("ticket", "mail"):
        text = (fill(rng.choice(OPENINGS[split]), rng, split) + text
                + fill(rng.choice(CLOSINGS[split]), rng, split))
    frame = rng.choice(FRAMES[split][kind])
    slots = Slots(rng, split)
    slots["text"] = text
    return kind, frame.format_map(slots)


def example(rng, split):
    family = SUBJECTS if rng.random() < 0.85 else rng.choice(GRADES)
    subjects = pick_set(rng, family, split)
    wanted = rng.choice(subjects)
    kind, text = message(rng, family[wanted], split)
    style = rng.choice(["plain", "plain", "plain", "snake", "dash", "title"])
    labels = {s: spell_label(rng.choice(family[s]["labels"][:NAMES]), style) for s in subjects}
    shown = [labels[s] for s in subjects]
    answer = labels[wanted]
    if family is SUBJECTS and len(subjects) > 2 and rng.random() < 0.2:
        other = spell_label(rng.choice(["other", "none", "something else"]), style)
        if rng.random() < 0.4:  # the right label is not offered: "other" takes its place
            shown.remove(answer)
            subjects.remove(wanted)
            answer = other
        shown.append(other)
    described = rng.random() < 0.2
    lines = "\n".join(f"- {label}" + (f": {family[s]['about']}" if described and s else "")
                      for label, s in zip(shown, subjects + [None]))
    joined = rng.choice([", ", ", ", " | ", " / "]).join(shown)
    prompt = rng.choice(PROMPTS[split]).format(labels=joined, lines=lines, kind=kind)
    return {"messages": [{"role": "system", "content": prompt}, {"role": "user", "content": text},
                         {"role": "assistant", "content": answer}],
            "tools": [], "check": {"label": answer, "subject": wanted}}


def examples(split, seed):
    rng = random.Random(f"clerk {split} {seed}")
    while True:
        yield example(rng, split)


def score(example, answer):
    return {"label": answer["content"].strip() == example["check"]["label"]}
