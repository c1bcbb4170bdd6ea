"""How good is a Boolean function as a filter? The majority of five bits, compared with a bent function.

usage: boolean_function.py
"""

import numpy as np

import fugu


def majority(n: int) -> fugu.BooleanFunction:
    return fugu.BooleanFunction(np.bitwise_count(np.arange(1 << n)) > n // 2)


def describe(name: str, f: fugu.BooleanFunction) -> None:
    print(f"{name}: {f.variables} variables, {f.polynomial}")
    print(f"  balanced {f.balanced}, bent {f.bent}, degree {f.degree}, algebraic immunity {f.algebraic_immunity}")
    print(f"  nonlinearity {f.nonlinearity}, correlation immunity {f.correlation_immunity}")
    print(f"  Walsh spectrum {f.walsh_histogram}")


def main() -> None:
    describe("majority", majority(5))
    describe("bent", fugu.BooleanFunction(polynomial="x0 x1 + x2 x3", variables=4))

    # The distance to every linear function a.x at once: 2^(n-1) - W(a) / 2.
    f = majority(5)
    distances = 16 - f.walsh_spectrum() // 2
    print(f"nearest linear functions: a = {np.flatnonzero(distances == distances.min()).tolist()}")

    # A thousand random functions in one call.
    tables = np.random.default_rng(1).integers(0, 2, (1000, 256)).astype(bool)
    nonlinearities = 128 - np.abs(fugu.walsh(tables)).max(axis=1) // 2
    print(f"1000 random functions of 8 variables: nonlinearity {nonlinearities.min()} to {nonlinearities.max()}")


if __name__ == "__main__":
    main()
