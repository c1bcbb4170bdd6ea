"""Affine maps between spaces of bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._field import Immutable, _frozen


class AffineMap(Immutable):
    """x -> M x + c over GF(2): ``matrix[i, j]`` says whether bit i of the result depends on bit j of x.

    A @ B is A(B(x)); of an S-box S, A @ S is A(S(x)), S @ A is S(A(x)), and S ^ A their sum.
    """

    def __init__(self, matrix: Any, constant: int = 0) -> None:
        self._matrix: npt.NDArray[np.uint8] = _frozen(np.array(matrix, dtype=np.uint8))
        if self._matrix.ndim != 2 or max(self._matrix.shape) > 32 or 0 in self._matrix.shape or self._matrix.max() > 1:
            raise UsageError("a matrix is rows of 0 and 1, of at most 32 by 32")
        if not 0 <= constant < 1 << self.outputs:
            raise UsageError(f"{constant} is not a constant of {self.outputs} bits")
        self._constant = int(constant)

    @property
    def matrix(self) -> npt.NDArray[np.uint8]:
        """M: shape (outputs, inputs), read-only."""
        return self._matrix

    @property
    def constant(self) -> int:
        """c."""
        return self._constant

    @property
    def inputs(self) -> int:
        """The bits of x."""
        return int(self._matrix.shape[1])

    @property
    def outputs(self) -> int:
        """The bits of the result."""
        return int(self._matrix.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter((self.matrix, self.constant))

    def __call__(self, x: int) -> int:
        """The image of x."""
        inputs = np.array([x >> j & 1 for j in range(self.inputs)], dtype=np.uint8)
        return self.constant ^ sum(int(bit) << i for i, bit in enumerate(self.matrix @ inputs % 2))

    def values(self) -> npt.NDArray[np.uint32]:
        """The images of 0, 1, ..., of at most 20 bits."""
        if self.inputs > 20:
            raise UsageError(f"{self.inputs} inputs: at most 20 are possible")
        images = np.array([self.constant], np.uint32)
        for column in self.matrix.T:
            images = np.concatenate([images, images ^ np.uint32(sum(int(bit) << i for i, bit in enumerate(column)))])
        return images

    def __matmul__(self, other: AffineMap) -> AffineMap:
        """A(B(x))."""
        if not isinstance(other, AffineMap):
            return NotImplemented
        if other.outputs != self.inputs:
            raise UsageError(f"B has {other.outputs} outputs and A {self.inputs} inputs")
        return AffineMap(self.matrix @ other.matrix % 2, self(other.constant))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineMap):
            return NotImplemented
        return np.array_equal(self.matrix, other.matrix) and self.constant == other.constant

    def __hash__(self) -> int:
        return hash((self.matrix.shape, self.matrix.tobytes(), self.constant))

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineMap, (self.matrix, self.constant)

    def __repr__(self) -> str:
        return f"AffineMap({self.matrix.tolist()}, {self.constant:#x})"
