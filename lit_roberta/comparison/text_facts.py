"""Facts about the text that all recipes were given: counts, floors, sentences to look at."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64

from lit_roberta.comparison.results import PartFacts, TextFacts
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.evaluation.evaluation_text import Part
from lit_roberta.objectives import unigram_cross_entropy
from lit_roberta.training.sample_sentences import choose_samples, write_out

_PARTS: tuple[Part, ...] = ("train", "validation", "test")


def describe_text(data: PretrainingDataModule) -> TextFacts:
    """Count the text of a data module and compute its floors."""
    counts = _predictable_counts(data)
    unigram = _unigram_by_document(data, counts)
    return TextFacts(
        corpus=data.text.name,
        digest=data.prepared.digest,
        tokenizer=data.text.tokenizer.path or data.text.tokenizer.kind,
        vocab_size=data.vocab_size,
        parts={part: _part_facts(data, part) for part in _PARTS},
        unigram_loss=float(unigram.sum() / max(1, counts.sum())),
        document_unigram_nats=unigram.tolist(),
        samples=[
            write_out(sample, data.tokenizer)
            for sample in choose_samples(
                data.parts.test, data.tokenizer, room=data.packing.max_length - 2
            )
        ],
        notes=list(data.prepared.notes),
    )


def _part_facts(data: PretrainingDataModule, part: Part) -> PartFacts:
    corpus = getattr(data.parts, part)
    return PartFacts(
        documents=corpus.num_documents,
        sentences=corpus.num_sentences,
        tokens=corpus.num_tokens,
        unk_share=data.prepared.unknown_share(corpus),
    )


def _predictable_counts(data: PretrainingDataModule) -> Int64[np.ndarray, " documents"]:
    """Count the tokens of each test document that are ever predicted."""
    test = data.parts.test
    before = np.append(0, np.cumsum(data.vocabulary.maskable[test.tokens]))
    return np.diff(before[test.document_token_offsets])


def _unigram_by_document(
    data: PretrainingDataModule, counts: Int64[np.ndarray, " documents"]
) -> np.ndarray:
    """Sum the surprise of each test document's tokens under the training text's frequencies."""
    test, kept = data.parts.test, data.vocabulary.ordinary_ids
    known = data.token_counts[kept]
    offsets = test.document_token_offsets.tolist()
    nats = np.zeros(len(counts))
    for place in np.flatnonzero(counts).tolist():
        tokens = test.tokens[offsets[place] : offsets[place + 1]]
        seen = np.bincount(tokens, minlength=data.vocab_size)[kept]
        nats[place] = unigram_cross_entropy(known, seen) * counts[place]
    return nats
