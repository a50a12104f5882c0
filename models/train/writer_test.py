# SPDX-License-Identifier: MIT
"""Run as: python3 -m unittest writer_test (in models/train)."""
import itertools
import unittest

import writer
import writer_draw
import writer_words as words


def first(count, split, seed=1, level=2):
    return list(itertools.islice(writer.examples(split, seed, level), count))


def answer_of(example):
    return example["messages"][-1]["content"]


def passed(example, content):
    return {key for key, right in writer.score(example, {"content": content}).items() if right}


ALL = {"kept", "none_invented", "faithful", "names_kept", "only_asked", "in_place"}
REPORT = writer.example(
    [{"role": "user", "content": "Write a status report for Tano.\ndisk used: 81 percent\nerrors: 3\nold: 7"}],
    "Status of Tano: disk used 81 percent, errors 3.", ["Tano"], [("disk used", "81 percent"), ("errors", "3")])


class Examples(unittest.TestCase):
    def test_a_seed_gives_the_same_examples_again(self):
        self.assertEqual(first(50, "train", 7), first(50, "train", 7))
        self.assertNotEqual(first(50, "train", 7), first(50, "train", 8))
        self.assertNotEqual(first(50, "train", 7), first(50, "held", 7))

    def test_every_figure_of_an_answer_is_in_its_prompt(self):
        for split, level in itertools.product(("train", "held"), (0, 1, 2)):
            for example in first(150, split, level=level):
                self.assertEqual(passed(example, answer_of(example)), ALL, example)

    def test_an_easy_level_has_short_answers(self):
        longest = [max(len(answer_of(e)) for e in first(150, "train", level=level)) for level in (0, 1, 2)]
        self.assertEqual(longest, sorted(longest))


class Splits(unittest.TestCase):
    """Layouts of facts that everybody uses ("key: value" lines, JSON) are in both splits."""

    def test_tables_share_nothing(self):
        tables = {name: table for name, table in vars(words).items() if isinstance(table, dict) and "held" in table}
        tables |= {kind: table for kind, (_, _, table) in words.REPORTS.items()}
        self.assertGreater(len(tables), 25)
        for name, table in tables.items():
            entry = (lambda e: e[0] if isinstance(e, tuple) else e)
            shared = set(map(entry, table["train"])) & set(map(entry, table["held"]))
            self.assertLessEqual(shared, {"", "json", "json lines", "aligned", "{k}: {v}\n", "service", "name"}, name)

    def test_syllables_share_nothing(self):
        self.assertFalse(set(writer_draw.SYLLABLES["train"]) & set(writer_draw.SYLLABLES["held"]))

    def test_no_system_message_of_the_held_split_is_trained(self):
        seen = [{message["content"] for example in first(3000, split) for message in example["messages"]
                 if message["role"] == "system"} for split in ("train", "held")]
        self.assertGreater(min(map(len, seen)), 300)
        self.assertFalse(seen[0] & seen[1])


class Scores(unittest.TestCase):
    def test_the_right_answer_in_another_form_is_right(self):
        self.assertEqual(passed(REPORT, "Status of Tano:\n- disk used: 81 percent\n- errors: 3"), ALL)

    def test_a_missing_figure_is_not_kept(self):
        self.assertEqual(passed(REPORT, "Status of Tano: disk used 81 percent."),
                         ALL - {"kept", "faithful", "in_place"})

    def test_a_new_figure_is_invented(self):
        self.assertEqual(passed(REPORT, answer_of(REPORT) + " Load 5."),
                         ALL - {"none_invented", "faithful", "only_asked"})

    def test_a_part_of_a_figure_is_invented(self):
        self.assertNotIn("none_invented", passed(REPORT, "Status of Tano: disk used 8 percent, errors 3."))

    def test_a_figure_that_was_to_be_dropped_is_not_asked(self):
        self.assertEqual(passed(REPORT, answer_of(REPORT) + " Old 7."), ALL - {"only_asked"})

    def test_swapped_figures_are_out_of_place(self):
        self.assertEqual(passed(REPORT, "Status of Tano: disk used 3 percent, errors 81."), ALL - {"in_place"})

    def test_a_wrong_name_is_not_kept(self):
        self.assertEqual(passed(REPORT, answer_of(REPORT).replace("Tano", "Tana")), ALL - {"names_kept"})

    def test_a_lone_point_or_comma_is_no_part_of_a_figure(self):
        self.assertEqual(writer.numbers("At 08:12 it was 3.50, or 4. Then web-12, -7, 2026-05-01."),
                         {"08:12", "3.50", "4", "12", "7", "2026-05-01"})


if __name__ == "__main__":
    unittest.main()
