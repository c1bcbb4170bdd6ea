"""How few S-boxes are active in three rounds of PRESENT? A model of its DDT and a SAT solver: pip install 'fugu[models]'.

usage: present_trails.py [ROUNDS]
"""

import sys

from pysat.card import CardEnc
from pysat.formula import IDPool
from pysat.solvers import Cadical153

import fugu
import fugu.models

PRESENT = fugu.SBox.named("PRESENT")


def trail_exists(rounds: int, most: int) -> bool:
    """Whether a difference passes that many rounds through at most that many active S-boxes."""
    box, ids = fugu.models.clauses(PRESENT, "ddt"), IDPool()
    state = [ids.id(("in", i)) for i in range(64)]
    active = []
    with Cadical153(bootstrap_with=[state]) as solver:  # not all of the bits are 0
        for number in range(rounds):
            after = [ids.id((number, i)) for i in range(64)]
            for nibble in range(0, 64, 4):
                variables = state[nibble : nibble + 4] + after[nibble : nibble + 4]
                for coefficients, _ in box.inequalities:
                    solver.add_clause([c * v for c, v in zip(coefficients, variables) if c])
                active.append(ids.id(("active", number, nibble)))
                for bit in state[nibble : nibble + 4]:
                    solver.add_clause([-bit, active[-1]])
            state = [after[4 * i % 63 if i < 63 else 63] for i in range(64)]  # bit i goes to 16 i mod 63
        for clause in CardEnc.atmost(active, most, vpool=ids).clauses:
            solver.add_clause(clause)
        return bool(solver.solve())


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    fewest = next(most for most in range(rounds, 16 * rounds + 1) if trail_exists(rounds, most))
    print(f"{rounds} rounds of PRESENT: at least {fewest} active S-boxes")


if __name__ == "__main__":
    main()
