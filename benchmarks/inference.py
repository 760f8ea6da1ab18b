"""Sentences to vectors: `encode` against a plain loop over transformers' `BertModel`.

The loop is the usual one: 32 sentences at a time in the order of the file, padded to the longest,
and the mean over real tokens. Both have the same weights, threads and tokenizer, tokenizing
counts in both, and their vectors are compared. Each round has sentences of its own, which both
encode, one after the other; which of them begins alternates.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from benchmarks.corpora import NOVELS
from lit_roberta.data.text.segmentation import segment
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.exchange.tokenizer_files import write_tokenizer
from lit_roberta.exchange.weights import to_theirs
from lit_roberta.inference.encoding import encode
from lit_roberta.inference.text_model import TextModel
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig

BATCH = 32
"""Sentences of the plain loop."""
VOCABULARY = NOVELS.parent / "vocab/bert-base-uncased"
"""BERT's own, where it lies beside the checkout; else one is trained."""

Encode = Callable[[Sequence[str]], np.ndarray]


def real_sentences(count: int, *, source: Path = NOVELS) -> list[str]:
    """Take sentences of novels, in order, as many of each.

    Args:
        count: How many.
        source: A folder of text files.
    """
    paths = sorted(source.glob("*.txt"))
    if not paths:
        raise FileNotFoundError(f"no text files in {source}")
    share = -(-count // len(paths))
    found: list[str] = []
    for path in paths:
        words = path.read_text(encoding="utf-8").split()
        middle = len(words) // 2  # behind the title and the table of contents
        text = " ".join(words[middle : middle + 60 * share])
        found += segment(text, "en")[1 : 1 + share]
    return found[:count]


def build(sentences: Sequence[str], *, layers: int) -> TextModel:
    """Build an encoder of BERT's base size, with random weights."""
    if VOCABULARY.is_dir():
        tokenizer = Tokenizer.from_path(str(VOCABULARY))
    else:
        config = TokenizerConfig(kind="wordpiece", vocab_size=30_522)
        tokenizer = Tokenizer.train(sentences, config)
    encoder = EncoderConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=768,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=3072,
        max_position_embeddings=512,
    )
    bert = BertModel(encoder).eval().requires_grad_(False)
    return TextModel(
        source="random", bert=bert, tokenizer=tokenizer, has_masked_lm_head=True, longest=512
    )


def plain_loop(model: TextModel) -> Encode:
    """Build the rival, with the same weights."""
    from transformers import AutoTokenizer, BertConfig
    from transformers import BertModel as TheirModel

    config = model.bert.config
    with TemporaryDirectory() as folder:
        write_tokenizer(
            model.tokenizer,
            Path(folder),
            family="bert",
            max_length=512,
            second_segment=1,
            keep_joining=False,
        )
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    pad_id = model.tokenizer.vocabulary.pad_id
    settings = BertConfig(  # type: ignore[call-arg]  # it takes what any configuration takes
        vocab_size=config.vocab_size,
        num_hidden_layers=config.num_hidden_layers,
        pad_token_id=pad_id,
        attn_implementation="sdpa",
    )
    theirs: Any = TheirModel(settings, add_pooling_layer=False)
    theirs.eval()
    weights = to_theirs(
        {name: weight for name, weight in model.bert.state_dict().items() if "head" not in name},
        {},
        family="bert",
        num_layers=config.num_hidden_layers,
        pad_id=pad_id,
    )
    theirs.load_state_dict({name.removeprefix("bert."): each for name, each in weights.items()})

    @torch.inference_mode()
    def run(sentences: Sequence[str]) -> np.ndarray:
        found = []
        for start in range(0, len(sentences), BATCH):
            texts = list(sentences[start : start + BATCH])
            batch = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
            states = theirs(**batch).last_hidden_state
            real = batch["attention_mask"][:, :, None]
            found.append(((states * real).sum(dim=1) / real.sum(dim=1)).numpy())
        return np.concatenate(found)

    return run


def timed(run: Encode, sentences: Sequence[str]) -> tuple[float, np.ndarray]:
    """Give the seconds that it takes, and the vectors."""
    start = time.perf_counter()
    vectors = run(sentences)
    return time.perf_counter() - start, vectors


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser("encode", description=__doc__, allow_abbrev=False)
    parser.add_argument("--sentences", type=int, default=10_000, help="of all rounds together")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--layers", type=int, default=12)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    sentences = real_sentences(options.sentences)
    model = build(sentences, layers=options.layers)
    rivals: list[Encode] = [lambda texts: encode(model, texts), plain_loop(model)]
    for run in rivals:
        run(sentences[:BATCH])  # the first products of a shape are slow
    lengths = [len(model.tokenizer.encode(text)) for text in sentences]
    print(
        f"{len(sentences):,} sentences of {statistics.mean(lengths):.0f} tokens in the mean, "
        f"{options.layers} layers, hidden size 768, fp32, threads: {options.threads}"
    )
    print("round      ours      peer   ratio   (sentences per second)")
    seconds = np.zeros((options.rounds, 2))
    for number in range(options.rounds):
        # Evenly from all novels.
        own = sentences[number :: options.rounds]
        vectors = {}
        for rival in (0, 1) if number % 2 == 0 else (1, 0):
            seconds[number, rival], vectors[rival] = timed(rivals[rival], own)
        np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-3, atol=1e-4)
        ours, theirs = len(own) / seconds[number]
        print(f"{number + 1:5} {ours:9.1f} {theirs:9.1f} {ours / theirs:6.2f}x", flush=True)
    ours, theirs = len(sentences) / seconds.sum(axis=0)
    print(f"  all {ours:9.1f} {theirs:9.1f} {ours / theirs:6.2f}x")


if __name__ == "__main__":
    main(sys.argv[1:])
