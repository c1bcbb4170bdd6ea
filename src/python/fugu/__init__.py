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
from ._affine import AffineMap as AffineMap
from ._blowfish_boxes import (
    BoxStatistics as BoxStatistics, WeakKey as WeakKey, blowfish_sboxes as blowfish_sboxes, initial_sboxes as initial_sboxes,
    random_key_statistics as random_key_statistics, weak_keys as weak_keys,
)
from ._boolean import BooleanFunction as BooleanFunction
from ._cipher import (
    Blowfish as Blowfish, Opened as Opened, OpenedDirectory as OpenedDirectory, open as open, open_directory as open_directory,
    open_file as open_file, recognise as recognise, seal as seal, seal_file as seal_file,
)
from ._equivalence import (
    Canonical as Canonical, Comparison as Comparison, Difference as Difference, Equivalence as Equivalence,
    Invariant as Invariant, ListedClass as ListedClass, TuDecomposition as TuDecomposition, WalshZeroSpace as WalshZeroSpace,
    canonical as canonical, ccz_permutation as ccz_permutation, class_of as class_of, compare as compare,
    ea_classes as ea_classes, equivalent as equivalent, invariants as invariants, self_equivalences as self_equivalences,
    thickness_spectrum as thickness_spectrum, tu_decomposition as tu_decomposition, walsh_zero_spaces as walsh_zero_spaces,
)
from ._errors import (
    DamagedError as DamagedError, EngineError as EngineError, Error as Error, FileError as FileError, Interrupted as Interrupted,
    MismatchError as MismatchError, NoDeviceError as NoDeviceError, OutOfMemoryError as OutOfMemoryError,
    UnknownFormatError as UnknownFormatError, UsageError as UsageError, WrongKeyError as WrongKeyError,
)
from ._groups import (
    PValued as PValued, character_table as character_table, p_valued_properties as p_valued_properties,
    vilenkin_chrestenson as vilenkin_chrestenson,
)
from ._plots import plot_act as plot_act, plot_bct as plot_bct, plot_ddt as plot_ddt, plot_lat as plot_lat
from ._progress import progress as progress
from ._sbox import SBox as SBox
from ._sboxes import SBoxes as SBoxes, sboxes as sboxes
from ._transforms import autocorrelate as autocorrelate, convolve as convolve, inverse_walsh as inverse_walsh, walsh as walsh

__version__ = _fugu.VERSION
__all__ = ["__version__", *(name for name in dir() if not name.startswith("_"))]
