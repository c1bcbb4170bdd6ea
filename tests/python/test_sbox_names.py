"""Boxes by name, parts of tables, equivalence and weak keys, compared with the program, the definitions and vectors/sbox/."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np
import pytest

import fugu
from conftest import PRESENT, Program, records, refused, splitmix


def test_named_boxes_equal_published_values() -> None:
    assert list(fugu.SBox.named("PRESENT")) == PRESENT
    assert list(fugu.SBox.named("AES"))[:4] == [0x63, 0x7C, 0x77, 0x7B]
    assert fugu.SBox.named("Ascon")[31] == 0x17
    assert [fugu.SBox.named("DES_S1")[x] for x in (0, 1, 2, 32, 33)] == [14, 0, 4, 4, 15]
    first = fugu.initial_sboxes()[0]
    assert (first[0], first[255], fugu.initial_sboxes()[3][255]) == (0xD1310BA6, 0x6E85076A, 0x3AC372E6)
    refused(fugu.UsageError, r"no box 'XYZ'; SBox.names\(\) lists the names", fugu.SBox.named, "XYZ")
    refused(fugu.UsageError, "the families are chi:N.*, N from 1 to 20, M to 32", fugu.SBox.named, "chi:21")
    refused(fugu.UsageError, "the polynomial is not irreducible", fugu.SBox.named, "power:8:254:0x100")
    assert fugu.SBox.named("aes") == fugu.SBox.named("AES")
    refused(fugu.UsageError, r"no box 'AESS' \(did you mean AES\?\)", fugu.SBox.named, "AESS")


@pytest.mark.parametrize("table", ("ddt", "lat", "act", "dlct", "bct", "fbct"))
def test_rows_are_those_of_the_whole_table(table: str) -> None:
    box = fugu.SBox.named("DES_S1")
    whole = getattr(box, table)()
    np.testing.assert_array_equal(getattr(box, table)(rows=range(5, 9)), whole[5:9])
    assert getattr(box, table)(rows=range(3, 3)).shape == (0, whole.shape[1])
    for rows in (range(0, 65), range(-1, 2), range(0, 4, 2)):
        refused(fugu.UsageError, "rows are not a range", getattr(box, table), rows=rows)


def test_tables_of_a_permutation_by_their_definitions() -> None:
    """The DLCT is half of the ACT; of LBCT(a,c,d) and UBCT(a,b,d) EBCT(a,b,c,d) is a part."""
    box = fugu.SBox.named("PRESENT")
    np.testing.assert_array_equal(2 * box.dlct(), box.act())
    back = box.inverse()
    for a, c, d, count in box.lbct().tolist():
        moved = [back[box[x] ^ d] for x in range(16)]
        assert count == sum(x ^ moved[x] == c and moved[x] ^ moved[x ^ a] == a for x in range(16))
    assert box.sac().tolist() == box.avalanche.tolist()
    refused(fugu.UsageError, "only permutations of up to 8 bits have the dbct", fugu.SBox(range(512)).dbct)


@pytest.mark.parametrize("table", ("lat", "act", "dlct"))
def test_columns_are_those_of_the_whole_table(table: str) -> None:
    box = fugu.SBox.named("DES_S1")
    whole = getattr(box, table)()
    chosen = getattr(box, table)(rows=range(1, 4), columns=range(6, 11))
    assert (chosen.dtype, chosen.flags.c_contiguous) == (np.int32, True)
    np.testing.assert_array_equal(chosen, whole[1:4, 6:11])


def test_columns_of_a_wide_box_equal_the_definition() -> None:
    box = fugu.SBox.named("CAST_S1")
    columns = range((1 << 32) - 2, 1 << 32)
    lat = box.lat(columns=columns)
    bias = box.lat("bias", columns=columns)
    for at, b in enumerate(columns):
        for a in (0, 1, 255):
            w = sum((-1) ** ((box[x] & b).bit_count() + (x & a).bit_count()) for x in range(256))
            assert (int(lat[a, at]), int(bias[a, at])) == (w, w // 2)


def test_rows_of_the_ddt_without_zeros() -> None:
    assert fugu.SBox(PRESENT).ddt_row(0) == {0: 16}
    wide = fugu.SBox.named("CAST_S1")
    assert wide.ddt_row(9) == Counter(wide[x] ^ wide[x ^ 9] for x in range(256))


def text_of(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{value}:{count}" for value, count in value.items())
    return "none" if value is None else str(value)


@pytest.mark.parametrize("name", ("PRESENT", "power:6:3", "DES_S1"))
def test_invariants_equal_the_programs(program: Any, name: str) -> None:
    lines = program("sbox", "invariants", name).decode().splitlines()
    found = fugu.invariants(fugu.SBox.named(name))
    assert len(lines) == len(found)
    for line, (equivalence, invariant, value) in zip(lines, found, strict=True):
        assert line.startswith(f"{equivalence:<7} {invariant}: ")
        shown = line.split(": ", 1)[1]
        digest = invariant.startswith(("sums", "rows", "columns"))
        assert shown == (f"{value:016x}" if digest else text_of(value))


def test_equivalent_boxes_are_not_told_apart() -> None:
    box = fugu.SBox.named("power:6:3")
    affine = fugu.SBox([box[x ^ 3] ^ 9 for x in range(64)])
    extended = fugu.SBox([box[x] ^ (x >> 1) for x in range(64)])
    assert fugu.compare(box, affine).difference is None
    assert "rows of the DDT" in fugu.compare(box, affine).equal
    assert fugu.compare(box, extended).difference is None  # they are EA-equivalent


def test_apn_classes_are_told_apart_as_edel_and_pott_print() -> None:
    first, second = records("sbox/apn6.txt")[:2]
    boxes = [fugu.SBox(list(bytes.fromhex(record["LUT 2 hex digits"]))) for record in (first, second)]
    assert fugu.compare(*boxes) == (
        ["differential spectrum", "extended Walsh spectrum"],
        ("CCZ", "Gamma rank", int(first["gamma rank"]), int(second["gamma rank"])),
    )
    refused(fugu.MismatchError, "different sizes: 6 x 6 and 4 x 4", fugu.compare, boxes[0], fugu.SBox(PRESENT))


def test_weak_keys_equal_those_found_with_openssl() -> None:
    expected = records("sbox/weak_keys.txt")[:3]
    for record in expected:
        key, box, x, y, value = (int(text, base) for text, base in zip(record.values(), (16, 10, 10, 10, 16), strict=True))
        assert fugu.weak_keys(key - 1, 3) == [(key, box, x, y, value)]
    found = fugu.weak_keys(0, 0xA017)
    assert [weak.key for weak in found if weak.key in (0x201E, 0xA016)] == [0x201E, 0xA016]
    for weak in found:
        s = fugu.blowfish_sboxes(weak.key.to_bytes(8))[weak.box - 1]
        assert weak.x < weak.y and s[weak.x] == s[weak.y] == weak.value
    assert fugu.weak_keys(5, 0) == []
    last = (1 << 64) - 1
    weak = {found.box for found in fugu.weak_keys(last, 1)}
    assert weak == {i for i, box in enumerate(fugu.blowfish_sboxes(b"\xff" * 8), 1) if len(set(box)) < 256}
    for first, count in ((last, 2), (0, 1 << 64), (-1, 1)):
        refused(fugu.UsageError, "0 to 2", fugu.weak_keys, first, count)


def test_statistics_over_random_keys_are_those_of_the_program(program: Program) -> None:
    keyed, random = fugu.random_key_statistics(3, seed=5)
    lines = program("sbox", "report", "--random-keys", "3", "--seed", "5", "--csv").decode().splitlines()
    found = [line for name, part in (("blowfish", keyed), ("random", random)) for line in csv_of(name, part)]
    assert found == lines[1:]


def csv_of(name: str, part: fugu.BoxStatistics) -> list[str]:
    lines = [f"{name},boxes,,{part.boxes}", f"{name},boxes_with_collisions,,{part.boxes_with_collisions}"]
    for field in ("ddt", "coordinate_nonlinearity", "smallest_nonlinearity", "nonlinearity"):
        lines += [f"{name},{field},{value},{count}" for value, count in getattr(part, field).items()]
    return lines


def test_statistics_over_random_keys_by_definition() -> None:
    first, second, *words = splitmix(splitmix(7, 1)[0], 2 + 4 * 256)
    keyed = [list(box) for box in fugu.blowfish_sboxes(first.to_bytes(8) + second.to_bytes(8))]
    random = [[word >> 32 for word in words[256 * i : 256 * i + 256]] for i in range(4)]
    for boxes, found in zip((keyed, random), fugu.random_key_statistics(1, seed=7), strict=True):
        differences = Counter((i, a, box[x] ^ box[x ^ a]) for i, box in enumerate(boxes) for a in range(1, 256) for x in range(256))
        bits = np.array([[[value >> j & 1 for value in box] for j in range(32)] for box in boxes])
        signs = np.array([[(-1) ** (a & x).bit_count() for a in range(256)] for x in range(256)])
        linearities = np.abs((1 - 2 * bits) @ signs).max(axis=2)
        assert found.boxes == 4 and found.boxes_with_collisions == sum(len(set(box)) < 256 for box in boxes)
        assert found.ddt == dict(sorted(Counter(differences.values()).items()))
        assert found.coordinate_nonlinearity == dict(sorted(Counter((128 - linearities // 2).ravel().tolist()).items()))
        assert found.smallest_nonlinearity == found.nonlinearity == {}
    for arguments in ((0, 1), (2, (1 << 64) - 1), (1, -1)):
        refused(fugu.UsageError, "count is 1 or more", fugu.random_key_statistics, arguments[0], seed=arguments[1])


def test_exhaustive_statistics_are_sums_over_the_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    histograms = iter([{2: 1, 4: 3}, {4: 4}, {2: 4}, {6: 4}] * 2)
    once = cached_property(lambda box: next(histograms))
    once.__set_name__(fugu.SBox, "once")
    monkeypatch.setattr(fugu.SBox, "exhaustive_nonlinearity_histogram", once)
    for part in fugu.random_key_statistics(1, exhaustive=True):
        assert part.nonlinearity == {2: 5, 4: 7, 6: 4}
        assert part.smallest_nonlinearity == {2: 2, 4: 1, 6: 1}
