from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from lit_roberta.errors import UserError
from lit_roberta.training.config_files import SECTIONS, check_config_file

CONFIGS = Path(__file__).parents[2] / "configs"
SHIPPED = sorted(CONFIGS.rglob("*.yaml"))


def refusal(tmp_path: Path, content: str | bytes) -> str:
    """Write a file, have it refused, and give the message without the file's name."""
    path = tmp_path / "my.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UserError) as caught:
        check_config_file(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


def accept(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    check_config_file(path)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.relative_to(CONFIGS).as_posix())
def test_every_shipped_file_is_accepted(path: Path) -> None:
    check_config_file(path)


def test_there_are_shipped_files() -> None:
    assert len(SHIPPED) >= 10


@pytest.mark.parametrize(
    "content",
    [
        "seed_everything: 1\n",
        "\ufeffdata:\n  max_length: 64\n",
        "data: {}\n",
        "data:\n  batch_size: null\nmodel:\n  next_sentence: true\n",
        "trainer:\n  callbacks:\n  - {class_path: A}\n  - {class_path: A}\n",
        # one mapping under two names, whose keys are not said twice by that
        "data: {masking: &m {rate: 0.2}, tokenizer: *m}\n",
        # what is merged in is overridden, not repeated
        "data: &d {max_length: 64}\nmodel: {<<: *d, max_length: 32}\n",
    ],
)
def test_settings_are_accepted(tmp_path: Path, content: str) -> None:
    accept(tmp_path, content)


@pytest.mark.parametrize("content", ["", "\n\n", "# only words\n", "---\n", "null\n", "~\n"])
def test_a_file_without_settings_is_refused(tmp_path: Path, content: str) -> None:
    assert refusal(tmp_path, content).startswith(" must hold settings, got nothing. Write some")


@pytest.mark.parametrize(
    ("content", "kind"), [("- data\n", "a list"), ("data\n", "'data'"), ("3\n", "'3'")]
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, content: str, kind: str) -> None:
    assert f" must hold settings as `name: value`, got {kind}. " in refusal(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("data:\n  a: 1\nmodel: {}\ndata:\n  b: 2\n", ", line 4, must say data once, got it in l"),
        ("data:\n  masking: {}\n  masking: {}\n", ", line 3, must say data.masking once, got it"),
        (
            "data:\n  masking:\n    rate: 1\n    rate: 1\n",
            ", line 4, must say data.masking.rate",
        ),
        ("trainer:\n  logger:\n  - {a: 1, a: 2}\n", ", line 3, must say trainer.logger.a once"),
        ("data: {'a': 1, a: 2}\n", ", line 1, must say data.a once, got it in line 1, too."),
    ],
)
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, content: str, words: str) -> None:
    assert refusal(tmp_path, content).startswith(words)


@pytest.mark.parametrize("content", ["? [a]\n: 1\n", "{{a: 1}: 2}\n"])
def test_a_key_that_is_no_name_is_refused(tmp_path: Path, content: str) -> None:
    assert ", line 1, must have a name for a key, got a " in refusal(tmp_path, content)


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    ("value", "kind"),
    [("3", "'3'"), ("[a, b]", "a list"), ("", "nothing"), ("tiny.yaml", "'tiny.yaml'")],
)
def test_a_section_that_is_no_mapping_is_refused(
    tmp_path: Path, section: str, value: str, kind: str
) -> None:
    *outer, name = section.split(".")
    text = "".join(f"{name}:\n  " for name in outer) + f"{name}: {value}\n"
    line = len(outer) + 1
    assert refusal(tmp_path, text).startswith(
        f", line {line}, must hold settings in {section}, got {kind}. Indent them"
    )


@pytest.mark.parametrize(
    "content",
    [
        "data:\n\tmax_length: 3\n",
        "data: [1, 2\n",
        "data: {a: 1\n",
        "data: 'open\n",
        "a: 1\n---\nb: 2\n",
        "data: *nowhere\n",
        "data: a: b\n",
        "data: \x00\n",
        "data: \x07\n",
        "data: " + "[" * 20_000,
    ],
    ids=range(10),
)
def test_what_is_not_yaml_is_refused(tmp_path: Path, content: str) -> None:
    assert refusal(tmp_path, content).startswith(" must be valid YAML, got")


def test_the_place_of_a_fault_is_said(tmp_path: Path) -> None:
    assert " got at line 2, column 1: " in refusal(tmp_path, "data:\n\tmax_length: 3\n")


@pytest.mark.parametrize("content", [b"data: caf\xe9\n", "data: 1".encode("utf-16"), b"\x80"])
def test_what_is_not_utf8_is_refused_with_its_place(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UnicodeDecodeError) as fault:
        content.decode()
    offset = fault.value.start
    words = f" must be UTF-8 text, got byte 0x{content[offset]:02X} at offset {offset}. Save it"
    assert refusal(tmp_path, content).startswith(words)


@pytest.mark.parametrize(
    "content",
    ["a: &a [*a]\n", "data: &d {masking: *d}\n", "a: &a {b: [{c: *a}]}\n", "&t {data: *t}\n"],
)
def test_what_holds_itself_is_refused(tmp_path: Path, content: str) -> None:
    assert ", line 1, must not hold itself, got an alias" in refusal(tmp_path, content)


def test_aliases_of_aliases_take_no_time(tmp_path: Path) -> None:
    lines = ["l0: &l0 [1]", *(f"l{n}: &l{n} [*l{n - 1}, *l{n - 1}]" for n in range(1, 80))]
    accept(tmp_path, "\n".join(lines) + "\n")


def test_what_can_not_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.yaml", tmp_path / ("x" * 5000), Path("a\0b")):
        with pytest.raises(UserError, match="must be a readable file, got: "):
            check_config_file(path)


def test_the_parser_keeps_the_last_of_two_without_a_word() -> None:
    # The reason for all this; once it fails, the check for equal keys can go.
    assert yaml.safe_load("a: {b: 1}\na: {c: 2}\n") == {"a": {"c": 2}}
