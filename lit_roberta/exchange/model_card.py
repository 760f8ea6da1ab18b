"""The README.md of an exported model: what it is, how to load it, and what is known of its run.

In: the model, where it went, and what was checked. Out: Markdown. What was not measured is said
to be so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lit_roberta.exchange.architectures import Home
from lit_roberta.exchange.finetuning_card import code, finetuning_rows
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.run_facts import FinetuningFacts, RunFacts
from lit_roberta.exchange.tasks import CLASSES

CONFIG = "training_config.yaml"
"""The run's configuration, beside the card."""

_PIPELINES = {"sequence-classification": "text-classification"}
"""What the hub calls a task where it has another name."""
_EMBEDDING = """```python
from sentence_transformers import SentenceTransformer

vectors = SentenceTransformer(".").encode(["A text.", "Another."])  # means of tokens' vectors
```

Where the model was only pretrained, they are a start for training on pairs of sentences."""
_NAMED = 20
"""Labels that are listed."""
_NOT_RECORDED = "not recorded"
_MEASURES = {
    "val/masked_lm_loss": "nats per masked token",
    "val/unigram_loss": "what word frequencies alone would lose",
    "val/perplexity": "perplexity",
    "val/masked_lm_accuracy": "of the masked tokens predicted",
    "val/next_sentence_accuracy": "of the pairs judged rightly",
    "general/masked_lm_loss": "nats per masked token of general text",
}


def model_card(
    home: Home,
    pretrained: Pretrained,
    *,
    name: str,
    checked: str,
    notices: Sequence[str],
    embeds: bool = False,
) -> str:
    """Write the card.

    Args:
        home: Where the model went.
        pretrained: The model.
        name: Of the folder.
        checked: What was checked, a sentence.
        notices: What was left out, a line each.
        embeds: Whether sentence-transformers loads it.
    """
    parts = [
        _front_matter(home, pretrained, embeds=embeds),
        f"# {name}",
        _what(home, pretrained),
        "## How to load it",
        *([_EMBEDDING] if embeds else []),
        _loading(home, pretrained),
        checked,
        "The licence is for whoever publishes the model to choose.",
        *(["## On the way here", _list(notices)] if notices else []),
        "## Training",
        *_training(pretrained),
        "## Sizes",
        _table(_sizes(home, pretrained)),
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(home: Home, pretrained: Pretrained, *, embeds: bool) -> str:
    lines = ["library_name: " + ("sentence-transformers" if embeds else "transformers")]
    if embeds:
        lines.append("pipeline_tag: sentence-similarity")
    elif pretrained.task is not None:
        lines.append(f"pipeline_tag: {_PIPELINES.get(pretrained.task.kind, pretrained.task.kind)}")
    elif pretrained.has_masked_lm_head:
        lines.append("pipeline_tag: fill-mask")
        if pretrained.tokenizer is not None:
            lines.append(f'mask_token: "{pretrained.tokenizer.special_tokens.mask_token}"')
    is_masked_lm = pretrained.has_masked_lm_head and pretrained.task is None
    tags = ["lit_roberta", home.family, *(["masked-lm"] if is_masked_lm else [])]
    tags += ["sentence-transformers"] * embeds
    return "\n".join(["---", *lines, "tags:", *(f"- {tag}" for tag in tags), "---"])


def _what(home: Home, pretrained: Pretrained) -> str:
    origin = "exported by" if pretrained.run is None else "trained by"
    if pretrained.finetuning is not None:
        origin = "fine-tuned by"
    return (
        f"`{home.architecture}`, {origin} lit_roberta from `{code(pretrained.source)}`. "
        "It loads with the classes of `transformers` and runs no other code."
    )


def _loading(home: Home, pretrained: Pretrained) -> str:
    auto = "AutoModelForMaskedLM" if pretrained.has_masked_lm_head else "AutoModel"
    if pretrained.task is not None:
        auto = "AutoModel" + CLASSES[pretrained.task.kind]
    if home.architecture == "BertForNextSentencePrediction":
        auto = "AutoModelForNextSentencePrediction"
    lines = ["```python", f"from transformers import {auto}, AutoTokenizer", ""]
    lines.append(f'model = {auto}.from_pretrained(".")  # this folder')
    if pretrained.tokenizer is not None:
        lines.append('tokenizer = AutoTokenizer.from_pretrained(".")')
    lines.append("```")
    if home.architecture == "RobertaForMaskedLM":
        lines += ["", "With transformers 4.51 or newer: 4.49 loses the bias of the masked-LM head"]
        lines.append("of every RoBERTa that it loads, without a word.")
    if home.architecture == "BertForPreTraining":
        lines += ["", "With `AutoModelForPreTraining` it judges next sentences, too: class 0 says"]
        lines.append("that the second text follows the first.")
    return "\n".join(lines)


def _training(pretrained: Pretrained) -> Iterator[str]:
    run = pretrained.finetuning or pretrained.run
    if run is None:
        yield "Not trained here: what it was trained on is not known."
        return
    if isinstance(run, FinetuningFacts):
        yield _table(list(finetuning_rows(run)))
    else:
        yield _table([*_objective(run), *_budget(run), *_losses(run)])
    if run.config is None:
        yield "The run's configuration was not beside its checkpoint."
        return
    text = "examples lie" if isinstance(run, FinetuningFacts) else "text lies"
    yield f"`{CONFIG}` is the run's configuration. Where its {text}, this makes it again:"
    yield (
        f"```\nlit-roberta train fit --config {CONFIG} --ckpt_path null "
        "--trainer.default_root_dir reproduced\n```"
    )


def _objective(run: RunFacts) -> Iterator[tuple[str, str]]:
    conditions = run.conditions
    if run.started_from is not None:
        yield "started from", f"`{code(run.started_from)}`"
    copies = conditions["data.masking.copies"]
    masks = "drawn anew at each visit" if copies is None else f"{copies} fixed for each example"
    objective = f"masked language modelling, {float(conditions['data.masking.rate']):.0%} of the"
    objective += f" tokens, masks {masks}"
    if run.settings["next_sentence"]:
        objective += "; next-sentence prediction"
    yield "objective", objective
    yield "input format", f"{conditions['data.format']}, up to {run.max_length} tokens"
    yield "corpus", f"`{code(str(conditions['data.corpus']))}`, digest `{conditions['text']}`"
    held_out = [run.text[f"{part}_corpus"] for part in ("validation", "test")]
    split = f"by {run.text['split_by']}, by a hash of each one's content"
    named = [f"`{code(str(text))}`" for text in held_out if text is not None]
    yield "held out", ", ".join([split, *named] if None in held_out else named)


def _budget(run: RunFacts) -> Iterator[tuple[str, str]]:
    yield "updates", f"{run.updates:,} of {run.total_updates:,}"
    sequences = run.num_sequences
    yield "sequences", _NOT_RECORDED if sequences is None else f"{sequences:,}"
    yield "tokens", f"{run.num_tokens:,}, without padding"
    optimizer, schedule = run.settings["optimizer"], run.settings["schedule"]
    yield "batch", f"{run.conditions['data.batch_size']:,} sequences an update"
    yield "learning rate", f"{optimizer['lr']:g} at its highest, {schedule['kind']}"
    yield "seed", str(run.conditions["seed_everything"])
    processes = run.conditions["processes"]
    machine = f"{processes} process{'es' * (processes != 1)}, {run.conditions['device']}"
    yield "machine", f"{machine}, precision {run.conditions['precision']}"


def _losses(run: RunFacts) -> Iterator[tuple[str, str]]:
    loss = run.training_loss
    yield (
        "training loss",
        "not measured" if loss is None else f"{loss:.3f} nats per masked token, last epoch",
    )
    if run.started_from is not None:
        yield "validation before the first update", _measured(run.before)
    update = run.validated.get("update")
    when = "" if update == run.updates else f", at update {update:,.0f}" if update else ""
    yield "validation" + when, _measured(run.validated)
    yield "test", "not measured"


def _measured(values: Mapping[str, int | float]) -> str:
    found = [f"{values[name]:.3f} {what}" for name, what in _MEASURES.items() if name in values]
    return "; ".join(found) or "not measured"


def _sizes(home: Home, pretrained: Pretrained) -> Iterator[tuple[str, str]]:
    encoder = home.encoder
    yield "parameters", f"{sum(weight.numel() for weight in home.weights.values()):,}"
    yield "layers", f"{encoder.num_hidden_layers}"
    yield "width", f"{encoder.hidden_size}, {encoder.num_attention_heads} attention heads"
    yield "positions", f"{encoder.max_position_embeddings}"
    tokenizer = pretrained.tokenizer
    kind = "none came with it" if tokenizer is None else f"{tokenizer.vocab_size:,} entries"
    if tokenizer is not None and pretrained.run is not None:
        kind = f"{pretrained.run.text['tokenizer']['kind']}, {kind}"
    yield "tokenizer", kind
    task = pretrained.task
    if task is not None and task.labels:
        named = ", ".join(map(code, task.labels[:_NAMED])) + ", ..." * (len(task.labels) > _NAMED)
        yield "labels", f"{len(task.labels):,}: {named}"


def _table(rows: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {what} | {value} |" for what, value in rows)])


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
