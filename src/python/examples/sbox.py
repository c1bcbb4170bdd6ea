"""Is an S-box as good as its paper says? The box of PRESENT, compared with 200 random permutations.

usage: sbox.py
"""

import numpy as np

import fugu

PRESENT = fugu.SBox([12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2])


def main() -> None:
    box = PRESENT
    print(f"differential uniformity {box.differential_uniformity}, linearity {box.linearity}, degree {box.degree}")
    print(f"branch numbers {box.differential_branch_number} and {box.linear_branch_number}")
    print(f"boomerang uniformity {box.boomerang_uniformity}, {box.equations[1]} quadratic equations")
    print("DDT, first rows:")
    print(box.ddt()[:4])

    # The strongest linear approximations: a on the inputs, b on the outputs.
    lat = box.lat()
    lat[0, 0] = 0
    for a, b in np.argwhere(np.abs(lat) == box.linearity)[:3]:
        print(f"{a:x}.x = {b:x}.S(x) with correlation {lat[a, b] / len(box):+}")

    random = np.random.default_rng(1)
    rivals = [fugu.SBox(random.permutation(16)) for _ in range(200)]
    as_good = sum(r.differential_uniformity <= 4 and r.linearity <= 8 for r in rivals)
    print(f"as good among 200 random permutations: {as_good}")


if __name__ == "__main__":
    main()
