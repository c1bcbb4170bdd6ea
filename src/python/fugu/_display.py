"""S-boxes as HTML and LaTeX."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

_MAX_PICTURE_BITS = 8


def png(grey: npt.NDArray[np.uint8]) -> bytes:
    """A picture, a byte per cell."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in grey)  # each without a filter
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _grid(box: Any) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the values in hexadecimal, 16 to a row, each after its first x."""
    values = box.values.tolist()
    width, digits = min(16, len(values)), (box.outputs + 3) // 4
    rows = [[f"{x:x}", *(f"{value:0{digits}x}" for value in values[x : x + width])] for x in range(0, len(values), width)]
    return ["", *(f"{x:x}" for x in range(width))], rows


def html_of(box: Any) -> str:
    """The values, of up to 8 inputs, and the magnitudes of the LAT as a picture, of up to 8 inputs and outputs."""
    text = f"<p>S-box of {box.inputs} inputs and {box.outputs} outputs</p>"
    if box.inputs <= _MAX_PICTURE_BITS:
        headings, rows = _grid(box)
        text += "<table><tr>" + "".join(f"<th>{cell}</th>" for cell in headings) + "</tr>"
        for first, *cells in rows:
            text += f"<tr><th>{first}</th>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        text += "</table>"
    if max(box.inputs, box.outputs) <= _MAX_PICTURE_BITS:
        magnitudes = np.abs(box.lat())
        magnitudes[:, 0] = 0  # W(0, 0) = N
        grey = 255 - (magnitudes * (255 / max(1, magnitudes.max()))).astype(np.uint8)
        picture = base64.b64encode(png(grey)).decode()
        text += (
            f'<img src="data:image/png;base64,{picture}" width="256" style="image-rendering: pixelated" '
            f'alt="|W(a,b)|, a down, b to the right, black is {magnitudes.max()}"/>'
        )
    return text


def latex_of(box: Any, table: str | None) -> str:
    """A tabular of the values, or of a table."""
    if table is None:
        headings, rows = _grid(box)
    else:
        entries = getattr(box, table)().tolist()
        headings = ["", *(f"{b:x}" for b in range(len(entries[0])))]
        rows = [[f"{a:x}", *map(str, row)] for a, row in enumerate(entries)]
    lines = [" & ".join(row) + r" \\" for row in (headings, *rows)]
    return "\n".join([rf"\begin{{tabular}}{{r|*{{{len(headings) - 1}}}{{r}}}}", lines[0], r"\hline", *lines[1:], r"\end{tabular}", ""])
