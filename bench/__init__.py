"""Speed and memory beside the original tools, in one run, as ratios; and how far intervals can be trusted.

`python -m bench --help`.

One module per task, each with `measure(options) -> Section`; `bench.__main__.ROOMS` lists them.
"""
