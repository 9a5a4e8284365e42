"""Rows of cells as lines of text, markdown or LaTeX. The first column is text, the others are numbers."""

from __future__ import annotations

from collections.abc import Sequence

Rows = list[list[str]]


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """
    >>> print("\\n".join(aligned(["metric", "score"], [["bleu", "9.10"], ["meteor", "23.45"]])))
    metric  score
    ------  -----
    bleu     9.10
    meteor  23.45
    """
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return [line(header), "  ".join("-" * width for width in widths), *map(line, rows)]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """
    >>> markdown(["metric", "score"], [["  part|1", "9.10"]])
    ['| metric | score |', '| --- | ---: |', '| &nbsp;&nbsp;part\\\\|1 | 9.10 |']
    """
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return ["| " + " | ".join(_markdown_text(cell) for cell in cells) + " |" for cells in lines]


def latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A tabular of cells that are LaTeX already."""
    return [
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\hline",
        " & ".join(header) + r" \\",
        r"\hline",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\hline",
        r"\end{tabular}",
    ]


def latex_text(text: str) -> str:
    r"""
    >>> print(latex_text("  rouge_l 50%"))
    \quad rouge\_l 50\%
    """
    indent = r"\quad " if text.startswith(" ") else ""
    escaped = "".join(_LATEX_ESCAPES.get(character, character) for character in text.strip())
    return indent + escaped.replace(" - ", "--")


def _markdown_text(text: str) -> str:
    indent = len(text) - len(text.lstrip())
    return "&nbsp;" * indent + text.strip().replace("|", "\\|")


_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}
