"""Scene graphs of Japanese captions: what there is, what it is like, and what it does to what.

    graph        the graph and its tuples
    lexicon      the word lists behind the rules
    categories   what kind of thing a word names, from a dictionary
    tokens       words of a dependency tree read together
    phrases      the tree as the rules read it: phrases with their cases
    rules        phrases -> graph
    ginza        texts -> graphs, with GiNZA as the parser
    cache        graphs of texts that were parsed before

Only `tokens`, `phrases` and `ginza` know the parser.
"""
