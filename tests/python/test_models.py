"""Division trails, quasidifferentials and their like, and the models of tables for solvers: compared with vectors/sbox/models.txt, with
papers and with the definitions. A model's text is read here by a reader of its own and tried at every point."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fugu
import fugu.models
from conftest import Program, output_alone, records, refused, run_alone
from sbox_support import parity

named = fugu.SBox.named
RECORDS = records("sbox/models.txt")


def needs(*packages: str) -> None:
    for package in packages:
        pytest.importorskip(package)


def of_topic(*topics: str) -> Any:
    return pytest.mark.parametrize("record", [record for record in RECORDS if record["topic"] in topics],
                                   ids=lambda record: f"{record['topic']}-{record['box']}")  # fmt: skip


def numbers(values: Any) -> str:
    return ",".join(map(str, values))


FOUND: dict[str, Callable[[fugu.SBox, list[int]], str]] = {
    "division-trails": lambda box, at: numbers(box.division_trails().sum(axis=1).tolist()),
    "product-degree": lambda box, at: numbers(box.product_degrees),
    "quasidifferential": lambda box, at: str(box.quasidifferential(rows=range(row := at[0] * len(box) + at[2], row + 1))[0, (at[1] << box.outputs) + at[3]]),
    "undisturbed-bits": lambda box, at: numbers(" ".join(map(str, row)) for row in box.undisturbed_bits().tolist()) or "-",
    "nonlinear-invariants": lambda box, at: numbers(box.nonlinear_invariant_dimensions or ()),
    "vanishing-flats": lambda box, at: str(box.vanishing_flats),
}  # fmt: skip


@of_topic(*FOUND)
def test_values_computed_elsewhere(record: dict[str, str]) -> None:
    box = named(record["box"])
    assert record["LUT"] in ("-", bytes(box).hex() if box.outputs > 4 else "".join(f"{y:x}" for y in box))
    at = [int(word) for word in record["at"].split()] if record["at"] != "-" else []
    assert FOUND[record["topic"]](box, at) == record["expected"]


@pytest.fixture(params=((2, 3), (3, 2), (3, 3)), ids=str)
def box(request: pytest.FixtureRequest) -> fugu.SBox:
    n, m = request.param
    return fugu.SBox(np.random.default_rng(n).integers(0, 1 << m, 1 << n), outputs=m)


def covers(whole: int, part: int) -> bool:
    return whole & part == part


def monomials(box: fugu.SBox, v: int) -> set[int]:
    """The w with x^w in the ANF of y^v."""
    return {w for w in range(len(box)) if sum(covers(w, x) and covers(box[x], v) for x in range(len(box))) % 2}


def test_division_trails_and_degrees_by_definition(box: fugu.SBox) -> None:
    forms = [monomials(box, v) for v in range(1 << box.outputs)]
    for u, row in enumerate(box.division_trails().tolist()):
        reached = [v for v, form in enumerate(forms) if any(covers(w, u) for w in form)]
        assert row == [int(v in reached and not any(covers(v, other) and other != v for other in reached)) for v in range(len(forms))]
    degrees = [max(w.bit_count() for w in form | {0}) for form in forms]
    assert list(box.product_degrees) == [max(degrees[v] for v in range(1, len(forms)) if v.bit_count() <= k) for k in range(1, box.outputs + 1)]


def test_quasidifferentials_and_flats_by_definition(box: fugu.SBox) -> None:
    n, m, everything = len(box), 1 << box.outputs, range(len(box))
    expected = [[sum((-1) ** (parity(u & x) + parity(v & box[x])) for x in everything if box[x] ^ box[x ^ a] == b) for b in range(m) for v in range(m)]
                for a in range(n) for u in range(n)]  # fmt: skip
    np.testing.assert_array_equal(box.quasidifferential(), expected)
    planes = {frozenset((x, y, z, x ^ y ^ z)) for x, y, z in itertools.combinations(everything, 3)}
    assert box.vanishing_flats == sum(np.bitwise_xor.reduce([box[x] for x in plane]) == 0 for plane in planes)


def test_undisturbed_bits_by_definition(box: fugu.SBox) -> None:
    changes = [[{(box[x] ^ box[x ^ a]) >> j & 1 for x in range(len(box))} for j in range(box.outputs)] for a in range(len(box))]
    expected = [[a, j, *values] for a, row in enumerate(changes) for j, values in enumerate(row) if a and len(values) == 1]
    assert box.undisturbed_bits().reshape(-1, 3).tolist() == expected


@pytest.mark.parametrize("values", ([1, 2, 3, 4, 5, 6, 7, 0], [0, 1, 2, 3, 4, 5, 7, 6], [5, 1, 4, 1, 6, 7, 2, 3]))
def test_nonlinear_invariants_by_definition(values: list[int]) -> None:
    box = fugu.SBox(values)
    masks = [mask for mask in range(1, 8) if mask.bit_count() < 3]
    value = lambda g, x: sum(covers(x, mask) for mask in g) % 2
    changes = {g: {value(g, x) ^ value(g, box[x]) for x in range(8)} for size in range(7) for g in itertools.combinations(masks, size)}
    alike = {g: change.pop() for g, change in changes.items() if len(change) == 1}
    assert box.nonlinear_invariant_dimensions == ((sum(c == 0 for c in alike.values())).bit_length() - 1, len(alike).bit_length() - 1)
    basis: dict[int, list[int]] = {}
    constants = {}
    for number, mask, c in box.nonlinear_invariants().reshape(-1, 3).tolist():
        basis.setdefault(number, []).append(mask)
        constants[number] = c
    assert constants == {number: alike[tuple(sorted(g))] for number, g in basis.items()}
    sums = {frozenset(g for g in masks if sum(g in basis[k] for k in chosen) % 2) for size in range(len(basis) + 1) for chosen in itertools.combinations(basis, size)}
    assert sums == {frozenset(g) for g in alike}


def test_sizes_that_are_refused() -> None:
    wide = named("random:11:10:1")
    for table, reason in (("division_trails", "n + m <= 20"), ("quasidifferential", "n, m <= 10"), ("nonlinear_invariants", "n = m")):
        refused(fugu.UsageError, f"only boxes with {re.escape(reason)} have the {table}", getattr(wide, table))
    refused(fugu.UsageError, "boxes with n <= 16 have", named("chi:17").undisturbed_bits)
    refused(fugu.UsageError, "has no model", fugu.models.clauses, named("PRESENT"), "sac")
    refused(fugu.UsageError, "a model of 18 variables: at most 16 are possible", fugu.models.clauses, named("chi:9"))
    refused(fugu.UsageError, "facets of 10 bits of input and output: at most 8", fugu.models.facets, named("Ascon"))


def holding(text: str, form: str, count: int) -> np.ndarray:
    """By point, whether it is a solution: read as a user's solver would."""
    points = np.arange(1 << count)
    bits = [points >> i & 1 for i in range(count)]
    holds = np.ones(1 << count, bool)
    if form == "python":
        names: dict[str, Any] = {}
        exec(text, names)
        for coefficients, least in names["inequalities"]:
            holds &= sum(c * bit for c, bit in zip(coefficients, bits, strict=True)) >= least
    elif form == "dimacs":
        lines = [line.split() for line in text.splitlines() if line[0] != "c"]
        assert lines[0] == ["p", "cnf", str(count), str(len(lines) - 1)]
        for line in lines[1:]:
            holds &= np.any([bits[abs(int(word)) - 1] == (word[0] != "-") for word in line[:-1]], axis=0)
    else:
        order = re.search(r"Binary\n (.*)\n", text)[1].split() if form == "lp" else re.findall(r"var 0..1: (\w+);", text)  # type: ignore[index]
        assert len(order) == count
        for left, least in re.findall(r"(?:constraint|c\d+:) (.*) >= (-?\d+)", text):
            terms = [(int(sign + (size or "1")), name) for sign, size, name in re.findall(r"([+-]?) ?(?:(\d+) (?:\* )?)?([abw]\d+)", left.replace("- ", "-").replace("+ ", "+"))]
            holds &= sum(c * bits[order.index(name)] for c, name in terms) >= int(least)
    return holds


def possible(box: fugu.SBox, table: str, levels: tuple[int, ...]) -> np.ndarray:
    """By point, from the table, with w_k for |T| <= levels[k]."""
    entries = np.abs(getattr(box, table)())
    points = np.zeros(1 << box.inputs + box.outputs + max(0, len(levels) - 1), bool)
    for a, b in np.argwhere(entries):
        weights = sum((entries[a, b] <= level) << k for k, level in enumerate(levels[1:]))
        points[a | b << box.inputs | weights << box.inputs + box.outputs] = True
    return points


TABLES = ("ddt", "lat", "act", "dlct", "bct", "division_trails")


@pytest.mark.parametrize("table", TABLES)
def test_models_hold_for_the_possible_transitions_and_no_others(box: fugu.SBox, table: str) -> None:
    needs("highspy", "ppl")
    for weights in (False, True):
        made: Any
        for made, forms in ((fugu.models.clauses, ("dimacs", "lp", "minizinc", "python")), (fugu.models.facets, ("lp", "minizinc", "python")),
                            (fugu.models.inequalities, ("lp", "minizinc", "python"))):  # fmt: skip
            model = made(box, table, weights=weights, **{} if made is fugu.models.facets else {"seconds": 5})
            assert (model.proved or len(model.variables) > 10) and (model.levels != ()) == weights
            expected = possible(box, table, model.levels)
            assert model.points == tuple(np.flatnonzero(expected).tolist())
            for form in forms:
                np.testing.assert_array_equal(holding(model.text(form), form, len(model.variables)), expected, f"{made} {form}")


@of_topic("cnf-ddt")
def test_fewest_clauses_computed_elsewhere(record: dict[str, str]) -> None:
    needs("highspy")
    model = fugu.models.clauses(named(record["box"]))
    assert numbers((len(model.points), model.candidates, len(model.inequalities))) == record["expected"]
    assert model.proved and f"the fewest of {model.candidates} prime implicants" in model.text("dimacs")


@of_topic("hull-ddt")
def test_facets_computed_elsewhere(record: dict[str, str]) -> None:
    needs("ppl")
    assert len(fugu.models.facets(named(record["box"])).inequalities) == int(record["expected"])


# PRESENT: Sasaki and Todo 2017, Table 1. GIFT: Sun et al. 2014's method gives 237 facets.
def test_published_numbers_of_inequalities() -> None:
    needs("highspy", "ppl")
    assert len(fugu.models.facets(named("GIFT")).inequalities) == 237
    fewest = fugu.models.inequalities(named("PRESENT"))
    assert (len(fewest.inequalities), fewest.candidates, fewest.proved) == (21, 327, True)
    trails = fugu.models.inequalities(named("PRESENT"), "division_trails")  # Xiang et al. 2016 have 11, by the greedy choice
    assert (len(trails.points), trails.candidates, len(trails.inequalities) <= 11) == (47, 122, True)


def test_a_model_that_is_wrong_is_not_written() -> None:
    of = fugu._fugu.Transitions.of(named("PRESENT")._box, "ddt", False)
    clauses = of.clauses(few=True)[0]
    refused(fugu.MismatchError, "", of.text, clauses[1:], "lp", "too few")
    refused(fugu.MismatchError, "", of.text, [*clauses, ((1,) * 8, 1)], "lp", "without (0, 0)")
    refused(fugu.UsageError, "clauses", of.text, [*clauses, ((-2,) + (0,) * 7, -2)], "dimacs", "more than clauses")


@pytest.mark.parametrize("name", ("PRESENT", "GIFT", "KLEIN", "PRINCE", "Ascon"))
def test_the_clauses_of_the_program_are_all_needed(name: str) -> None:
    of = fugu._fugu.Transitions.of(named(name)._box, "ddt", False)
    clauses = of.clauses(few=True)[0]
    for i in range(len(clauses)):
        refused(fugu.MismatchError, "", of.text, [*clauses[:i], *clauses[i + 1 :]], "lp", "one too few")


def test_the_fewest_are_proved_by_a_bound_and_checked() -> None:
    needs("highspy")
    least = fugu.models._is_least
    assert [least(5, bound) for bound in (4.2, 5.0, 4.0, 3.0, float("-inf"), float("inf"))] == [True, True, False, False, False, False]
    of = fugu._fugu.Transitions.of(named("PRESENT")._box, "ddt", False)
    known = fugu.models._inequalities_of(of.clauses(few=True)[0])
    assert fugu.models._fewest(of, known[1:], known, 60)[0] == known  # no choice of the others suffices


def test_a_box_of_eight_bits_has_the_fewest_clauses_found(program: Program) -> None:
    model = fugu.models.clauses(named("AES"))
    assert (model.proved, len(model.points)) == (False, 1 + 255 * 127)
    assert program("sbox", "model", "ddt", "--to", "lp", "AES").decode() == model.text("lp")


def test_it_prints_nothing() -> None:
    """HiGHS prints its name and a log unless it is told otherwise."""
    needs("highspy", "ppl")
    assert output_alone("import fugu.models as m; box = m.SBox.named('PRESENT'); m.clauses(box), m.inequalities(box)", 300) == ""


def test_without_its_packages_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['highspy'] = None; import fugu.models as m; m.clauses(m.SBox.named('PRESENT'))"
    assert "ImportError: this needs highspy; pip install 'fugu[models]'" in run_alone(code).stderr
