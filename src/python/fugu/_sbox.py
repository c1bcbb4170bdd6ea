"""S-boxes: their properties."""

from __future__ import annotations

import numpy as np

from ._field import Field
from ._properties import BoxProperties
from ._sbox_tables import BoxTables


class SBox(BoxTables, BoxProperties):
    """A vectorial Boolean function S from n to m bits, 1 <= n <= 20, 1 <= m <= 32.

    ``values``: S(0), S(1), ... as a sequence or array of integers, or an SBox of SageMath; or an array on a GPU, where
    they are checked and stay: 4 MiB at most, of the SBox's own. "auto" is then that GPU.
    ``inputs``, ``outputs``: n and m. n is by default log2 of the number of values; m is n, if the largest value has n
    bits, or the bits of the largest value, if at least a quarter of the values have more than n. UsageError otherwise:
    ``outputs`` is then required.

    Bit i of an input x is x_i, bit j of S(x) is y_j, bit 0 the least significant. The component b is the parity of
    b & S(x). N = 2^n. W(a,b) = sum over x of (-1)^(b.S(x) + a.x), delta(a,b) = #{x: S(x) + S(x+a) = b},
    r(a,b) = sum over x of (-1)^(b.(S(x) + S(x+a))). Properties are computed when they are first asked for, once;
    those over all components need m <= 20. Histograms are dicts, value -> how often, ascending.
    ``engine``: on "cuda:N" the GPU measures what it has kernels for: components and their degrees, the DDT and the
    autocorrelation (m <= 20), the boomerang properties of permutations, the transparency order, and the exhaustive
    properties (n <= 8, m >= 8).
    Everything else reads the values on the host, from one copy that is made when it is first asked for: the values
    themselves, tables and act_histogram, other boxes and functions, image to involution, inverse_degree, equations,
    immunity_histogram, avalanche, strict_avalanche and pair_changes_sum, structures, anomalies and ranks.
    ``stream``: for values on a GPU, the CUDA stream to work on; the current one of their library by default.
    """

    avalanche = Field(
        lambda s: np.array(s._session.changes()).reshape(s.inputs, s.outputs),
        "#{x: y_j changes when x_i does}: shape (n, m) (Webster and Tavares 1985).",
    )
    equations = Field[tuple[int | None, int | None, int | None]](
        lambda s: tuple(s._session.value(f"eq{degree}") for degree in (1, 2, 3)),
        "Independent equations of degree 1, 2 and 3 or less that hold at every (x, S(x)) (Courtois and Pieprzyk 2002); "
        "None where n + m is above 24 for degree 2, 20 for degree 3.",
    )
    ortho_derivative = Field["SBox | None"](
        lambda s: None if (box := s._box.ortho_derivative()) is None else SBox._of_box(box, s._device),
        "Of quadratic APN functions (Canteaut, Couvreur and Perrin 2022); None of others.",
    )
