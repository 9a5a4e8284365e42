"""`python -m kataribe` is the `kataribe` command."""

from kataribe.cli.main import main

main()
