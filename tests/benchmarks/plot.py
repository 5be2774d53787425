"""The plot of a run: for each row a bar from what is to be reached to what was measured, on a scale of doublings.

To the right is better, whichever way a row counts. Written by hand as SVG, so that it needs nothing and differs from run
to run in nothing but its figures; its colours follow the reader's choice of light or dark.
"""

from __future__ import annotations

from html import escape
from math import log2

from tests.benchmarks.effort import Effort
from tests.benchmarks.report import Report
from tests.benchmarks.rows import ROWS, Row, Verdict

WIDTH, ROW, TOP, BOTTOM = 960, 22, 64, 28
LEFT, RIGHT = 500, 24
"""Where the bars may begin, and what is kept free behind them."""
LEAST, MOST = -2, 5
"""The ends of the scale, as powers of two; what lies beyond is drawn at the end."""

STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #24292f }
.quiet { fill: #57606a }
.grid { stroke: #d0d7de }
.reach { stroke: #24292f; stroke-width: 1.5 }
.mark { stroke: #24292f; stroke-width: 2 }
.stretch { fill: #1a7f37 }
.yes { fill: #54aeff }
.no { fill: #cf222e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.quiet { fill: #8d96a0 }
.grid { stroke: #30363d }
.reach, .mark { stroke: #e6edf3 }
.stretch { fill: #3fb950 }
.yes { fill: #388bfd }
.no { fill: #f85149 }
}"""


def svg(report: Report, effort: Effort) -> str:
    """The plot of the rows that were measured."""
    rows = [(row, value) for row in ROWS if (value := report.value(row)) is not None]
    height = TOP + ROW * len(rows) + BOTTOM
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title">',
        '<title id="title">What was measured, in times better than what is to be reached</title>',
        f"<style>\n{STYLE}\n</style>",
        *_legend(),
        *_scale(height),
    ]
    for place, (row, value) in enumerate(rows):
        parts += _bar(row, value, effort, TOP + ROW * place)
    return "\n".join([*parts, "</svg>", ""])


def place_of(gain: float) -> float:
    """Where a gain lies on the scale, in pixels from the left."""
    power = min(max(log2(gain), LEAST), MOST)
    return round(LEFT + (power - LEAST) * (WIDTH - RIGHT - LEFT) / (MOST - LEAST), 1)


def _legend() -> list[str]:
    parts = ['<text x="8" y="20">times better than what is to be reached (1); the mark is the stretch</text>']
    for number, (kind, text) in enumerate((("no", "missed"), ("yes", "reached"), ("stretch", "stretch reached"))):
        x = LEFT + 100 * number
        parts.append(f'<rect class="{kind}" x="{x}" y="10" width="12" height="12"/>')
        parts.append(f'<text x="{x + 18}" y="20">{text}</text>')
    return parts


def _scale(height: int) -> list[str]:
    parts = []
    for power in range(LEAST, MOST + 1):
        x = place_of(2.0**power)
        kind = "reach" if power == 0 else "grid"
        text = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<line class="{kind}" x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - BOTTOM + 4}"/>')
        parts += [
            f'<text class="quiet" x="{x}" y="{y}" text-anchor="middle">{text}</text>' for y in (TOP - 14, height - 8)
        ]
    return parts


def _bar(row: Row, value: float, effort: Effort, y: int) -> list[str]:
    begin, end = sorted((place_of(1), place_of(row.gain(value))))
    stretch = place_of(row.gain(row.stretch))
    kind = {Verdict.MISSED: "no", Verdict.REACHED: "yes", Verdict.STRETCHED: "stretch"}[row.verdict(value)]
    what = escape(effort.text(row.what).replace("`", ""))
    return [
        f'<text x="{LEFT - 12}" y="{y + 15}" text-anchor="end">{what}</text>',
        f'<rect class="{kind}" x="{begin}" y="{y + 4}" width="{round(max(end - begin, 1), 1)}" height="{ROW - 8}"/>',
        f'<line class="mark" x1="{stretch}" y1="{y + 2}" x2="{stretch}" y2="{y + ROW - 2}"/>',
    ]
