# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # A first lecture on Boolean functions and S-boxes
#
# Ten exercises, each with its answer below it. Jupyter opens this file with jupytext; `python lecture.py` checks the answers.
# Bit i of a number x is the variable x_i. The values that are asserted were counted by hand or are those of the paper named.

# %%
import itertools
from fractions import Fraction

import numpy as np

import fugu

# %% [markdown]
# **1. Majority.** f is 1 where at least two of three bits are. Write down its truth table, and its polynomial over GF(2).

# %%
majority = fugu.BooleanFunction([x.bit_count() >= 2 for x in range(8)])
assert majority.polynomial == "x0 x1 + x0 x2 + x1 x2"  # 1 at 011, 101 and 110; at 111 three terms are 1, and their sum is
majority.walsh_spectrum()

# %% [markdown]
# **2. Bent functions.** W(a) is the sum of (-1)^(f(x) + a.x) over all x, so f differs from a.x in 2^(n-1) - W(a) / 2 places.
# The squares of the W(a) add up to 4^n (Parseval). How far from all affine functions can a function of 4 variables be?

# %%
bent = fugu.BooleanFunction(polynomial="x0 x1 + x2 x3", variables=4)
assert set(np.abs(bent.walsh_spectrum()).tolist()) == {4}  # all |W| are alike: none could be smaller (Rothaus 1976)
assert bent.bent and bent.nonlinearity == 8 - 4 // 2 and not bent.balanced
bent.walsh_histogram

# %% [markdown]
# **3. Siegenthaler's bound.** A balanced function whose value does not depend on any t of its inputs alone is t-resilient. Try all
# functions of three variables: how many are balanced, and how large can degree and t be together?

# %%
functions = [fugu.BooleanFunction(values) for values in itertools.product((0, 1), repeat=8)]
balanced = [f for f in functions if f.balanced]
assert len(balanced) == 70  # 8 over 4
assert max(f.degree + f.resiliency for f in balanced if f.degree > 1) == 2  # n - 1 (Siegenthaler 1984)
{t: sum(f.resiliency == t for f in balanced) for t in range(3)}

# %% [markdown]
# **4. An S-box and its differences.** delta(a, b) counts the x with S(x) + S(x + a) = b. Take the box of Heys' tutorial (2002). Why
# is every entry even, and which difference goes to which with probability 1/2?

# %%
heys = fugu.SBox([0xE, 4, 0xD, 1, 2, 0xF, 0xB, 8, 3, 0xA, 6, 0xC, 5, 9, 0, 7])
ddt = heys.ddt()
assert not (ddt % 2).any()  # with x also x + a
assert ddt[0xB, 2] == sum(heys(x) ^ heys(x ^ 0xB) == 2 for x in range(16)) == 8  # Heys 2002
heys

# %% [markdown]
# **5. A differential trail.** Heys' characteristic of three rounds has four active boxes, with B -> 2, 4 -> 6, 2 -> 5 and 2 -> 5.
# How probable is it, if the rounds are independent?

# %%
chance = Fraction(1)
for a, b in ((0xB, 2), (4, 6), (2, 5), (2, 5)):
    chance *= Fraction(int(ddt[a, b]), 16)
assert chance == Fraction(27, 1024)  # Heys 2002
chance

# %% [markdown]
# **6. The picture of linear approximations.** W(a, b) is large where a.x is like b.S(x). An affine box is the worst: each column has
# one black cell. Heys uses x_2 + x_1 = y_3 + y_1 + y_0 (his X2, X3, Y1, Y3, Y4), which holds for 12 of 16 inputs. How do masks and
# differences of one bit fare in the box of PRESENT, whose wires they follow?

# %%
worst = fugu.AffineMap([[0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1]], 5) @ fugu.SBox(range(16))
assert (np.count_nonzero(worst.lat(), axis=0) == 1).all() and worst.nonlinearity == 0
assert heys.lat("bias")[0b0110, 0b1011] == 12 - 8  # W / 2 (Heys 2002)
worst

# %%
present = fugu.SBox.named("PRESENT")
one_bit = [abs(int(present.lat()[1 << i, 1 << j])) for i in range(4) for j in range(4)]
assert (max(one_bit), present.linearity) == (4, 8)  # Bogdanov et al. 2007; Leander and Poschmann 2007
assert (present.one_bit_differences, present.differential_uniformity) == (0, 4)  # so that two bits or more follow from one
present

# %% [markdown]
# **7. The box of AES** is inversion in GF(2^8) and an affine map. What does inversion give, and which parts does the map leave alone?

# %%
aes, inversion = fugu.SBox.named("AES"), fugu.SBox.named("power:8:254:0x11b")
for box in (aes, inversion):
    assert box.differential_uniformity == 4 and box.nonlinearity == 112 and box.degree == 7  # Nyberg 1993
found = fugu.equivalent(inversion, aes, "affine")
assert found.a is not None and found.b is not None
assert found.b @ inversion @ found.a == aes != inversion
assert (inversion.fixed_points, aes.fixed_points) == (2, 0)  # 0 and 1; none (Daemen and Rijmen 2002)
aes

# %% [markdown]
# **8. Almost perfect.** The entries of a row of the DDT are even and add up to 2^n, so the largest is 2 at least. x^3 reaches that in
# every field of 2^n elements: why has x^3 + (x + a)^3 = b at most two solutions? For odd n, W has three values only.

# %%
for n in range(3, 9):
    cube = fugu.SBox.named(f"power:{n}:3")
    assert cube.apn and cube.permutation == (n % 2 == 1)  # Nyberg 1993
    assert n % 2 == 0 or set(map(abs, cube.walsh_histogram)) == {0, 1 << (n + 1) // 2}  # Chabaud and Vaudenay 1994
fugu.SBox.named("power:7:3")

# %% [markdown]
# **9. Equations.** There are 1 + 8 + 28 monomials of degree 2 or less in the four bits of x and four of S(x), and 16 points. How many
# equations has every 4-bit box at least? A random one of 8 bits has none: 137 monomials, 256 points. And AES?

# %%
assert present.equations[1] == 37 - 16  # Biryukov and De Canniere 2003
assert aes.equations[1] == 39  # Courtois and Pieprzyk 2002
present.equations_of_degree(2)[:3]

# %% [markdown]
# **10. All boxes of four bits.** Up to affine maps there are 302 permutations, of which 16 are optimal. To which of these belongs
# PRESENT's, and what do affine maps before and behind it change?

# %%
twist = fugu.AffineMap(np.triu(np.ones((4, 4), int)), 3) @ present @ fugu.AffineMap(np.tril(np.ones((4, 4), int)), 9)
for box in (present, twist):
    everything, optimal = fugu.class_of(box)
    assert (everything.classes, optimal.classes, optimal.number) == (302, 16, 1)  # Leander and Poschmann 2007
assert fugu.canonical(twist).box == fugu.canonical(present).box and twist.ddt().tolist() != present.ddt().tolist()
twist
