"""Models in and out: ours, Hugging Face's and fairseq's, each conversion checked by numbers."""
