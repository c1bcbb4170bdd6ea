"""Long work says how long it takes, and how far it has come."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import fugu
from conftest import refused
from fugu._progress import _Display

Call = tuple[str, int, int | None, float | None]


class Enough(Exception):
    """Ends the work."""


def calls_of(work: Callable[[], object], most: int) -> list[Call]:
    calls: list[Call] = []

    def show(*call: object) -> None:
        calls.append(call)  # type: ignore[arg-type]
        if len(calls) == most:
            raise Enough

    with fugu.progress(show), pytest.raises(Enough):
        work()
    return calls


def check(calls: list[Call], what: str) -> None:
    assert {call[0] for call in calls} == {what}
    (total,) = {call[2] for call in calls}
    (seconds,) = {call[3] for call in calls}
    assert total is not None and seconds is not None and seconds > 60
    done = [call[1] for call in calls]
    assert done == sorted(done) and 0 < done[-1] < total


def test_a_property_is_estimated_and_counted() -> None:
    box = fugu.SBox.named("permutation:8:1")
    assert box.seconds("gamma_rank") > 60
    check(calls_of(lambda: box.gamma_rank, 20), "the rows of a rank")
    assert box.linearity  # usable again
    assert 0 < box.seconds("du") < 0.01 and box.seconds("fixed_points") == 0
    refused(fugu.UsageError, "no property 'rank'", box.seconds, "rank")


@pytest.mark.parametrize("boxes", [1, 2])
def test_all_invariants_are_counted_together(boxes: int) -> None:
    both = [fugu.SBox.named("power:8:254"), fugu.SBox.named("power:8:127")]
    works = {1: lambda: fugu.invariants(both[0], slow_ranks=True), 2: lambda: fugu.compare(both[0], both[1], slow_ranks=True)}
    check(calls_of(works[boxes], 20), "the invariants")


def random_function(variables: int) -> fugu.BooleanFunction:
    return fugu.BooleanFunction(packed=np.random.default_rng(1).integers(0, 256, 1 << variables - 3, dtype=np.uint8))


def test_a_function_is_estimated_and_counted() -> None:
    function = random_function(16)
    assert function.seconds("annihilators") > 20
    assert function.seconds("weight") < 0.1 and function.seconds("n") == 0
    calls = calls_of(lambda: function.annihilators, 20)
    assert {call[0] for call in calls} == {"the annihilators of f"}
    assert {call[2] for call in calls} == {39203}  # the monomials of degree 8 or less
    assert 0 < calls[-1][1] < 39203
    assert random_function(9).seconds("second_order_nonlinearity") > 0.01
    assert function.weight  # usable again
    refused(fugu.UsageError, "no property 'rank'", function.seconds, "rank")


def test_functions_of_a_ccz_class_are_counted() -> None:
    def show(what: str, done: int, total: int | None, seconds: float | None) -> None:
        if what == "functions of Walsh-zero spaces":  # after two seconds
            assert total == 4336 and 0 < done < total and seconds is not None and seconds > 2
            raise Enough

    with fugu.progress(show), pytest.raises(Enough):
        fugu.ea_classes(fugu.SBox.named("power:8:5"))


def test_work_without_steps_is_estimated() -> None:
    what, done, total, seconds = calls_of(lambda: random_function(26).polynomial, 1)[0]
    assert (what, done, total) == ("the polynomial", 0, None) and seconds is not None and seconds > 2


def test_short_work_is_not_shown() -> None:
    calls: list[object] = []
    with fugu.progress(lambda *call: calls.append(call)):
        assert fugu.equivalent(fugu.SBox.named("AES"), fugu.SBox.named("power:8:254:0x1f5"))
        fugu.invariants(fugu.SBox.named("PRESENT"))
    assert not calls


def test_the_display_is_lines_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    display = _Display()
    spectrum = ("the spectrum", 0, None, 3.0)
    for calls in (  # the second of two comes too soon
        [("the rows", 0, 10, 7.4), ("the rows", 5, 10, 7.4)], [("the rows", 6, 10, 7.4), ("guesses", 1, None, None)],
        [("guesses", 2, None, None)], [spectrum], [spectrum],
    ):  # fmt: skip
        display._next = 0
        for call in calls:
            display(*call)
    assert capsys.readouterr().err == "the rows: about 7 s\nthe rows: 6 of 10, 60 %\nguesses: 2\nthe spectrum: about 3 s\n"
