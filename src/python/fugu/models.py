"""Models of an S-box's tables for SAT and MILP solvers: which (a, b) have T(a,b) != 0, as clauses or linear inequalities.

T is the DDT, LAT, BCT, DLCT, the table of division trails, or any other that is of a and b. The variables are the bits a0, a1, ...
of a and b0, b1, ... of b, at most 16; with ``weights`` also w1, w2, ...: the magnitudes of the table's entries are ``levels``, the
largest first, and w_k is 1 where the entry is at most levels[k]. Of the DDT of PRESENT (16, 4, 2) the weight -log2(T / 16) is
therefore 2 w1 + w2.

Numbers are integers throughout. A model's text is made only if its inequalities hold for the possible points and no others.
Packages that solve are an extra: ``pip install 'fugu[models]'``.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _fugu
from ._errors import UsageError
from ._sbox import SBox, host_box

__all__ = ["Form", "Inequality", "Model", "clauses", "facets", "inequalities"]

Form = Literal["dimacs", "lp", "minizinc", "python"]

# (coefficients, least): the sum of coefficients times variables is at least that. A clause has coefficients 1 and -1 for its
# literals, and 1 less the number of negative ones.
Inequality = tuple[tuple[int, ...], int]

MOST_VARIABLES_OF_FEWEST_CLAUSES = 10
MOST_BITS_OF_FACETS = 8  # n + m


@dataclass(frozen=True)
class Model:
    """Inequalities that hold for the possible transitions of a table and no others."""

    table: str
    variables: tuple[str, ...]
    levels: tuple[int, ...]  # empty without weights
    points: tuple[int, ...]  # the possible ones: bit i is variable i
    inequalities: tuple[Inequality, ...]
    candidates: int  # how many prime implicants or facets there are
    claim: str  # what is known of the number of inequalities
    proved: bool  # whether no fewer of the candidates suffice; of facets: whether there are no others
    _of: _fugu.Transitions = field(repr=False, compare=False)

    def text(self, form: Form = "lp") -> str:
        """A file of that form. MismatchError if the inequalities do not hold for the possible points and no others;
        UsageError in "dimacs" for inequalities that are not clauses."""
        return self._of.text(self.inequalities, form, self.claim)


def clauses(box: SBox, table: str = "ddt", *, weights: bool = False, seconds: float = 60) -> Model:
    """A CNF of prime implicants. Up to 10 variables, the fewest, if HiGHS proves it within that time; otherwise the fewest found."""
    of = _fugu.Transitions.of(host_box(box, "box"), table, weights)
    found, primes = of.clauses(few=True)
    few, proved = _inequalities_of(found), False
    if len(of.variables) <= MOST_VARIABLES_OF_FEWEST_CLAUSES:
        few, proved = _fewest(of, _inequalities_of(of.clauses(few=False)[0]), few, seconds)
    return _model(of, few, primes, "clauses, the fewest{} of {} prime implicants", proved)


def facets(box: SBox, table: str = "ddt", *, weights: bool = False) -> Model:
    """All facets of the convex hull of the possible points, n + m <= 8; an equation that holds on all of it is two of them."""
    of = _transitions_of_facets(box, table, weights)
    found = _facets(of)
    return _model(of, found, len(found), "all facets", True)


def inequalities(box: SBox, table: str = "ddt", *, weights: bool = False, seconds: float = 60) -> Model:
    """The fewest facets that hold for no impossible point, if HiGHS proves it within that time; otherwise the fewest found."""
    of = _transitions_of_facets(box, table, weights)
    found = _facets(of)
    few, proved = _fewest(of, found, found, seconds)
    return _model(of, few, len(found), "the fewest{} of {} facets", proved)


def _model(of: _fugu.Transitions, found: Sequence[Inequality], candidates: int, claim: str, proved: bool) -> Model:
    claim = claim.format("" if proved else " found", candidates)
    return Model(of.table, tuple(of.variables), tuple(of.levels), tuple(of.points), tuple(found), candidates, claim, proved, of)


def _inequalities_of(found: Sequence[tuple[Sequence[int], int]]) -> list[Inequality]:
    return [(tuple(coefficients), least) for coefficients, least in found]


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"this needs {name}; pip install 'fugu[models]'") from error


def _transitions_of_facets(box: SBox, table: str, weights: bool) -> _fugu.Transitions:
    values = host_box(box, "box")
    if box.inputs + box.outputs > MOST_BITS_OF_FACETS:
        raise UsageError(f"facets of {box.inputs + box.outputs} bits of input and output: at most {MOST_BITS_OF_FACETS} are possible")
    return _fugu.Transitions.of(values, table, weights)


def _facets(of: _fugu.Transitions) -> list[Inequality]:
    ppl = _package("ppl")
    axes = [ppl.Variable(i) for i in range(len(of.variables))]
    points = ppl.Generator_System()
    for point in of.points:
        points.insert(ppl.point(sum((axis for i, axis in enumerate(axes) if point >> i & 1), ppl.Linear_Expression(0))))
    found: list[Inequality] = []
    for constraint in ppl.C_Polyhedron(points).minimized_constraints():
        coefficients, least = tuple(map(int, constraint.coefficients())), -int(constraint.inhomogeneous_term())
        coefficients += (0,) * (len(axes) - len(coefficients))
        found.append((coefficients, least))
        if constraint.is_equality():
            found.append((tuple(-coefficient for coefficient in coefficients), -least))
    return sorted(found)


def _excludes(of: _fugu.Transitions, candidates: Sequence[Inequality]) -> npt.NDArray[np.bool_]:
    """[point, candidate] for the impossible points."""
    bits = len(of.variables)
    impossible = np.setdiff1d(np.arange(1 << bits), of.points)
    values = impossible[:, None] >> np.arange(bits) & 1
    coefficients = np.array([coefficients for coefficients, _ in candidates], np.int64).reshape(-1, bits)
    least = np.array([least for _, least in candidates], np.int64)
    return np.asarray(values @ coefficients.T < least)


def _fewest(of: _fugu.Transitions, candidates: list[Inequality], known: list[Inequality], seconds: float) -> tuple[list[Inequality], bool]:
    """The fewest candidates that exclude all impossible points, by HiGHS, from ones that do; and whether that is proved."""
    excludes = np.unique(_excludes(of, candidates), axis=0)  # equal rows become one
    if not excludes.size:
        return [], True
    highspy = _package("highspy")

    def silently(solver: Any) -> None:  # HiGHS prints its name when it gets its callbacks
        solver.silent()
        highspy.Highs.enableCallbacks(solver)

    solver = type("Silent", (highspy.Highs,), {"enableCallbacks": silently})()
    solver.HandleUserInterrupt = True  # otherwise cancelSolve() does nothing
    solver.setOptionValue("time_limit", float(seconds))
    solver.setOptionValue("mip_rel_gap", 0.0)
    count = len(candidates)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = count, len(excludes)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.ones(count), np.zeros(count), np.ones(count)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * count
    lp.row_lower_, lp.row_upper_ = np.ones(len(excludes)), np.full(len(excludes), math.inf)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.concatenate([[0], np.cumsum(excludes.sum(axis=1))])
    lp.a_matrix_.index_ = np.nonzero(excludes)[1]
    lp.a_matrix_.value_ = np.ones(int(excludes.sum()))
    solver.passModel(lp)
    solving = solver.startSolve()
    try:
        solving.join()
    except BaseException:  # Ctrl-C
        solver.cancelSolve()
        solving.join()
        raise
    values = solver.getSolution().col_value
    few = [candidate for candidate, value in zip(candidates, values, strict=True) if value > 0.5] if len(values) == count else known
    if len(few) > len(known) or not _excludes(of, few).any(axis=1).all():
        few = known
    return few, _is_least(len(few), solver.getInfo().mip_dual_bound)


def _is_least(count: int, bound: float) -> bool:
    """Whether the bound leaves no smaller count; one above the count is of no solution."""
    return 1e-6 < bound - (count - 1) < 1 + 1e-6
