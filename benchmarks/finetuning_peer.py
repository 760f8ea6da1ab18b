"""Fine-tuning by transformers' own classes: the peer of `benchmarks.finetuning`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lit_roberta.batch import IGNORE_INDEX

_STRIDE = 128


def train(
    model: str,
    task: str,
    examples: Sequence[Any],
    *,
    labels: Sequence[str],
    folder: Path,
    lr: float,
    epochs: int,
    batch_size: int,
    max_length: int,
    seed: int,
) -> None:
    """Train with `Trainer`, and save what comes of it with `save_pretrained`."""
    import transformers as theirs

    theirs.logging.set_verbosity(40)
    theirs.set_seed(seed)
    tokenizer = theirs.AutoTokenizer.from_pretrained(model)
    classes: dict[str, Any] = {
        "classification": theirs.AutoModelForSequenceClassification,
        "tagging": theirs.AutoModelForTokenClassification,
        "question-answering": theirs.AutoModelForQuestionAnswering,
    }
    collators: dict[str, Any] = {
        "tagging": theirs.DataCollatorForTokenClassification,
    }
    id2label = dict(enumerate(labels))
    named = {"id2label": id2label, "label2id": {b: a for a, b in id2label.items()}}
    network = classes[task].from_pretrained(model, **(named if labels else {}))
    rows = _ENCODERS[task](tokenizer, examples, list(labels), max_length)
    trainer = theirs.Trainer(
        model=network,
        args=theirs.TrainingArguments(
            output_dir=str(folder / "run"),
            per_device_train_batch_size=batch_size,
            learning_rate=lr,
            num_train_epochs=epochs,
            lr_scheduler_type="linear",
            warmup_steps=round(0.06 * epochs * -(-len(rows) // batch_size)),
            weight_decay=0.01,
            adam_epsilon=1e-6,
            max_grad_norm=1.0,
            logging_steps=10**9,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            seed=seed,
        ),
        train_dataset=rows,
        data_collator=collators.get(task, theirs.DataCollatorWithPadding)(tokenizer),
    )
    trainer.train()
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _texts(tokenizer: Any, examples: Any, labels: list[str], max_length: int) -> list[Any]:
    texts = [[example.text for example in examples]]
    if examples[0].pair is not None:
        texts.append([example.pair for example in examples])
    rows = tokenizer(*texts, truncation=True, max_length=max_length)
    targets = [labels.index(str(example.label)) for example in examples]
    return _as_rows(rows, {"labels": targets})


def _words(tokenizer: Any, examples: Any, labels: list[str], max_length: int) -> list[Any]:
    words = [list(example.words) for example in examples]
    rows = tokenizer(words, is_split_into_words=True, truncation=True, max_length=max_length)
    targets = []
    for number, example in enumerate(examples):
        before, target = None, []
        for word in rows.word_ids(number):
            is_first = word is not None and word != before
            target.append(labels.index(example.tags[word]) if is_first else IGNORE_INDEX)
            before = word
        targets.append(target)
    return _as_rows(rows, {"labels": targets})


def _questions(tokenizer: Any, examples: Any, labels: list[str], max_length: int) -> list[Any]:
    rows = tokenizer(
        [example.question for example in examples],
        [example.context for example in examples],
        truncation="only_second",
        max_length=max_length,
        stride=min(_STRIDE, max_length // 3),
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    starts, ends = [], []
    for window, number in enumerate(rows.pop("overflow_to_sample_mapping")):
        offsets, parts = rows["offset_mapping"][window], rows.sequence_ids(window)
        start, end = _places(examples[number], offsets, parts)
        starts.append(start)
        ends.append(end)
    rows.pop("offset_mapping")
    return _as_rows(rows, {"start_positions": starts, "end_positions": ends})


def _places(example: Any, offsets: Any, parts: Any) -> tuple[int, int]:
    if not example.answers:
        return 0, 0
    begin = example.answers[0].start
    finish = begin + len(example.answers[0].text)
    places = [place for place, part in enumerate(parts) if part == 1]
    if offsets[places[0]][0] > begin or offsets[places[-1]][1] < finish:
        return 0, 0
    start = max(place for place in places if offsets[place][0] <= begin)
    end = min(place for place in places if offsets[place][1] >= finish)
    return start, end


def _as_rows(rows: Any, targets: dict[str, list[Any]]) -> list[Any]:
    columns = {**rows, **targets}
    return [
        {name: column[number] for name, column in columns.items()}
        for number in range(len(columns["input_ids"]))
    ]


_ENCODERS: dict[str, Callable[[Any, Any, list[str], int], list[Any]]] = {
    "classification": _texts,
    "tagging": _words,
    "question-answering": _questions,
}
