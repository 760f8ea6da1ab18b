"""Classification by a cloze: which label's word fits the blank best, without any training.

A word of several tokens is scored by the mean of its tokens' log-probabilities, each predicted
from what stands before it in the word: the blank is as many masks as it has tokens, filled from
the left. What a word has by itself, with an empty text in the template, is subtracted.

Source: Schick and Schuetze 2021, "Exploiting Cloze Questions for Few Shot Text Classification"
(templates and words); Holtzman et al. 2021, "Surface Form Competition" (subtracting what a word
has without the text); Brown et al. 2020 (answered examples before the text).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float64

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.inference.batching import BATCH_TOKENS, batches_by_length, pad
from lit_roberta.inference.cloze import LabelWord, Prompt, Template, make_prompt
from lit_roberta.inference.text_model import TextModel
from lit_roberta.probing.labelled import majority, ranked
from lit_roberta.probing.shares import Share

_MOST_LOGITS = 1 << 24
"""Of a batch: 64 MB of them."""


@dataclass(frozen=True, kw_only=True)
class ZeroShotScores:
    """How many labels a cloze gets right."""

    calibrated: Share
    uncalibrated: Share
    majority: Share
    majority_label: str
    predictions: list[str]
    """The calibrated ones, in the order of the examples."""
    shots: float
    """Answered examples of each label before a text, on average: as many as fit."""

    def as_json(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            "calibrated": self.calibrated.as_json(),
            "uncalibrated": self.uncalibrated.as_json(),
            "majority": self.majority.share,
            "majority_label": self.majority_label,
            "shots": self.shots,
        }


def judge_zero_shot(
    model: TextModel,
    examples: Sequence[TextExample],
    *,
    template: Template,
    words: Sequence[LabelWord],
    answered: Sequence[TextExample] = (),
    shots: int = 0,
) -> ZeroShotScores:
    """See how many labels a cloze gets right.

    Args:
        model: With a masked-language-model head.
        examples: Labelled texts.
        template: The sentence with a blank.
        words: What fills it for each label.
        answered: Labelled texts to put before each text, answered.
        shots: So many of each label, the first by a hash of their text.

    Raises:
        UserError: If a label has no word, or there are too few answered examples.
    """
    for example in (*examples, *answered):
        template.check_pair(example.pair, place=example.place)
    _check_labels([*examples, *answered], words)
    rounds = _rounds(answered, template, words, shots)
    room = model.room - max(len(word.tokens) for word in words) + 1
    prompts = [
        make_prompt(
            model.tokenizer, template, example.text, example.pair, room=room, rounds=rounds
        )
        for example in examples
    ]
    fit = log_probabilities(model, prompts, words)
    counts = sorted({prompt.shots for prompt in prompts})
    empty = [
        make_prompt(model.tokenizer, template, room=room, rounds=rounds[:count])
        for count in counts
    ]
    prior = dict(zip(counts, log_probabilities(model, empty, words), strict=True))
    calibrated = fit - np.array([prior[prompt.shots] for prompt in prompts])
    label, naive = majority(examples)
    return ZeroShotScores(
        calibrated=_share(calibrated, examples, words),
        uncalibrated=_share(fit, examples, words),
        majority=naive,
        majority_label=label,
        predictions=[words[best].label for best in calibrated.argmax(axis=1)],
        shots=float(np.mean([prompt.shots for prompt in prompts])),
    )


@torch.inference_mode()
def log_probabilities(
    model: TextModel, prompts: Sequence[Prompt], words: Sequence[LabelWord]
) -> Float64[np.ndarray, "prompts words"]:
    """Give the mean log-probability of the tokens of each word in the blank of each prompt."""
    sums = np.zeros((len(prompts), len(words)))
    jobs = _jobs(model, prompts, words)
    batches = batches_by_length(
        [len(job.ids) for job in jobs],
        batch_tokens=BATCH_TOKENS,
        most_rows=max(1, _MOST_LOGITS // model.bert.config.vocab_size),
    )
    for batch in batches:
        chosen = [jobs[number] for number in batch]
        padded = pad([job.ids for job in chosen], pad_id=model.tokenizer.vocabulary.pad_id)
        places = torch.tensor([[job.place] for job in chosen])
        found = model.logits(padded, places)[:, 0].log_softmax(dim=-1).cpu().double().numpy()
        for job, row in zip(chosen, found, strict=True):
            for prompt, word, token in job.asked:
                sums[prompt, word] += row[token]
    return sums / [len(word.tokens) for word in words]


class _Job(NamedTuple):
    ids: list[int]
    place: int
    asked: list[tuple[int, int, int]]
    """Prompt, word and token whose log-probability is wanted."""


def _jobs(model: TextModel, prompts: Sequence[Prompt], words: Sequence[LabelWord]) -> list[_Job]:
    """Make each different row once, whatever is asked of it."""
    jobs: dict[tuple[tuple[int, ...], int], _Job] = {}
    for number, prompt in enumerate(prompts):
        for word, (ids, place, token) in _rows(model, prompt, words):
            job = jobs.setdefault((tuple(ids), place), _Job(ids, place, []))
            job.asked.append((number, word, token))
    return list(jobs.values())


def _rows(
    model: TextModel, prompt: Prompt, words: Sequence[LabelWord]
) -> Iterator[tuple[int, tuple[list[int], int, int]]]:
    """Fill a word in from the left: at each step a row, the place of the next token, and it."""
    before, after = prompt.ids[: prompt.place], prompt.ids[prompt.place + 1 :]
    for word, (_, _, tokens) in enumerate(words):
        for done, token in enumerate(tokens):
            masks = [model.tokenizer.vocabulary.mask_id] * (len(tokens) - done)
            ids = model.row([*before, *tokens[:done], *masks, *after])
            yield word, (ids, 1 + prompt.place + done, token)


def _check_labels(examples: Sequence[TextExample], words: Sequence[LabelWord]) -> None:
    known = [word.label for word in words]
    for example in examples:
        if example.label not in known:
            remedy = "Give it a word: --words."
            rule = f"be one of {', '.join(known)}"
            raise must(f"the label at {example.place}", rule, example.label, remedy)


def _rounds(
    answered: Sequence[TextExample], template: Template, words: Sequence[LabelWord], shots: int
) -> list[str]:
    """Write answered examples, one of each label a round."""
    columns = []
    for word in words:
        own = [each for each in ranked(answered) if each.label == word.label][:shots]
        if len(own) < shots:
            rule = f"be at most the {len(own)} examples of {word.label!r} in --examples"
            raise must("--shots", rule, shots, "Give a smaller number, or more examples.")
        columns.append([template.answered(word.word, each.text, each.pair) for each in own])
    return [" ".join(each) for each in zip(*columns, strict=True)]


def _share(
    fit: Float64[np.ndarray, "prompts words"],
    examples: Sequence[TextExample],
    words: Sequence[LabelWord],
) -> Share:
    found = [words[best].label for best in fit.argmax(axis=1)]
    pairs = zip(found, examples, strict=True)
    return Share(right=sum(one == example.label for one, example in pairs), total=len(examples))
