from __future__ import annotations

from typing import Any, Literal

import pytest

from lit_roberta.command_line import OneLineErrors
from lit_roberta.errors import UserError

KINDS = [
    (int, "1.5", "a whole number, got '1.5'. Write it in digits, without a point."),
    (int, "", "a whole number, got ''."),
    (int | None, "3 [or] 4;", "a whole number or null, got '3 [or] 4;'."),
    (float, "half", "a number, got 'half'. Write it in digits."),
    (float | None, "half", "a number or null, got 'half'."),
    (bool, "maybe", "true or false, got 'maybe'."),
    (Literal["mean", "cls"], "max", "mean or cls, got 'max'."),
    (Literal["a", "b", "c"] | None, "d", "a, b, c or null, got 'd'."),
    (int | Literal["all"], "some", "a whole number or all, got 'some'."),
    (list[int], "a", "a list, got 'a'. Write [a, b]."),
    (Literal["none"] | list[float], "[nan, 1]", "none or a list of numbers, got \"['nan', 1]\"."),
    (list[str] | None, "{a: 1}", "a list or null, got \"{'a': 1}\". Write [a, b]."),
]


def refused(parser: OneLineErrors, *words: str) -> str:
    with pytest.raises(UserError) as error:
        parser.parse_args(list(words))
    return str(error.value)


@pytest.mark.parametrize(("kind", "value", "line"), KINDS)
def test_a_value_of_another_kind_is_said_in_words(kind: Any, value: str, line: str) -> None:
    parser = OneLineErrors()
    parser.add_argument("--top-k", type=kind)
    assert refused(parser, "--top-k", value).startswith(f"--top-k must be {line}")


def test_where_there_are_files_of_settings_a_setting_has_no_dashes() -> None:
    parser = OneLineErrors()
    parser.add_argument("--config", action="config")
    parser.add_argument("--data.max_length", type=int)
    assert refused(parser, "--data.max_length=x").startswith("data.max_length must be a whole num")


def test_what_has_no_words_of_ours_stays_as_it_is_said() -> None:
    parser = OneLineErrors()
    parser.add_argument("--x", type=dict[str, int])
    assert refused(parser, "--x=a").startswith('Parser key "x"')


def test_what_was_not_given_is_explained_by_its_help() -> None:
    parser = OneLineErrors()
    parser.add_argument("model", type=str, help="A checkpoint.")
    parser.add_argument("words", metavar="WORD", type=str, nargs="+")
    parser.add_argument("--out", type=str, required=True, help="A file.")
    said = refused(parser)
    assert said == "MODEL and WORD and --out must be given. MODEL: A checkpoint. --out: A file."
    assert refused(parser, "m", "a") == "--out must be given. --out: A file."
