"""The toy corpus: `corpus.txt`, a graded reader about one village, one sentence a line.

Some 200 little documents of two to eight sentences, a blank line between them, that tell of a
farm, a school, a boat, a baker and the weather with fewer than 600 words. It was written
sentence by sentence, not by a template or a program, so that what comes next follows from what
stands there: the same people keep their trades, causes come before effects, and a pronoun has
somebody to refer to. Every word occurs at least four times in at least three documents, no
sentence occurs twice, and hardly any run of five words does, so a model that predicts held-out
text has learned the language and not the lines. It is under the package's licence, Apache-2.0.
"""
