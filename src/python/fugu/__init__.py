"""Blowfish at full speed, and a laboratory for Walsh spectra.

Spectra:      walsh, inverse_walsh, convolve, autocorrelate, character_table, vilenkin_chrestenson
Cryptography: BooleanFunction, SBox, sboxes, invariants, compare, equivalent, self_equivalences, canonical, class_of,
              walsh_zero_spaces, thickness_spectrum, ccz_permutation, ea_classes, tu_decomposition, initial_sboxes,
              blowfish_sboxes, weak_keys, random_key_statistics, p_valued_properties
Solvers:      fugu.models: clauses, facets, inequalities of a table, for SAT and MILP
Pictures:     plot_lat, plot_ddt, plot_act, plot_bct, on matplotlib's axes
Cipher:       seal, open, seal_file, open_file, open_directory, recognise, Blowfish
Errors:       Error and its subclasses, one per kind

Results equal those of the program ``fugu``. The papers' own algorithms (``fugu spectral --algorithm 0`` to ``6``, slower ways
to the same spectra) are the program's alone. An attribute by SageMath's name is answered with ours. There are no settings, and
nothing is printed, except within ``with progress():``, which shows how far long work on S-boxes and Boolean functions has come;
their method ``seconds`` is the estimate for a property. Ctrl-C ends long work, but one derivation of a key from a passphrase is
finished first.
"""

from . import _fugu
from ._affine import AffineMap
from ._blowfish_boxes import (
    BoxStatistics,
    WeakKey,
    blowfish_sboxes,
    initial_sboxes,
    random_key_statistics,
    weak_keys,
)
from ._boolean import BooleanFunction
from ._ccz import (
    TuDecomposition,
    WalshZeroSpace,
    ccz_permutation,
    ea_classes,
    thickness_spectrum,
    tu_decomposition,
    walsh_zero_spaces,
)
from ._cipher import (
    Blowfish,
    Opened,
    OpenedDirectory,
    open,
    open_directory,
    open_file,
    recognise,
    seal,
    seal_file,
)
from ._equivalence import (
    Canonical,
    Comparison,
    Difference,
    Equivalence,
    Invariant,
    ListedClass,
    canonical,
    class_of,
    compare,
    equivalent,
    invariants,
    self_equivalences,
)
from ._errors import (
    DamagedError,
    EngineError,
    Error,
    FileError,
    Interrupted,
    MismatchError,
    NoDeviceError,
    OutOfMemoryError,
    UnknownFormatError,
    UsageError,
    WrongKeyError,
)
from ._groups import PValued, character_table, p_valued_properties, vilenkin_chrestenson
from ._plots import plot_act, plot_bct, plot_ddt, plot_lat
from ._progress import progress
from ._sbox import SBox
from ._sboxes import SBoxes, sboxes
from ._transforms import autocorrelate, convolve, inverse_walsh, walsh

__version__ = _fugu.VERSION

__all__ = [
    "AffineMap",
    "Blowfish",
    "BooleanFunction",
    "BoxStatistics",
    "Canonical",
    "Comparison",
    "DamagedError",
    "Difference",
    "EngineError",
    "Equivalence",
    "Error",
    "FileError",
    "Interrupted",
    "Invariant",
    "ListedClass",
    "MismatchError",
    "NoDeviceError",
    "Opened",
    "OpenedDirectory",
    "OutOfMemoryError",
    "PValued",
    "SBox",
    "SBoxes",
    "TuDecomposition",
    "UnknownFormatError",
    "UsageError",
    "WalshZeroSpace",
    "WeakKey",
    "WrongKeyError",
    "__version__",
    "autocorrelate",
    "blowfish_sboxes",
    "canonical",
    "ccz_permutation",
    "character_table",
    "class_of",
    "compare",
    "convolve",
    "ea_classes",
    "equivalent",
    "initial_sboxes",
    "invariants",
    "inverse_walsh",
    "open",
    "open_directory",
    "open_file",
    "p_valued_properties",
    "plot_act",
    "plot_bct",
    "plot_ddt",
    "plot_lat",
    "progress",
    "random_key_statistics",
    "recognise",
    "sboxes",
    "seal",
    "seal_file",
    "self_equivalences",
    "thickness_spectrum",
    "tu_decomposition",
    "vilenkin_chrestenson",
    "walsh",
    "walsh_zero_spaces",
    "weak_keys",
]
