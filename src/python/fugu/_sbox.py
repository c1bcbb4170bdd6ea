"""S-boxes: their properties."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from . import _fugu
from ._field import Field
from ._sbox_tables import BoxTables


def _histogram(values: Any) -> dict[int, int]:
    """Value -> count, without the first, which belongs to b = 0."""
    found, counts = np.unique(np.asarray(values)[1:], return_counts=True)
    return {int(value): int(count) for value, count in zip(found, counts, strict=True)}


class SBox(BoxTables):
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

    # Groups of properties.

    def _measuring(self, has_kernels: bool) -> _fugu.DeviceBox | _fugu.SBox:
        """The box on the GPU, if one was chosen and has kernels for this shape; otherwise that of the host."""
        return self._on_gpu if has_kernels and self._on_gpu is not None else self._box

    @property
    def _for_tables(self) -> _fugu.DeviceBox | _fugu.SBox:
        return self._measuring(_fugu.has_table_kernels(self._outputs))

    @cached_property
    def _basic(self) -> _fugu.Basic:
        return self._box.basic()

    @cached_property
    def _differential(self) -> _fugu.Differential:
        return self._for_tables.differential()

    @cached_property
    def _linear(self) -> _fugu.Linear:
        return self._for_tables.linear()

    @cached_property
    def _autocorrelation(self) -> _fugu.Autocorrelation:
        return self._for_tables.autocorrelation()

    @cached_property
    def _boomerang(self) -> _fugu.Boomerang:
        found = None if self._on_gpu is None else self._on_gpu.boomerang()
        return self._box.boomerang() if found is None else found

    @cached_property
    def _avalanche(self) -> _fugu.Avalanche:
        return self._box.avalanche()

    @cached_property
    def _structures(self) -> _fugu.LinearStructures:
        return self._box.linear_structures()

    @cached_property
    def _component_degrees(self) -> list[int]:
        return self._for_tables.component_degrees()

    @property
    def _has_components_there(self) -> bool:
        """Whether to use a GPU's findings for all components where the CPU measures single ones."""
        return self._on_gpu is not None and _fugu.has_table_kernels(self._outputs)

    def _nonlinearities(self, masks: list[int]) -> list[int]:
        linearities = self._linear.component_linearities
        return [(len(self) - linearities[mask]) // 2 for mask in masks]

    @property
    def _coordinates(self) -> list[int]:
        return [1 << j for j in range(self._outputs)]

    @property
    def _pairs(self) -> list[int]:
        return [1 << j | 1 << k for k in range(1, self._outputs) for j in range(k)]

    def _equations(self, degree: int) -> int | None:
        return self._box.equations(degree) if self._box.has_equations(degree) else None

    def _anomaly(self, of: Callable[[int, int, int], float], found: Callable[[], tuple[int, int]]) -> float | None:
        """``found``: the largest entry, and its count."""
        if not self.permutation or not 2 <= self.inputs <= _fugu.MAX_ANOMALY_BITS:
            return None
        return of(self.inputs, *found())

    # Values.
    image = Field[int](lambda s: s._basic.image, "Distinct values.")
    collisions = Field[int](lambda s: s._basic.collisions, "Pairs x < y with S(x) = S(y) (Vaudenay 1996).")
    first_collision = Field[tuple[int, int] | None](
        lambda s: s._basic.first_collision, "The pair with the smallest x, then y; None without one."
    )
    balanced = Field[bool](lambda s: s._basic.balanced, "Whether every one of the 2^m values is taken equally often.")
    permutation = Field[bool](lambda s: s._basic.permutation, "Whether S is one-to-one with n = m.")
    fixed_points = Field[int | None](lambda s: s._basic.fixed, "S(x) = x; None unless n = m.")
    opposite_fixed_points = Field[int | None](lambda s: s._basic.antifixed, "S(x) = ~x; None unless n = m.")
    cycle_lengths = Field[dict[int, int] | None](
        lambda s: s._basic.cycles.lengths if s._basic.cycles else None, "Of a permutation; None of others."
    )
    order = Field[int | None](
        lambda s: int(s._basic.cycles.order) if s._basic.cycles else None, "Least common multiple of the cycles' lengths."
    )
    odd = Field[bool | None](lambda s: s._basic.cycles.odd if s._basic.cycles else None, "The permutation's parity.")
    involution = Field[bool | None](
        lambda s: s._basic.cycles.involution if s._basic.cycles else None, "Whether the permutation is its own inverse."
    )

    # Differences.
    differential_uniformity = Field[int](
        lambda s: s._differential.uniformity, "max delta(a,b), a != 0, all b (Nyberg 1993)."
    )
    differential_uniformity_count = Field[int](lambda s: s._differential.attained, "How many entries reach it.")
    largest_zero_difference = Field[int](lambda s: s._differential.largest_zero, "max delta(a,0), a != 0.")
    ddt_histogram = Field[dict[int, int]](lambda s: s._differential.ddt, "Of delta(a,b), a != 0, all b.")
    apn = Field[bool](lambda s: s._differential.apn, "Almost perfect nonlinear: uniformity 2 and n = m.")
    differential_branch_number = Field[int](
        lambda s: s._differential.branch_number, "min wt(a) + wt(b), a != 0, delta(a,b) > 0."
    )
    one_bit_differences = Field[int](
        lambda s: s._differential.one_bit_to_one, "Nonzero delta(a,b) with wt(a) = wt(b) = 1."
    )

    # Linear approximations.
    linearity = Field[int](lambda s: s._linear.linearity, "max |W(a,b)|, all a, b != 0 (Nyberg 1993).")
    nonlinearity = Field[int](lambda s: s._linear.nonlinearity, "2^(n-1) - linearity / 2.")
    linearity_count = Field[int](lambda s: s._linear.attained, "How many entries reach the linearity.")
    first_linearity = Field[tuple[int, int]](
        lambda s: (s._linear.first_a, s._linear.first_b), "(a, b) of the first of them, row by row."
    )
    walsh_histogram = Field[dict[int, int]](lambda s: s._linear.walsh, "Of W(a,b), all a, b != 0.")
    walsh_zeros = Field[int](lambda s: s._linear.zeros, "Entries with W(a,b) = 0, b != 0.")
    coordinate_nonlinearities = Field[list[int]](
        lambda s: (
            s._nonlinearities(s._coordinates) if s._has_components_there else s._box.coordinate_nonlinearities()
        ),
        "Of y_0, y_1, ...",
    )
    almost_bent = Field[bool](
        lambda s: s._linear.almost_bent, "n = m odd and linearity 2^((n+1)/2) (Chabaud and Vaudenay 1994)."
    )
    linear_branch_number = Field[int | None](
        lambda s: s._linear.branch_number, "min wt(a) + wt(b), a != 0, b != 0, W(a,b) != 0; None without such."
    )
    one_bit_approximations = Field[int](lambda s: s._linear.one_bit_to_one, "Nonzero W(a,b) with wt(a) = wt(b) = 1.")
    correlation_immunity = Field[int](lambda s: s._linear.correlation_immunity, "The least of the components'.")
    resiliency = Field[int](lambda s: s._linear.resiliency, "The same if balanced, otherwise -1.")

    # Components b != 0.
    nonlinearity_histogram = Field[dict[int, int]](
        lambda s: {(len(s) - w) // 2: count for w, count in reversed(_histogram(s._linear.component_linearities).items())},
        "Of the components' nonlinearities.",
    )
    degree_histogram = Field[dict[int, int]](lambda s: _histogram(s._component_degrees), "Of the components' degrees.")
    minimum_degree = Field[int](lambda s: min(s.degree_histogram), "The least of the components' degrees.")
    absolute_indicator = Field[int](lambda s: s._autocorrelation.indicator, "max |r(a,b)|, a != 0, b != 0.")
    absolute_indicator_histogram = Field[dict[int, int]](
        lambda s: _histogram(s._autocorrelation.indicators), "Of max |r(a,b)|, a != 0, of each component."
    )
    act_histogram = Field[dict[int, int]](lambda s: s._count_act(), "Of r(a,b), a != 0, b != 0.")
    linear_structure_distance = Field[int](
        lambda s: (len(s) - s._autocorrelation.indicator) // 4,
        "To the nearest function with a linear structure, of components (Meier and Staffelbach 1989).",
    )
    least_sum_of_squares = Field[int](lambda s: min(s._autocorrelation.sums[1:]), "Of r(a,b), all a, over components.")
    largest_sum_of_squares = Field[int](lambda s: max(s._autocorrelation.sums[1:]), "Of r(a,b), all a, over components.")
    plateaued_components = Field[int](lambda s: s._linear.plateaued, "Components whose |W| takes one value besides 0.")
    bent_components = Field[int](lambda s: s._linear.bent, "Components that are bent.")
    propagation = Field[int](
        lambda s: s._autocorrelation.propagation, "The largest l with r(a,b) = 0 for 1 <= wt(a) <= l, b != 0."
    )
    vectorial_bent = Field[bool](lambda s: s._linear.bent == (1 << s.outputs) - 1, "Whether all components are bent.")

    # Boomerangs.
    boomerang_uniformity = Field[int](lambda s: s._boomerang.uniformity, "max of the BCT, a != 0, b != 0.")
    bct_histogram = Field[dict[int, int]](lambda s: s._boomerang.bct, "Of the BCT, a != 0, b != 0.")
    feistel_boomerang_uniformity = Field[int | None](
        lambda s: s._boomerang.feistel_uniformity, "max of the FBCT, a != 0, b != 0, a != b; None for one input."
    )
    fbct_histogram = Field[dict[int, int]](lambda s: s._boomerang.fbct, "Of the FBCT, a != 0, b != 0, a != b.")

    # Algebra.
    degree = Field[int](
        lambda s: (
            max(s._component_degrees[b] for b in s._coordinates) if s._has_components_there else s._box.degree()
        ),
        "The largest of the coordinates'; -1 for the zero box.",
    )
    inverse_degree = Field[int | None](
        lambda s: s.inverse().degree if s.permutation else None, "Degree of the inverse of a permutation."
    )
    equations = Field[tuple[int | None, int | None, int | None]](
        lambda s: (s._equations(1), s._equations(2), s._equations(3)),
        "Independent equations of degree 1, 2 and 3 or less that hold at every (x, S(x)) (Courtois and Pieprzyk 2002); "
        "None where n + m is above 24 for degree 2, 20 for degree 3.",
    )
    immunity_histogram = Field[dict[int, int]](
        lambda s: s._box.component_immunities(), "Of the components' algebraic immunities (Armknecht and Krause 2006)."
    )

    # Avalanche.
    avalanche = Field(
        lambda s: np.array(s._avalanche.changes).reshape(s.inputs, s.outputs),
        "#{x: y_j changes when x_i does}: shape (n, m) (Webster and Tavares 1985).",
    )
    strict_avalanche = Field[bool](
        lambda s: s._avalanche.least_change == s._avalanche.most_change == len(s) // 2, "Whether these are all N / 2."
    )
    pair_nonlinearities = Field[list[int]](
        lambda s: s._nonlinearities(s._pairs) if s._has_components_there else s._avalanche.pair_nonlinearities,
        "Of y_j + y_k, j < k; empty for one output.",
    )
    pair_changes_sum = Field[int](
        lambda s: s._avalanche.pair_changes_sum, "Over j < k and i: #{x: y_j + y_k changes when x_i does}."
    )

    # Structures and side channels.
    positive_structures = Field[int](lambda s: s._structures.positive, "(a,b) with r(a,b) = N, a != 0, b != 0.")
    negative_structures = Field[int](lambda s: s._structures.negative, "(a,b) with r(a,b) = -N.")
    transparency_order = Field[float](
        lambda s: s._measuring(_fugu.has_transparency_kernels(s.outputs)).transparency_order(), "Prouff 2005; m <= 16."
    )

    # -log2 of the probability that a random permutation's table is as good (Bonnetain, Perrin and Tian 2019). None
    # unless the box is a permutation of 2 to 10 bits.
    differential_anomaly = Field[float | None](
        lambda s: s._anomaly(
            _fugu.differential_anomaly, lambda: (s.differential_uniformity, s.differential_uniformity_count)
        ),
        "Of the DDT.",
    )
    linear_anomaly = Field[float | None](
        lambda s: s._anomaly(_fugu.linear_anomaly, lambda: (s.linearity, s.linearity_count)), "Of the LAT."
    )
    boomerang_anomaly = Field[float | None](
        lambda s: s._anomaly(
            _fugu.boomerang_anomaly, lambda: (s.boomerang_uniformity, s.bct_histogram[s.boomerang_uniformity])
        ),
        "Of the BCT.",
    )

    # Invariants of CCZ-equivalence.
    gamma_rank = Field[int](lambda s: s._box.gamma_rank(), "Edel and Pott 2009; n = m <= 8, minutes above 6.")
    delta_rank = Field[int](lambda s: s._box.delta_rank(), "Edel and Pott 2009; n = m <= 8, minutes above 6.")
    ortho_derivative = Field["SBox | None"](
        lambda s: None if (box := s._box.ortho_derivative()) is None else SBox._of_box(box, s._device),
        "Of quadratic APN functions (Canteaut, Couvreur and Perrin 2022); None of others.",
    )

    @cached_property
    def _exhaustive(self) -> _fugu.ExhaustiveProfile:
        return self._measuring(_fugu.has_profile_kernels(self._inputs, self._outputs)).exhaustive()

    exhaustive_nonlinearity_histogram = Field[dict[int, int]](
        lambda s: s._exhaustive.nonlinearities,
        "Of all 2^m - 1 components, for any m with n <= 10: minutes for m = 32.",
    )
    exhaustive_linearity = Field[int](lambda s: s._exhaustive.linearity, "max |W(a,b)| in the same way.")
    exhaustive_masks = Field[list[int]](
        lambda s: s._exhaustive.masks, "The b that reach it, ascending: the smallest 4096 at most."
    )
