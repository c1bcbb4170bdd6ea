#!/usr/bin/env python3
"""Times Hadamard transforms of PyTorch tensors on a GPU beside a copy of the same tensor, and prints CSV.

usage: hadamard.py [--values LOG2] [--rounds N] [--dao] [--hadacore]    (PYTHONPATH: the package; the peers': their builds)

Rows of one type and length take turns with the copy, round by round; a sample is the mean of a few calls between two events.
`call` is the time of one eager call on a small tensor, synchronised every 100 calls; `graph` that of one call in a CUDA graph.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

import fugu.torch

CALLS = 4


def peers(arguments: argparse.Namespace) -> dict[str, Callable[[Any], Any]]:
    found: dict[str, Callable[[Any], Any]] = {"fugu": fugu.torch.hadamard}
    if arguments.dao:
        from fast_hadamard_transform import hadamard_transform

        found["dao"] = hadamard_transform
    if arguments.hadacore:
        from faster_hadamard_transform import hadamard_transform as hadacore

        found["hadacore"] = lambda x: hadacore(x, inplace=False)
    return found


def microseconds(call: Callable[[], Any]) -> float:
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / CALLS


def sample_batches(arguments: argparse.Namespace, run: dict[str, Callable[[Any], Any]]) -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        values = 1 << (arguments.values - (1 if dtype == torch.float32 else 0))
        for n in range(1, 21):
            x = torch.randn(values, device="cuda").to(dtype).view(-1, 1 << n)
            y = torch.empty_like(x)
            calls = {"copy": lambda: y.copy_(x)} | {name: (lambda f=f: f(x)) for name, f in run.items()}
            for name in list(calls):
                try:
                    calls[name]()
                except RuntimeError:
                    del calls[name]  # a peer without this length
            for round_number in range(arguments.rounds):
                for name, call in calls.items():
                    print(f"batch,{str(dtype)[6:]},{n},{name},{round_number},{microseconds(call):.2f}")


def sample_calls(arguments: argparse.Namespace, run: dict[str, Callable[[Any], Any]]) -> None:
    for n in (7, 12, 15):
        x = torch.randn(1, 1 << n, device="cuda").half()
        y = torch.empty_like(x)
        calls: dict[str, Callable[[], Any]] = {"copy": lambda: y.copy_(x), "walsh": lambda: fugu.walsh(x, out=y)}
        calls |= {name: (lambda f=f: f(x)) for name, f in run.items()}
        graphs: dict[str, Any] = {}
        for name, call in calls.items():
            call()
            graphs[name] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graphs[name]):
                for _ in range(100):
                    call()
        for round_number in range(arguments.rounds):
            for name, call in calls.items():
                torch.cuda.synchronize()
                begin = time.perf_counter()
                for _ in range(100):
                    call()
                torch.cuda.synchronize()
                print(f"call,float16,{n},{name},{round_number},{(time.perf_counter() - begin) * 1e4:.2f}")
                print(f"graph,float16,{n},{name},{round_number},{microseconds(graphs[name].replay) / 100:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--values", type=int, default=28, help="log2 of the number of 16-bit values")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--dao", action="store_true", help="also Dao-AILab's fast-hadamard-transform")
    parser.add_argument("--hadacore", action="store_true", help="also HadaCore")
    arguments = parser.parse_args()
    print("scope,type,log2_size,case,round,microseconds")
    run = peers(arguments)
    sample_calls(arguments, run)
    sample_batches(arguments, run)


if __name__ == "__main__":
    main()
