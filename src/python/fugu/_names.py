"""Names: of engines, of the program's columns and of SageMath's methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final, NamedTuple

from . import _fugu
from ._errors import UsageError

_GPU: Final = re.compile(r"cuda:([0-9]{1,9})")


def device_of(engine: str) -> int | None:
    """The GPU that ``engine`` names, or None for "auto" and "cpu"."""
    if not isinstance(engine, str):
        raise TypeError(f"engine is a {type(engine).__name__}; give 'auto', 'cpu' or 'cuda:N'")
    if engine in ("auto", "cpu"):
        return None
    if named := _GPU.fullmatch(engine):
        return int(named[1])
    raise UsageError(f"no engine {engine!r}; choose from auto, cpu and cuda:N")


class Column(NamedTuple):
    """A property of boxes by its name in the program or here."""

    attribute: str
    is_whole_number: bool


@cache
def _columns() -> Mapping[str, Column]:
    found = {}
    for column, attribute, _, is_whole_number, _ in _fugu.box_properties():
        found[attribute] = found[column] = Column(attribute, is_whole_number)
    return found


def column_of(name: str) -> Column | None:
    """The property of that column or attribute, if there is one."""
    return _columns().get(name) if name else None


# SAGE.md shows these.
SAGE_SBOX: Final[Mapping[str, str]] = {
    **{row[1]: f"{row[0]}({'scale' if row[4] == 'scales' else ''})" for row in _fugu.box_tables() if row[1]},
    "cnf": "none; equations_of_degree(d) lists equations",
    "component_function": "component(b)",
    "from_bits": "index arithmetic: bit i of an integer is x_i",
    "has_linear_structure": "positive_structures + negative_structures != 0",
    "input_size": "inputs",
    "interpolation_polynomial": "univariate(polynomial)",
    "is_almost_bent": "almost_bent",
    "is_apn": "apn",
    "is_balanced": "balanced",
    "is_bent": "vectorial_bent",
    "is_involution": "involution",
    "is_linear_structure": "linear_structures(), a list",
    "is_monomial_function": "univariate(polynomial), which has one term then",
    "is_permutation": "permutation",
    "is_plateaued": "plateaued_components == 2**outputs - 1",
    "max_degree": "degree",
    "maximal_difference_probability": "differential_uniformity / 2**inputs",
    "maximal_difference_probability_absolute": "differential_uniformity",
    "maximal_linear_bias_absolute": "linearity // 2",
    "maximal_linear_bias_relative": "linearity / 2**(inputs + 1)",
    "min_degree": "minimum_degree",
    "output_size": "outputs",
    "polynomials": "equations_of_degree(d)",
    "ring": "text of equations_of_degree(d): x0, ..., y0, ...",
    "solutions": "values: pairs of x and S(x)",
    "to_bits": "index arithmetic: bit i of an integer is x_i",
}
SAGE_FUNCTION: Final[Mapping[str, str]] = {
    "absolute_autocorrelation": "autocorrelation_histogram",
    "absolute_walsh_spectrum": "walsh_histogram",
    "algebraic_degree": "degree",
    "annihilator": "annihilator_basis()",
    "has_linear_structure": "linear_structures > 1",
    "is_balanced": "balanced",
    "is_bent": "bent",
    "is_linear_structure": "autocorrelation()",
    "is_plateaued": "plateaued",
    "is_symmetric": "truth_table",
    "nvariables": "variables",
    "resiliency_order": "resiliency",
    "sum_of_square_indicator": "sum_of_squares",
    "walsh_hadamard_transform": "walsh_spectrum()",
}


def refuse_attribute(kind: str, name: str, others: Mapping[str, str]) -> AttributeError:
    """Says which attribute is meant by one of another program."""
    if (ours := others.get(name)) is not None:
        return AttributeError(f"{kind} has no {name}, SageMath's name; here: {ours}")
    if kind == "SBox" and (column := column_of(name)) is not None and column.attribute:
        return AttributeError(f"SBox has no {name}, the program's name; here: {column.attribute}")
    return AttributeError(f"{kind!r} object has no attribute {name!r}")
