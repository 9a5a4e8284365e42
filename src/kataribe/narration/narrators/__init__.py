"""Narrators: models that tell what is seen in a span of a film, by the names of its roles.

protocol.py      what a narrator is, and how one is opened
trivial.py       those that never look
options.py       what a model is, how it is trained, how it searches for words

transformer.py   the encoder and decoder of all of them
memory.py        OVP's video memory
pointer.py       RMN's role pointer
network.py       VT, OVP and RMN, composed of these
losses.py        what they are trained by
critical.py      the second stage, with CIDEr as reward

vocabulary.py    texts as tokens and back
examples.py      clips as arrays
search.py        greedy and beam search
model.py         a model folder, and the narrator it makes
training.py      a corpus and its features -> a model folder
scoring.py       what is told, by the metrics of the registry
ablation.py      the table of the paper
"""
