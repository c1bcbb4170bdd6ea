"""Ctrl-C during long work raises KeyboardInterrupt soon, and everything can be used afterwards."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time

import pytest

# Each call takes minutes on any machine unless it is interrupted, or takes 4 GB.
WORK = {
    "gamma_rank": "box.gamma_rank",
    "exhaustive": "fugu.blowfish_sboxes(b'key')[0].exhaustive_nonlinearity_histogram",
    "polynomial": "function.polynomial",
    "pbkdf2": "[fugu.seal(b'', passphrase='p', format='openssl', options={'pbkdf2': True, 'iter': 10**5}) for _ in range(10**6)]",
    "scrypt": "[fugu.seal(b'', passphrase='p', options={'scrypt-cost': 20}) for _ in range(10**6)]",
    "immunity": "fugu.BooleanFunction(random.integers(0, 2, 1 << 16)).algebraic_immunity",
    "boomerang": "fugu.SBox(random.permutation(1 << 16)).boomerang_uniformity",
    "transforms": "[fugu.walsh(x, out=x) for _ in range(10**6)]",
    "cipher": "[cipher.update(data) for _ in range(10**6)]",
    "chain": "fugu.seal_file('/dev/zero', folder.name + '/never', key=b'k' * 16, format='raw', options={'mode': 'cfb8', 'iv': '00' * 8})",
    "sealing": "fugu.seal_file('/dev/zero', folder.name + '/never', key=b'k' * 16)",
    "silent_pipe": "fugu.open_file(f'/dev/fd/{os.pipe()[0]}', folder.name + '/never', key=b'k' * 16)",
    "characters": "[fugu.character_table('3^8', dtype=np.uint8) for _ in range(10**6)]",
    "seal": "[fugu.seal(data, key=b'k' * 16, format='raw', options={'mode': 'cbc', 'iv': '00' * 8}) for _ in range(10**6)]",
}

# Before it.
FIRST = {
    "polynomial": "function = fugu.BooleanFunction(packed=random.bytes(1 << 24), variables=27); function.algebraic_normal_form",
}

PROGRAM = """
import os, resource, tempfile, numpy as np, fugu
random = np.random.default_rng(1)
box = fugu.SBox(random.permutation(256))
x = np.zeros(1 << 22, np.float32)
data = bytes(1 << 26)
cipher = fugu.Blowfish(b"key", "cbc", bytes(8))
folder = tempfile.TemporaryDirectory()
{first}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 21  # KiB
assert not os.listdir(folder.name)
box.linearity, fugu.walsh(np.ones(4))
assert len(cipher.update(bytes(64))) == 64
print("usable")
"""


def heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs, and what they start, ignore it


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c(work: str) -> None:
    code = textwrap.dedent(PROGRAM).format(first=FIRST.get(work, ""), work=WORK[work])
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (out, err, process.returncode) == ("interrupted\nusable\n", "", 0)
