"""SuiSei and its family: metrics that learn from ratings how well a caption suits its references and its picture.

    options.py         what a model is and how it is trained
    vectors.py         texts and pictures as vectors; the idf of subwords
    batches.py         captions as batches of vectors or of tokens
    heads.py           the equations: suisei, comet, polos, set, residual
    network.py         a head on top of vectors or of an encoder that is trained along; the losses
    blend.py           the head without a network, over other metrics' scores

    material.py        rated captions -> parts that share nothing, and negatives
    training.py        rated captions -> a model folder; the two kinds of model:
    train_networks.py    networks, one for each seed
    train_blend.py       weighted sums of metrics
    runs.py            what both kinds of training take and give

    metric.py          the metric `suisei(FOLDER)`
    model.py           a model folder that is opened; the two kinds:
    network_model.py     networks and their encoders
    blend_model.py       a blend and its metrics

SuiSei: 002 of the source documents, which extends COMET by a picture and an idf branch.

Rei, R., Stewart, C., Farinha, A. C., Lavie, A. (2020). COMET: a neural framework for MT evaluation. EMNLP.
Shimanaka, H., Kajiwara, T., Komachi, M. (2018). RUSE: regressor using sentence embeddings for automatic machine
translation evaluation. WMT.
"""
