"""Cards and figures as SVG that loads nothing from anywhere."""

import io
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rich's own frame names web fonts and a home page; this one uses the fonts of the reader's machine.
_FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
      <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def card_svg(renderable: RenderableType, title: str, width: int = 100) -> str:
    """Return `renderable` as the text of an SVG of `width` characters, in colour, under `title`."""
    console = Console(
        record=True,
        width=width,
        file=io.StringIO(),
        force_terminal=True,
        force_jupyter=False,  # in a notebook it would show by itself what is only to be recorded
        color_system="truecolor",
        no_color=False,
    )
    console.print(renderable)
    return console.export_svg(title=title, code_format=_FRAME)


def figure_svg(figure: "Figure", **about: str) -> str:
    """Return a figure as SVG that is equal for equal figures.

    Args:
        figure: with a layout that is still to be made, if any.
        about: metadata such as its title.
    """
    # The solver of layouts leaves differences in the last bit from run to run, which become other ids in the file.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (round(number, 6) for number in axes.get_position().bounds)
        axes.set_position((left, bottom, width, height))
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, **about})
    return stream.getvalue()
