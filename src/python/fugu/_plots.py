"""Tables of S-boxes as heat maps on matplotlib's axes. matplotlib is needed only where no axes are given."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import numpy.typing as npt

from ._sbox import SBox, Scale


def _axes_of(axes: Any) -> Any:
    if axes is not None:
        return axes
    try:
        pyplot = importlib.import_module("matplotlib.pyplot")
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install matplotlib") from error
    return pyplot.subplots()[1]


def _draw(axes: Any, table: npt.NDArray[Any], title: str, says: str, signed: bool) -> Any:
    """The largest entry outside row 0 and column 0, which are the same for every box, has the darkest colour."""
    axes = _axes_of(axes)
    shown = table if signed else np.abs(table)
    largest = max(1, int(np.abs(table[1:, 1:]).max(initial=0)))
    image = axes.imshow(
        shown, cmap="RdBu" if signed else "Greys", vmin=-largest if signed else 0, vmax=largest, interpolation="nearest"
    )
    axes.set_title(f"{title}, {says}")
    axes.set_xlabel("b")
    axes.set_ylabel("a")
    axes.figure.colorbar(image, ax=axes, extend="both" if signed else "max")
    return axes


def _kind(signed: bool) -> str:
    return "signed values" if signed else "absolute values"


def plot_lat(box: SBox, axes: Any = None, *, scale: Scale = "walsh", signed: bool = False) -> Any:
    """Draws the LAT on ``axes``, or on new ones, and returns them: W(a,b), or W/2 with ``scale`` "bias"; absolute or ``signed``."""
    return _draw(axes, box.lat(scale), "LAT", f"{_kind(signed)} of {'W' if scale == 'walsh' else 'W/2'}", signed)


def plot_ddt(box: SBox, axes: Any = None) -> Any:
    """Draws the DDT on ``axes``, or on new ones, and returns them."""
    return _draw(axes, box.ddt(), "DDT", "counts", False)


def plot_act(box: SBox, axes: Any = None, *, signed: bool = False) -> Any:
    """Draws the autocorrelation table on ``axes``, or on new ones, and returns them; absolute or ``signed``."""
    return _draw(axes, box.act(), "ACT", _kind(signed), signed)


def plot_bct(box: SBox, axes: Any = None) -> Any:
    """Draws the BCT on ``axes``, or on new ones, and returns them."""
    return _draw(axes, box.bct(), "BCT", "counts", False)
