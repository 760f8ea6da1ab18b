"""The words at a mask: what `BertModel` says there, with its weights and nothing besides."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.model.bert import BertModel
from lit_roberta.model.cloze import ClozeModel
from tests.model.examples import CLS, VOCAB, randomize, tiny_config

MASK = 4
WORDS = (VOCAB - 1, 6, 11)
PLACES = (1, 4, 7)


def rows_of(length: int) -> Tensor:
    ids = torch.randint(5, VOCAB, (3, length), generator=torch.Generator().manual_seed(length))
    ids[:, 0] = CLS
    ids[torch.arange(3), torch.tensor(PLACES)] = MASK
    return ids


def models() -> tuple[ClozeModel, BertModel]:
    config = tiny_config()
    cloze, whole = ClozeModel(config, mask_id=MASK, word_ids=WORDS), BertModel(config)
    randomize(whole)
    cloze.load_state_dict(whole.state_dict())  # the same names, and no others
    return cloze.eval(), whole.eval()


@pytest.mark.parametrize("has_segments", [False, True])
@pytest.mark.parametrize("is_padded", [False, True])
def test_its_logits_are_those_of_the_words_at_the_mask(
    has_segments: bool, is_padded: bool
) -> None:
    cloze, whole = models()
    ids = rows_of(9)
    segments = (torch.arange(9) > 4).long().expand(3, 9) if has_segments else None
    mask = torch.arange(9) < torch.tensor([[9], [8], [9]]) if is_padded else None
    found = cloze(ids, segments, mask)
    every = whole(ids, segments, mask).mlm_logits
    wanted = torch.stack([every[row, place, WORDS] for row, place in enumerate(PLACES)])
    assert_close(found, wanted)
    assert wanted.std() > 0.01


def test_every_weight_learns() -> None:
    cloze, _ = models()
    loss = torch.nn.functional.cross_entropy(cloze(rows_of(9)), torch.tensor([0, 1, 2]))
    loss.backward()  # type: ignore[no-untyped-call]
    for name, weight in cloze.named_parameters():
        assert weight.grad is not None, name
        # a shift of all keys changes no attention
        assert weight.grad.any() or "key" in name, name


def test_a_seed_gives_what_it_gives_the_whole_model() -> None:
    config = tiny_config()
    one = ClozeModel(config, mask_id=MASK, word_ids=WORDS, seed=3).state_dict()
    other = BertModel(config, seed=3).state_dict()
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)
