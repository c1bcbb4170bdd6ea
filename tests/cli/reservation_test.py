"""An output that no disk can hold. Its reservation takes all space that is left on this disk for a moment."""

import support


class Reservation(support.Case):
    def test_output_that_cannot_fit(self):
        with open(self.path("a"), "wb") as file:
            file.truncate(1 << 43)
        code, out, err = self.run_fugu("encrypt", "-q", "--pass", "file:pass", "a")
        self.assertEqual((code, out), (2, b""))
        self.assertRegex(err, r"^fugu: a.fugu: cannot reserve 8796093022208 bytes: .*\n$")
        self.assertEqual(self.names(), ["a", "pass"])


if __name__ == "__main__":
    support.main()
