"""Tiny models on their way out, one for each class that they become, nothing in them zero."""

from __future__ import annotations

from functools import cache

import torch

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.bert import BertModel
from tests.model.examples import randomize, tiny_config

ARCHITECTURES = (
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertForNextSentencePrediction",
    "BertModel",
    "RobertaForMaskedLM",
    "RobertaModel",
)
SENTENCES = [
    "I like you.",
    "We like the dog, and the dog likes us.",
    "The dog slept under the table while it rained.",
    "You and I walk to the old mill.",
] * 3


@cache
def tiny_tokenizer(kind: TokenizerKind = "word") -> Tokenizer:
    size = None if kind == "word" else 320
    return Tokenizer.train(SENTENCES, TokenizerConfig(kind=kind, vocab_size=size))


def tiny_pretrained(
    architecture: str,
    *,
    kind: TokenizerKind = "word",
    next_sentence_without_pooler: bool = False,
    seed: int = 0,
) -> Pretrained:
    """Build a model that becomes a class of `transformers`."""
    is_bert = architecture.startswith("Bert")
    pools = "MaskedLM" not in architecture
    judges = pools or next_sentence_without_pooler
    tokenizer = tiny_tokenizer(kind)
    encoder = tiny_config(
        vocab_size=tokenizer.vocab_size,
        tanh_pooler=pools,
        layer_norm_eps=1e-12 if is_bert else 1e-5,
    )
    model = BertModel(encoder, next_sentence=judges)
    randomize(model, seed=seed)
    left_out = [] if "LM" in architecture or "PreTraining" in architecture else ["masked_lm"]
    if architecture.endswith("Model"):
        left_out.append("next_sentence_head.classifier")
    return Pretrained(
        source="a test",
        family="bert" if is_bert else "roberta",
        encoder=encoder,
        weights={
            name: weight
            for name, weight in model.state_dict().items()
            if not name.startswith(tuple(left_out))
        },
        tokenizer=tokenizer,
    )


def random_ids(pretrained: Pretrained, *, seed: int = 0) -> tuple[torch.Tensor, ...]:
    """Give ids, segments and the mask of rows of different lengths, one of them the longest."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.tensor([pretrained.encoder.max_position_embeddings, 9, 2])
    columns = torch.arange(int(lengths.max()))
    real = columns < lengths[:, None]
    size = pretrained.encoder.vocab_size
    ids = torch.randint(1, size, real.shape, generator=generator)
    second = (columns >= lengths[:, None] // 2) & real
    return ids.where(real, pretrained.pad_id), second.long(), real
