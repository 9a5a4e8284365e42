"""Generated pictures of shapes with rated captions: what a metric that looks at pictures can be tested on.

scene        what is in a picture
drawing      the picture itself
description  what a caption says, how much of it is true, and the rule of the ratings
kinds        what captions of each kind say
english, japanese   the same in words
telling      references and captions of a picture, no text twice
raters       simulated raters
dataset      the whole set; files writes it, summary counts it
"""
