"""Settings of a `config.json` that change nothing that our model computes.

They belong to heads that are not taken over, to generating text, to how a program runs the model,
to tokenizers, or to the file itself. They are kept, so that a way back gives them as they were.
"""

from __future__ import annotations

_ABOUT_THE_FILE = {
    "_name_or_path",
    "name_or_path",
    "dtype",
    "torch_dtype",
    "transformers_version",
    "language",
    "name",
}
_OF_HEADS = {
    "classifier_dropout",
    "finetuning_task",
    "id2label",
    "label2id",
    "num_labels",
    "_num_labels",
    "problem_type",
    "summary_activation",
    "summary_first_dropout",
    "summary_last_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "type_sequence_label_size",
    "directionality",
    "pooler_fc_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
}
_OF_RUNNING = {
    "_attn_implementation",
    "_attn_implementation_autoset",
    "_attn_implementation_internal",
    "_commit_hash",
    "attn_implementation",
    "chunk_size_feed_forward",
    "gradient_checkpointing",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "return_dict",
    "tf_legacy_loss",
    "torchscript",
    "use_bfloat16",
    "use_cache",
    "xla_device",
}
_OF_TOKENS = {
    "bos_token_id",
    "cls_token_id",
    "decoder_start_token_id",
    "eos_token_id",
    "eos_token_ids",
    "mask_token_id",
    "sep_token_id",
    "tokenizer_class",
    "unk_token_id",
}
_OF_GENERATION = {
    "bad_words_ids",
    "begin_suppress_tokens",
    "diversity_penalty",
    "do_sample",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "length_penalty",
    "max_length",
    "min_length",
    "no_repeat_ngram_size",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_scores",
    "prefix",
    "remove_invalid_values",
    "repetition_penalty",
    "return_dict_in_generate",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
}

HARMLESS = frozenset(_ABOUT_THE_FILE | _OF_HEADS | _OF_RUNNING | _OF_TOKENS | _OF_GENERATION)
