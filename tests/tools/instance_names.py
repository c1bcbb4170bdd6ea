"""No two files of a program have an instance of one name for different objects of their unnamed namespaces.

usage: instance_names.py PROGRAM       needs nm

g++ 14 gives such instances, `recognise_if<(anonymous namespace)::is_mine>`, external linkage, and the linker keeps only one
of them: other compilers keep them apart, and show here that there are two.
"""

import collections
import re
import subprocess
import sys

# The mangled name of a template that is in no unnamed namespace, with an argument that is.
INSTANCE = re.compile(r"_ZN((?!_GLOBAL__N_)[^I])*I.*L_ZN.*_GLOBAL__N_")


def main() -> int:
    listing = subprocess.run(["nm", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
    names = collections.Counter(line.split()[-1] for line in listing.splitlines())
    instances = [name for name in names if INSTANCE.match(name)]
    shared = [name for name in instances if names[name] > 1]
    print("\n".join(shared) or f"{len(instances)} instances, each with a name of its own")
    return 1 if shared or not instances else 0


if __name__ == "__main__":
    sys.exit(main())
