"""Configuration files, looked at before they are parsed: what a parser would swallow is said here.

In: the path of a YAML file. Out: nothing, or one line that names file, line and key. A parser
keeps the last of two equal keys and drops the first without a word, so that half of the settings
are not those of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from lit_roberta.errors import UserError

SECTIONS = (
    "data",
    "model",
    "trainer",
    "checkpoint",
    "data.masking",
    "data.tokenizer",
    "data.reading",
    "model.encoder",
    "model.optimizer",
    "model.schedule",
)
"""What holds settings of its own."""

_NOTHING = "tag:yaml.org,2002:null"
_EXAMPLE = "`data: {batch_size: 16}`"


def check_config_file(path: Path) -> None:
    """Refuse a configuration file that can't mean what its writer meant.

    Settings are not looked up here: whether a name or a value is right is for the parser to say.

    Args:
        path: A YAML file.

    Raises:
        UserError: If it can't be read, is not UTF-8, not valid YAML, holds no mapping of settings,
            says a key twice, holds itself, or has something else where a section should be.
    """
    top = _compose(_read(path), path)
    if top is None or _is_nothing(top):
        raise UserError(f"{path} must hold settings, got nothing. Write some, such as {_EXAMPLE}.")
    if not isinstance(top, yaml.MappingNode):
        raise UserError(
            f"{path} must hold settings as `name: value`, got {_kind(top)}. "
            f"Write them as in {_EXAMPLE}."
        )
    _require_finite(top, path)
    _require_names_once(top, path)
    for section in SECTIONS:
        _require_section(top, section, path)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} must be UTF-8 text, got byte 0x{error.object[error.start]:02X} at offset "
            f"{error.start}. Save it as UTF-8."
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(
            f"{path} must be a readable file, got: {reason}. Give the path of a YAML file."
        ) from error


def _compose(text: str, path: Path) -> yaml.Node | None:
    """Read the nodes of a file, which know their lines, without making values of them."""
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        problem = error.problem or error.context
        raise UserError(
            f"{path} must be valid YAML, got{place}: {problem}. Correct that line."
        ) from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise UserError(
            f"{path} must be valid YAML, got: {problem}. Write it as plain text."
        ) from error
    except RecursionError as error:
        raise UserError(
            f"{path} must be valid YAML, got brackets or indents that are nested too deep. "
            "Settings need three levels."
        ) from error


def _require_finite(top: yaml.Node, path: Path) -> None:
    """Refuse a node that holds itself by an alias; whatever follows it would never end."""
    open_nodes: set[int] = set()
    done: set[int] = set()
    # A node comes up twice: before what it holds and, marked as left, after it.
    pending = [(top, False)]
    while pending:
        node, left = pending.pop()
        if left:
            open_nodes.discard(id(node))
            done.add(id(node))
        elif id(node) in open_nodes:
            raise UserError(
                f"{path}, line {_line(node)}, must not hold itself, got an alias to what the "
                "alias stands in. Take the alias (*) out."
            )
        elif id(node) not in done:
            open_nodes.add(id(node))
            pending.append((node, True))
            pending += [(child, False) for child in _children(node)]


def _require_names_once(top: yaml.Node, path: Path) -> None:
    """Refuse a key that its mapping has already, at any level, and a key that is no name."""
    seen: set[int] = set()
    pending: list[tuple[yaml.Node, str]] = [(top, "")]
    while pending:
        node, prefix = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            pending += _name_values(node, prefix, path)
        elif isinstance(node, yaml.SequenceNode):
            pending += [(child, prefix) for child in node.value]


def _name_values(node: yaml.MappingNode, prefix: str, path: Path) -> list[tuple[yaml.Node, str]]:
    """Give each value of a mapping with the names that its own keys begin with."""
    lines: dict[str, int] = {}
    values = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise UserError(
                f"{path}, line {_line(key)}, must have a name for a key, got {_kind(key)}. "
                "Write `name: value`."
            )
        name = prefix + key.value
        if key.value in lines:
            raise UserError(
                f"{path}, line {_line(key)}, must say {name} once, got it in line "
                f"{lines[key.value]}, too. Put the two together: only the last would count."
            )
        lines[key.value] = _line(key)
        values.append((value, f"{name}."))
    return values


def _require_section(top: yaml.MappingNode, section: str, path: Path) -> None:
    node: yaml.Node | None = top
    for name in section.split("."):
        if not isinstance(node, yaml.MappingNode):
            return
        node = next((value for key, value in node.value if key.value == name), None)
    if node is not None and not isinstance(node, yaml.MappingNode):
        raise UserError(
            f"{path}, line {_line(node)}, must hold settings in {section}, got {_kind(node)}. "
            "Indent them below it as `name: value`, or leave it out."
        )


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _is_nothing(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == _NOTHING


def _kind(node: yaml.Node) -> str:
    """Say what a node is, the text of a short one in full."""
    if _is_nothing(node):
        return "nothing"
    if isinstance(node, yaml.ScalarNode):
        text = " ".join(node.value.split())
        return repr(text if len(text) <= 40 else text[:37] + "...")
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"


def _line(node: yaml.Node) -> int:
    line: int = node.start_mark.line
    return line + 1
