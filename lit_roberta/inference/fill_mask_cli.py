"""`lit-roberta fill-mask MODEL TEXT...`: what stands behind the masks of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from jsonargparse import Namespace

from lit_roberta.inference.arguments import model_of, model_parser
from lit_roberta.inference.filling import FilledText, fill_mask
from lit_roberta.inference.inputs import STANDARD_INPUT, read_windows, report_nothing
from lit_roberta.inference.pipes import Command, to_json, write_line


def _parse(words: Sequence[str]) -> Namespace:
    parser = model_parser(
        "fill-mask",
        "Say what stands behind the masks of texts. A mask is the tokenizer's own mask token, or "
        "[MASK] or <mask> where a text has none of those.",
    )
    parser.add_argument(
        "texts",
        metavar="TEXT",
        type=str,
        nargs="+",
        help="With masks; - alone for the lines of standard input.",
    )
    parser.add_argument("--top-k", type=int, default=5, help="Candidates for each mask.")
    parser.add_argument("--json", action="store_true", help="Print a line of JSON for each text.")
    return parser.parse_args(list(words))


def _fill(asked: Namespace) -> None:
    model = model_of(asked, predicts=True)
    from_input = asked.texts == [STANDARD_INPUT]
    is_first = True
    seen = 0
    for texts in read_windows(STANDARD_INPUT) if from_input else [asked.texts]:
        for found in fill_mask(model, texts, top_k=asked.top_k, on_too_long=asked.on_too_long):
            if asked.json:
                write_line(to_json(asdict(found)))
            else:
                write_line(("" if is_first else "\n") + "\n".join(_readable(found)))
            is_first = False
        seen += len(texts)
    report_nothing(seen, STANDARD_INPUT)


main = Command(_parse, _fill)


def _readable(found: FilledText) -> Iterator[str]:
    """Write what was found for a person."""
    yield found.text
    width = max(len(candidate.token) for mask in found.masks for candidate in mask)
    for number, mask in enumerate(found.masks, start=1):
        if len(found.masks) > 1:
            yield f"mask {number} of {len(found.masks)}"
        for candidate in mask:
            share = f"{candidate.probability:8.3%}"
            yield f"{share}  {candidate.token:<{width}}  {candidate.sentence}"
    if len(found.masks) > 1:
        yield f"all masks: {found.filled}"
