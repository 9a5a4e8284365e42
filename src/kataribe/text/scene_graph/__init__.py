"""Scene graphs of Japanese captions: what there is, what it is like, and what it does to what.

    graph        the graph and its tuples
    categories   what kind of thing a word names, from a dictionary
    phrases      a dependency tree as the rules read it: phrases with their cases
    rules        phrases -> graph
    ginza        texts -> graphs, with GiNZA as the parser
"""
