"""The rows of tools/peers that are whole programs: a line per program and direction. Options are those of tools/peers, with
`engines`, those that this machine has, and `best_cpu` among them."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

WORD = "figures"  # a passphrase that needs no quoting in shells and editors

class Case(NamedTuple):
    """What is measured, and a shell command; `{...}` in it are files of the run's folder."""

    engine: str
    direction: str  # of "encrypt", "copy" and "decrypt" the output is known; "": it is {out}, if any, and not compared
    threads: int
    command: str
    mode: str = ""
    needs: str = ""  # the engine whose case comes before

    @property
    def target(self) -> str:
        return {"decrypt": "opened", "": "out"}.get(self.direction, "sealed")

    def durable(self) -> "Case":
        """Until the output is on the disk: fugu waits for that, other programs do not."""
        return self._replace(command=f"{self.command} && sync {{{self.target}}}") if self.direction else self


PROCESSORS = len(os.sched_getaffinity(0))
TO, BACK = {"i": "{plain}", "o": "{sealed}"}, {"i": "{sealed}", "o": "{opened}"}
COPY = Case("cp", "copy", 1, "cp {plain} {sealed}")
FORMATS = {"sealed": "--key file:{key}", "ctr": "--format raw --mode ctr --iv 0123456789abcdef --key file:{key}",
           "bf-cbc as openssl enc": "--format openssl --pass file:{word}"}  # fmt: skip
OPENSSL = "openssl enc{d} -{cipher} -provider legacy -provider default -pbkdf2 -pass file:{{word}} -in {i} -out {o}"
GPG = "gpg --homedir {{home}} --batch --quiet --pinentry-mode loopback --passphrase-file {{word}} {action} -o {o} {i}"
GPG_ACTIONS = ("{gpg_old}--symmetric --cipher-algo BLOWFISH --compress-algo none", "--decrypt")
MCRYPT = f"mcrypt -q -F{{d}} -a blowfish -m cbc -k {WORD} < {{i}} > {{o}}"
CCRYPT = "ccrypt -{d} -k {{word}} < {i} > {o}"


def both_ways(engine: str, encrypt: str, decrypt: str) -> Iterator[Case]:
    yield Case(engine, "encrypt", 1, encrypt)
    yield Case(engine, "decrypt", 1, decrypt, needs=engine)


def fugu_cases(engines: Iterable[str], threads: int, formats: Iterable[str]) -> Iterator[Case]:
    for engine in engines:
        for name in formats:
            subject = f"fugu {engine} {name}"
            options = f"-q --engine {engine} -T {threads} {FORMATS[name]}"
            yield Case(subject, "encrypt", threads, f"{{fugu}} encrypt {options} -o {{sealed}} {{plain}}")
            yield Case(subject, "decrypt", threads, f"{{fugu}} decrypt {options} -o {{opened}} {{sealed}}", needs=subject)


def tool_cases(options: argparse.Namespace) -> Iterator[Case]:
    yield COPY
    yield from fugu_cases([options.best_cpu], 1, FORMATS)
    yield from fugu_cases([name for name in options.engines if name in (options.best_cpu, "cuda:0")], PROCESSORS, ["sealed", "ctr"])
    for cipher in ("bf-cbc", "aes-256-ctr"):
        yield from both_ways(f"openssl enc {cipher}", OPENSSL.format(d="", cipher=cipher, **TO), OPENSSL.format(d=" -d", cipher=cipher, **BACK))
    yield from both_ways("gpg BLOWFISH", *(GPG.format(action=action, **files) for action, files in zip(GPG_ACTIONS, (TO, BACK))))
    yield from both_ways("mcrypt blowfish", *(MCRYPT.format(d=d, **files) for d, files in (("", TO), (" -d", BACK))))
    yield from both_ways("ccrypt", CCRYPT.format(d="e", **TO), CCRYPT.format(d="d", **BACK))
    yield from both_ways("age", "age -r {recipient} -o {sealed} {plain}", "age -d -i {identity} -o {opened} {sealed}")


def file_cases(options: argparse.Namespace) -> Iterator[Case]:
    yield COPY
    yield from fugu_cases(options.engine, PROCESSORS, ["ctr", "sealed"])


def large_cases(options: argparse.Namespace) -> Iterator[Case]:
    size, keyed = options.bytes, "{fugu} decrypt --key file:{key}"
    yield Case("fugu", "encrypt", PROCESSORS, "{fugu} encrypt -q --key file:{key} -o {sealed} {plain}", "whole")
    piped = "{fugu} encrypt -q --key file:{key} -o - {hole} | " + keyed + " -o - - > /dev/null"
    yield Case("fugu", "", PROCESSORS, piped, "64 GiB from pipe to pipe")
    yield Case("fugu", "", 1, "{fugu} info {sealed}", "info")
    for name, first, count in (("first 100 bytes", 0, 100), ("100 bytes in the middle", size // 2 - 50, 100),
                               ("last 100 bytes", size - 100, 100), ("1 MiB in the middle", size // 2 + 5, 1 << 20)):  # fmt: skip
        yield Case("fugu", "", 1, f"{keyed} --range {first}:{count} -o - {{sealed}} > /dev/null", f"range: {name}")


def ranks_cases(options: argparse.Namespace) -> Iterator[Case]:
    """mpirun starts its ranks in some tenths of a second, so measure an empty file too: --bytes 0."""
    for ranks in (1, 2, 4, 8, 16):
        mpirun = f"mpirun {options.mpirun} -n {ranks} {{fugu}}-mpi"
        for engine, program, threads in (("fugu", "{fugu}", ranks), ("fugu-mpi", mpirun, 1)):
            how = f"-T {threads} --engine cpu --key file:{{key}} -f -o"
            yield Case(engine, "encrypt", ranks, f"{program} encrypt {how} {{sealed}} {{plain}}", "sealed")
            yield Case(engine, "decrypt", ranks, f"{program} decrypt {how} {{opened}} {{sealed}}", "sealed")


def answer_cases(options: argparse.Namespace) -> Iterator[Case]:
    yield COPY
    for engine in options.engine:
        yield Case(engine, "", PROCESSORS, f"{{fugu}} spectral nonlinearity --from packed --engine {engine} {{plain}}", "nonlinearity packed")


MIB, GIB = 1 << 20, 1 << 30
AUTO_SIZES = {size * MIB for size in (16, 256, 1024, 4096, 16384)}
# {case: (sizes in bytes of its file, arguments)}
AUTO = {
    "ctr": (AUTO_SIZES, "encrypt -qf --key file:{key} --format raw --mode ctr --iv zero -o {out} {plain}"),
    "sealed": ({256 * MIB, 4096 * MIB}, "encrypt -qf --key file:{key} -o {out} {plain}"),
    "nonlinearity": ({1 << n - 3 for n in (16, 20, 24, 26, 28, 29, 30)}, "spectral nonlinearity --from packed {plain}"),
    "walsh": ({4 << n for n in (16, 20, 24, 26, 28)}, "spectral walsh --from raw --type int32 -f -o {out} {small}"),
    **{f"report of {n} bits": ({0}, f"sbox report permutation:{n}:1") for n in (8, 10, 12, 13, 14, 15, 16)},
    **{f"linear of {n} bits": ({0}, f"sbox report --only linear permutation:{n}:1") for n in (14, 15, 16)},
}


def auto_cases(options: argparse.Namespace) -> Iterator[Case]:
    """auto beside the engines that it chooses from, with the built-in figures and with those of engines --calibrate. Give few
    processors by taskset: the GPU then pays for less work."""
    engines = [("cpu", "none"), ("auto", "none")]
    if "cuda:0" in options.engines:
        engines += [("cuda:0", "none"), ("auto, calibrated", "calibrated")]
    for name, (sizes, arguments) in AUTO.items():
        for engine, cache in engines:
            if options.bytes in sizes:
                command = f"XDG_CACHE_HOME={{{cache}}} {{fugu}} {arguments} --engine {engine.split(',')[0]}"
                yield Case(engine, "", PROCESSORS, command, name)


HOLE_BYTES = 64 * GIB
# {set: (cases, sizes in bytes of the file where --bytes does not say)}
SETS: dict[str, tuple[Callable[[argparse.Namespace], Iterable[Case]], list[int]]] = {
    "tools": (tool_cases, [GIB]),
    "file": (file_cases, [1, 1 << 16, 1 << 20, 16 << 20, 64 << 20, 256 << 20, GIB, 4 * GIB]),
    "large": (large_cases, [4 * GIB]),
    "ranks": (ranks_cases, [4 * GIB]),
    "answer": (answer_cases, [128 << 20]),
    "auto": (auto_cases, sorted(set.union(*(sizes for sizes, _ in AUTO.values())))),
}
