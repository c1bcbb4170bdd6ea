"""The GPU fails after output was written: the exit status is 6, no output file appears, and nothing else is left.

cuda_fault_test.py FUGU BUILT. FUGU is the program with cuda_fault.cpp linked in; BUILT says whether its CUDA calls are counted.
"""

import os
import sys

import support
from support import Case, pattern

SIZE = 200 << 20  # several chunks, the first of which are written long before work on the last begins
RAW = ["-q", "--format", "raw", "--mode", "ctr", "--iv", "zero", "--key", "file:key", "--engine", "cuda:0"]
FAULTS = {
    "out_of_memory": r"cudaErrorMemoryAllocation \(out of memory\)",
    "launch_failure": r"cudaErrorLaunchFailure \(unspecified launch failure\)",
    "lost_device": r"cudaErrorDevicesUnavailable \(.*\)",
}
GPU_TEXT = r"fugu: plain: GPU: [\w ]+ failed: {} at \w+\.cpp:[1-9][0-9]*; {}\n"


class CudaFault(Case):
    FILES = {"key": bytes(range(16)), "plain": pattern(SIZE)}

    def late_calls(self):
        """Calls in the last two thirds of a run's CUDA calls: the first chunks are written before them."""
        self.gives("", "encrypt", *RAW, "plain", "-o", "whole", variables={"FUGU_CUDA_FAULT_COUNT": self.path("count")})
        calls = int(self.read("count"))
        self.assertGreater(calls, 100)
        return [calls * part // 100 for part in (40, 60, 80)]

    def run_failing(self, kind, call, *arguments):
        """Lets the first call from `call` on fail whose failure is an error. Some calls only ask a question (is this memory
        pinned?), which a failure answers with no."""
        for late in range(call, call + 20):
            done = self.run_fugu("encrypt", *RAW, "plain", *arguments, variables={"FUGU_CUDA_FAULT": f"{kind}:{late}"})
            if done[0] != 0:
                return done
            if "-" not in arguments:
                self.assertEqual(self.read("out"), self.read("whole"))
                os.unlink(self.path("out"))
        return self.fail(f"the program succeeded with each of 20 failing calls from {call} on")

    def test_no_file_appears(self):
        calls = self.late_calls()
        before = self.names()
        for kind, error in FAULTS.items():
            for call in calls:
                with self.subTest(kind=kind, call=call):
                    code, out, err = self.run_failing(kind, call, "-o", "out")
                    self.assertEqual((code, out), (6, b""), err)
                    self.assertRegex(err, "^" + GPU_TEXT.format(error, "out was not created") + "$")
                    self.assertEqual(self.names(), before)

    def test_a_file_that_was_there_stays(self):
        call = self.late_calls()[1]
        self.write("out", "old")
        code, _, err = self.run_failing("lost_device", call, "-f", "-o", "out")
        self.assertEqual(code, 6, err)
        self.assertRegex(err, "^" + GPU_TEXT.format(FAULTS["lost_device"], "out was not changed") + "$")
        self.assertEqual(self.read("out"), b"old")

    def test_a_pipe_is_told_how_much_not_to_trust(self):
        code, out, err = self.run_failing("launch_failure", self.late_calls()[2], "-o", "-")
        self.assertEqual(code, 6)
        state = f"the {len(out)} bytes already on standard output are not to be trusted"
        self.assertRegex(err, "^" + GPU_TEXT.format(FAULTS["launch_failure"], state) + "$")
        self.assertGreater(len(out), 0)
        self.assertEqual(out, self.read("whole")[:len(out)])  # the bytes that were released are right


if __name__ == "__main__":
    built = sys.argv.pop(2)
    reason = support.missing_gpu(sys.argv[1]) or (None if built == "ON" else "built without FUGU_FAULT_INJECTION")
    if reason:
        print("skipped: no GPU to fail:", reason)
        sys.exit(1 if os.environ.get("FUGU_REQUIRE_GPU") and built == "ON" else support.SKIPPED)
    support.main()
