"""SuiSei and its family: metrics that learn from ratings how well a caption suits its references and its picture.

    options.py    what a model is and how it is trained
    vectors.py    texts and pictures as vectors; the idf of subwords
    batches.py    rated captions as batches of vectors or of tokens
    heads.py      the equations: suisei, comet, polos, set, residual
    network.py    a head on top of a frozen encoder or of one that is trained along
    blend.py      the head without a network, over other metrics' scores
    training.py   ratings -> split -> network -> model folder
    model.py      a model folder that scores
    metric.py     the metric `suisei(FOLDER)`

SuiSei: 002 of the source documents, which extends COMET by a picture and an idf branch.

Rei, R., Stewart, C., Farinha, A. C., Lavie, A. (2020). COMET: a neural framework for MT evaluation. EMNLP.
Shimanaka, H., Kajiwara, T., Komachi, M. (2018). RUSE: regressor using sentence embeddings for automatic machine
translation evaluation. WMT.
"""
