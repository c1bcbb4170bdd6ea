"""Passphrases and keys: the prompt on a terminal, the other sources, and that they appear nowhere."""

import base64
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import support
from support import CHEAP, DEFAULT, PASS, PASSPHRASE, WRONG, Case, as_nobody, openssl, pattern
from terminal import Screen, Shell, Terminal

SECRET = PASSPHRASE.encode()
DATA = b"data to find again"
PBKDF2 = ["-d", "-bf-cbc", "-pbkdf2", "-pass", "file:pass"]


class Prompt(Case):
    FILES = {"a": "data"}

    def test_encrypting_asks_twice_without_echo(self):
        terminal = Terminal(self, "encrypt", "-q", "--format", "openssl", "a")
        self.assertEqual(terminal.answer(b"Passphrase: ", SECRET), b"Passphrase: ")
        self.assertEqual(terminal.answer(b"again: ", SECRET), b"\r\nPassphrase again: ")
        self.assertEqual(terminal.finish(), (0, b"", "", b"\r\n"))
        self.assertTrue(terminal.echoes())
        self.assertEqual(openssl(PBKDF2, self.read("a.fugu"), self.directory), b"data")

    def test_decrypting_asks_once_while_standard_input_is_data(self):
        self.write("a", pattern(1000))
        self.encrypt("a")
        with open(self.path("a.fugu"), "rb") as data:
            terminal = Terminal(self, "decrypt", "-q", *DEFAULT, stdin=data)
        terminal.answer(b"Passphrase: ", SECRET)
        self.assertEqual(terminal.finish(), (0, pattern(1000), "", b"\r\n"))

    def test_nothing_is_asked_for_what_cannot_be_shown(self):
        """Sealed files are not text, so a terminal as standard output is refused before the prompt."""
        terminal = Terminal(self, "encrypt", stdin=subprocess.DEVNULL, stdout=Screen(self).line)
        self.assertEqual(terminal.finish(), (2, None, "fugu: standard output: is a terminal, and the output is not text; use -o OUT "
                                             "or a redirection; nothing was written\n", b""))

    def test_reading_a_terminal_is_said(self):
        self.encrypt("a", "-a")
        note = "fugu: standard input is this terminal: type or paste the data, and end it with Ctrl-D\n"
        for subcommand in ("decrypt", "verify", "info"):
            screen = Screen(self)
            screen.type(self.read("a.fugu") + b"\n\x04")
            secret = [] if subcommand == "info" else [*PASS, *DEFAULT]
            process = self.start(subcommand, *secret, stdin=screen.line)
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, err.decode()[:len(note)]), (0, note))
            self.assertIn({"decrypt": b"data", "verify": b"4 bytes of plaintext", "info": b"base64"}[subcommand], out)

    def test_several_files_are_asked_for_once(self):
        for name in "abc":
            self.write(name, name)
        terminal = Terminal(self, "encrypt", "-q", "--format", "openssl", "a", "b", "c")
        for prompt in (b"Passphrase: ", b"again: "):
            terminal.answer(prompt, SECRET)
        self.assertEqual(terminal.finish(), (0, b"", "", b"\r\n"))
        self.decrypt("-f", "a.fugu", "b.fugu", "c.fugu")

    def test_two_different_answers(self):
        """They are asked for three times."""
        differ = "fugu: the two passphrases differ; "
        for tries in (2, 3):
            terminal = Terminal(self, "encrypt", "-q", "--format", "openssl", "a")
            for _ in range(tries):
                terminal.answer(b"Passphrase: ", SECRET)
                terminal.answer(b"again: ", b"something else")
            if tries == 2:
                terminal.answer(b"Passphrase: ", SECRET)
                terminal.answer(b"again: ", SECRET)
                self.assertEqual(terminal.finish(), (0, b"", 2 * (differ + "try again\n"), b"\r\n"))
                self.assertEqual(openssl(PBKDF2, self.read("a.fugu"), self.directory), b"data")
                os.remove(self.path("a.fugu"))
        self.assertEqual(terminal.finish(), (1, b"", 2 * (differ + "try again\n") + differ + "nothing was written\n", b"\r\n"))
        self.assertTrue(terminal.echoes())
        self.assertEqual(self.names(), ["a", "pass"])

    def tries(self, command, files, answers, **options):
        """The wrong answers are all but the last one or, of three, all."""
        terminal = Terminal(self, *command, *files, **options)
        for number, answer in enumerate(answers):
            self.assertEqual(terminal.answer(b"Passphrase: ", answer), (b"\r\n" if number else b"") + b"Passphrase: ")
        return terminal.finish()

    def test_a_wrong_passphrase_is_asked_for_again(self):
        for name in "ab":
            self.write(name, name)
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, "a", "b")
        wrong = f"fugu: a.fugu: {WRONG}; "
        for command, out in ((["decrypt", "-q", "-f"], b""), (["verify"], b"a.fugu: 1 byte of plaintext, sealed, every segment authentic\n")):
            self.assertEqual(self.tries(command, ["a.fugu"], [b"x", b"", SECRET]), (0, out, 2 * (wrong + "try again\n"), b"\r\n"))
            status, _, err, _ = self.tries(command, ["a.fugu"], [b"x", b"y", b"z"])
            last = "nothing was written\n" if command[0] == "decrypt" else ""
            self.assertEqual((status, err), (3, 2 * (wrong + "try again\n") + (wrong + last).strip("; \n") + "\n"))
        self.assertEqual((self.read("a")), b"a")

    def test_it_is_asked_for_once_for_several_files(self):
        for name in "abcd":
            self.write(name, name)
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, *"abcd")
        names = [f"{name}.fugu" for name in "abcd"]
        status, _, err, _ = self.tries(["decrypt", "-q", "-f", "-T", "2"], names, [b"x", SECRET])
        self.assertEqual((status, err.count("try again")), (0, 1))
        self.write("other", "another\n")
        self.expect(0, b"", "", "encrypt", "-q", "-f", "--pass", "file:other", "--scrypt-cost", "10", "b")
        status, _, err, _ = self.tries(["decrypt", "-q", "-f", "-T", "1"], names[:2], [SECRET])  # which opened a.fugu
        self.assertEqual((status, err), (3, f"fugu: b.fugu: {WRONG}; nothing was written\n"))

    def test_what_cannot_be_read_again_is_tried_once(self):
        self.expect(0, b"", "", "encrypt", "-q", *CHEAP, "a")
        with open(self.path("a.fugu"), "rb") as data:
            self.assertEqual(self.tries(["decrypt", "-q"], [], [b"x"], stdin=data)[0], 3)

    def generated(self):
        """Encrypts with an empty answer; returns the passphrase that was shown and the other messages."""
        terminal = Terminal(self, "encrypt", "--format", "openssl", "-f", "a")
        terminal.answer(b"Passphrase: ", b"")
        status, out, err, shown = terminal.finish()
        self.assertEqual((status, out), (0, b""))
        match = re.fullmatch(rb"\r\nThe passphrase, shown only once: ((?:[a-z2-9]{5}-){4}[a-z2-9]{5})\r\n", shown)
        self.assertIsNotNone(match, shown)
        return match[1], err

    def test_an_empty_answer_makes_a_passphrase(self):
        first, err = self.generated()
        self.assertEqual(err, "fugu: press Enter to have a random passphrase generated and shown\n")
        second, _ = self.generated()
        self.assertNotEqual(first, second)
        self.write("pass", second)
        self.assertEqual(openssl(PBKDF2, self.read("a.fugu"), self.directory), b"data")

    def test_an_empty_answer_decrypts_with_nothing(self):
        self.encrypt("a", "-o", "b")
        status, _, err, _ = self.tries(["decrypt", "-q", *DEFAULT], ["b", "-o", "c"], [b"", b"", b""])
        self.assertEqual((status, err.count("try again")), (3, 2))

    def test_suspended_the_shell_has_its_echo_and_the_prompt_comes_again(self):
        shell = Shell(self, "encrypt", "-q", "--format", "openssl", "a")
        shell.expect(b"Passphrase: ")
        shell.type(b"wro\x1a")  # Ctrl-Z
        shell.wait_until_stopped()
        self.assertTrue(shell.echoes())
        self.assertEqual(shell.expect(b"\n"), b"\r\n")
        shell.resume()
        self.assertEqual(shell.answer(b"Passphrase: ", SECRET), b"Passphrase: ")
        shell.answer(b"again: ", SECRET)
        self.assertEqual(shell.finish(), 0)
        self.assertTrue(shell.echoes())
        self.assertEqual(openssl(PBKDF2, self.read("a.fugu"), self.directory), b"data")

    def test_keys_that_end_the_program_bring_the_echo_back(self):
        for key, number in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):  # Ctrl-C, Ctrl-\
            terminal = Terminal(self, "encrypt", "-q", "--format", "openssl", "a")
            terminal.expect(b"Passphrase: ")
            self.assertFalse(terminal.echoes())
            terminal.type(key)
            self.assertEqual(terminal.finish(), (-number, b"", "", b"\r\n"))
            self.assertTrue(terminal.echoes())
        self.assertEqual(self.names(), ["a", "pass"])

    def test_end_of_input(self):
        terminal = Terminal(self, "encrypt", "-q", "--format", "openssl", "a")
        terminal.expect(b"Passphrase: ")
        terminal.type(b"\x04")
        self.assertEqual(terminal.finish()[:3], (2, b"", "fugu: no passphrase was typed\n"))
        self.assertTrue(terminal.echoes())

    def test_no_terminal(self):
        self.expect(1, b"", "fugu: no new passphrase: there is no terminal to ask on; give --new-pass file:F, env:V, fd:N or cmd:C\n",
                    "rekey", *PASS, "a")
        self.expect(1, b"", "fugu: no passphrase: there is no terminal to ask on; give --pass file:F, env:V, fd:N or "
                    "cmd:C\n", "encrypt", "-q", "--format", "openssl", "a")
        self.assertEqual(self.names(), ["a", "pass"])


class Places(Case):
    FILES = {"a": "data to find again"}

    def opens(self):
        self.assertEqual(openssl(PBKDF2, self.read("a.fugu"), self.directory), b"data to find again")
        os.remove(self.path("a.fugu"))

    def test_file_takes_the_first_line(self):
        for text in (SECRET, SECRET + b"\n", SECRET + b"\nmore\n"):
            self.write("p", text)
            self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", "--pass", "file:p", "a")
            self.opens()

    def test_a_final_carriage_return(self):
        """It is part of the passphrase, for the real openssl too."""
        self.write("p", SECRET + b"\r\n")
        note = ("the passphrase ends in a carriage return (CR), as files from Windows do; if it is not part of it, "
                "remove it with tr -d '\\r'\n")
        made = openssl(["-bf-cbc", "-pbkdf2", "-md", "sha256", "-pass", "file:p"], b"data to find again", self.directory)
        self.write("a.fugu", made)
        out = "data to find again"
        self.expect(0, out, f"fugu: p: {note}{support.NOT_AUTHENTICATED}", "decrypt", *DEFAULT, "--pass", "file:p", "a.fugu", "-o", "-")
        self.expect(0, out, f"fugu: environment variable FUGU_TEST_PASS: {note}{support.NOT_AUTHENTICATED}", "decrypt", *DEFAULT, "--pass",
                    "env:FUGU_TEST_PASS", "a.fugu", "-o", "-", variables={"FUGU_TEST_PASS": PASSPHRASE + "\r"})
        self.expect(0, out, "", "decrypt", "-q", *DEFAULT, "--pass", "file:p", "a.fugu", "-o", "-")

    def test_a_byte_order_mark(self):
        self.write("p", b"\xef\xbb\xbf" + SECRET)
        self.write("a.fugu", openssl(["-bf-cbc", "-pbkdf2", "-pass", "file:p"], b"data to find again", self.directory))
        self.expect(0, "data to find again", "fugu: p: the passphrase begins with a byte order mark (EF BB BF), as files from Windows do; "
                    f"if it is not part of it, remove it with tail -c +4\n{support.NOT_AUTHENTICATED}", "decrypt", *DEFAULT, "--pass",
                    "file:p", "a.fugu", "-o", "-")

    def test_habits_of_openssl(self):
        """The passphrase is not repeated."""
        places = "a passphrase is given by --pass file:F, env:V, fd:N or cmd:C"
        for arguments in (["-k", "secret", "a"], ["-k", "secret"], ["a", "-k", "secret", "-o", "x"]):
            self.expect(1, b"", f"fugu: a FILE does not exist; -k keeps the input, and {places}\n", "encrypt", *arguments)
        for arguments in (["-p", "secret", "a"], ["-psecret", "a"], ["-pass", "pass:secret", "a"]):
            self.expect(1, b"", f"fugu: unrecognised option '-p' ({places}); see fugu decrypt --help\n", "decrypt", *arguments)
        self.expect(2, b"", "fugu: none: cannot open: No such file or directory\n", "encrypt", "-q", *CHEAP, "-k", "none")

    def test_what_other_programs_read_of_a_passphrase_file(self):
        """Nothing after a NUL, and openssl and mcrypt no more than so many bytes: that is their passphrase. One note says so."""
        self.write("a", DATA)
        self.write("b", "data")
        home = os.path.join(self.directory, "home")
        os.mkdir(home, 0o700)
        gpg = ["gpg", "--homedir", home, "--batch", "--pinentry-mode", "loopback", "--passphrase-file", "long", "-c", "--cipher-algo",
               "BLOWFISH"]
        programs = {"openpgp": (gpg, None), "mcrypt": (["mcrypt", "-q", "-F", "-a", "blowfish", "-m", "cbc", "-f", "long"], 512),
                    "openssl": ([], 1023)}
        for codec, (program, most) in programs.items():
            if program and not shutil.which(program[0]):
                continue
            lengths = [(b"p\0q", 1), (b"p", 1), *([(b"p" * most, most), (b"p" * (most + 1), most)] if most else [])]
            for passphrase, read in lengths:
                self.write("long", passphrase + b"\n")
                made = (subprocess.run(program, input=DATA, capture_output=True, check=True, cwd=self.directory).stdout if program else
                        openssl(["-bf-cbc", "-pbkdf2", "-pass", "file:long"], DATA, self.directory))
                self.write("made", made)
                err = self.ends(0, DATA, "decrypt", "--pass", "file:long", "-o", "-", "made")
                said = f"the passphrase of {codec} is the first {read} of these {len(passphrase)} bytes"
                self.assertEqual(said in err, read != len(passphrase), err)
        self.write("long", b"p\0q\n")
        said = ("fugu: the passphrase of openssl is the first 1 of these 3 bytes: the program that made it reads no more of a passphrase file, and stops at a NUL\n")
        status, _, err = self.run_fugu("encrypt", "-f", "--format", "openssl", "--pass", "file:long", "a", "b")
        self.assertEqual((status, err.partition("fugu: 2 of 2 files")[0]), (0, said))
        same = openssl(["-d", "-bf-cbc", "-pbkdf2", "-pass", "file:long"], self.read("a.fugu"), self.directory)
        self.assertEqual(same, DATA)
        environment = {**os.environ, "FUGU_TEST_PASS": "p" * 1024}  # openssl takes all of a variable
        self.write("made", openssl(["-bf-cbc", "-pbkdf2", "-pass", "env:FUGU_TEST_PASS"], b"data", self.directory, environment))
        self.expect(0, b"data", "", "decrypt", "-q", *DEFAULT, "--pass", "env:FUGU_TEST_PASS", "-o", "-", "made", env=environment)

    def test_environment(self):
        self.gives("", "encrypt", "-q", "--format", "openssl", "--pass", "env:FUGU_TEST_PASS", "a",
                   variables={"FUGU_TEST_PASS": PASSPHRASE})
        self.opens()

    def test_descriptor(self):
        reading, writing = os.pipe()
        os.write(writing, SECRET + b"\nmore")
        os.close(writing)
        self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", "--pass", f"fd:{reading}", "a", pass_fds=[reading])
        self.opens()
        self.assertEqual(os.read(reading, 10), b"more")
        os.close(reading)

    def test_descriptor_0_holds_the_passphrase_and_then_the_data(self):
        out = self.output("encrypt", "-q", "--format", "openssl", "--pass", "fd:0", input=SECRET + b"\nthe data")
        self.assertEqual(openssl(PBKDF2, out, self.directory), b"the data")

    def test_command(self):
        self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", "--pass", f"cmd:echo '{PASSPHRASE}'; echo more", "a")
        self.opens()

    def test_key_places_agree(self):
        key = bytes([0, 10, 13, 255]) + b"key bytes"
        self.write("k", key)
        self.write("h", key.hex()[:9].upper() + " \n" + key.hex()[9:] + "\n")
        raw = ["encrypt", "-q", "--format", "raw", "--mode", "ecb", "a"]
        self.write("b", base64.urlsafe_b64encode(key).decode().rstrip("=")[:7] + "\n" + base64.urlsafe_b64encode(key).decode()[7:])
        variables = {"H": key.hex(), "B": base64.b64encode(key).decode().rstrip("=")}
        reading, writing = os.pipe()
        os.write(writing, key)
        os.close(writing)
        places = ("file:k", "hex-file:h", "base64-file:b", "hex-env:H", "base64-env:B", f"fd:{reading}")
        made = {self.output(*raw, "-o", "-", "--key", place, variables=variables, pass_fds=[reading]) for place in places}
        os.close(reading)
        wanted = openssl(["-bf-ecb", "-K", key.hex().ljust(32, "0")], b"", self.directory)  # the legacy provider is there
        self.assertEqual(len(wanted), 8)
        self.assertEqual(len(made), 1)
        self.write("k", "text key")
        same = self.output(*raw, "-o", "-", "--key", "env:FUGU_TEST_KEY", variables={"FUGU_TEST_KEY": "text key"})
        self.assertEqual(self.output(*raw, "-o", "-", "--key", "file:k"), same)

    def test_failures(self):
        def fails(status, text, option, value):
            raw = ["--format", "raw", "--mode", "ecb"] if option == "--key" else []
            self.expect(status, b"", f"fugu: {text}\n", "encrypt", "-q", *raw, option, value, "a")
            self.assertEqual(self.names(), names)

        self.write("empty", "")
        self.write("line", "\n")
        self.write("long", "x" * 5000)
        self.write("odd", "123")
        names = self.names()
        fails(2, "none: cannot open: No such file or directory", "--pass", "file:none")
        fails(2, "empty: is empty; its first line has to be the passphrase", "--pass", "file:empty")
        fails(1, "the passphrase is empty; nothing was written", "--pass", "file:line")
        fails(1, "long: holds more than 4096 bytes", "--pass", "file:long")
        fails(1, "environment variable FUGU_NOT_SET: it is not set, or was read before (each is read once)", "--pass",
              "env:FUGU_NOT_SET")
        fails(2, "descriptor 77: is not open", "--pass", "fd:77")
        fails(1, "descriptor x: fd: takes the number of an open descriptor", "--pass", "fd:x")
        fails(2, "the passphrase command: failed with status 3", "--pass", "cmd:echo secret; exit 3")
        fails(2, "the passphrase command: was ended by signal 9", "--pass", "cmd:echo secret; kill -9 $$")
        fails(1, "empty: holds 0 bytes; a key has 1 to 4096", "--key", "file:empty")
        fails(1, "odd: does not hold hexadecimal digits, two per byte; file: and env: take bytes as they are", "--key", "hex-file:odd")
        for text in ("QUJ*", "QQ==QQ==", "QUJDR"):
            self.write("odd", text)
            fails(1, "odd: is not base64; file: and env: take bytes as they are", "--key", "base64-file:odd")

    def test_a_key_is_not_read_from_where_the_data_are(self):
        text = "fugu: --key reads all of standard input, but the data is there too; name a FILE or another place for the key\n"
        for place in ("fd:0", "file:/dev/stdin", "hex-file:/dev/stdin"):
            for subcommand in ("encrypt", "decrypt", "verify"):
                for operands in ([], ["-"], ["/dev/stdin"]):
                    self.expect(1, b"", text, subcommand, "--key", place, *operands, input=b"k" * 16)
        self.expect(0, b"", "", "encrypt", "--key", "fd:0", "a", input=b"k" * 16)

    def test_a_secret_given_as_the_value_is_refused_and_not_repeated(self):
        for option, raw, text in [
            ("--pass", [], "--pass takes tty, file:F, env:V, fd:N or cmd:C; a passphrase itself is never given on the command line"),
            ("--key", ["--format", "raw", "--mode", "ecb"],
             "--key takes file:F, hex-file:F, base64-file:F, env:V, hex-env:V, base64-env:V or fd:N; a key itself is never given on the command line")]:
            for value in ("hunter2", "pass:hunter2", "file:", ""):
                self.stops(1, text, "encrypt", "-q", *raw, f"{option}={value}" if value else option, *([] if value else [""]), "a")


class Exposure(Case):
    FILES = {"a": "x"}

    def started(self, place="file:pass", **options):
        """The program after the passphrase was read: the first output is there, and the program waits for more input."""
        process = self.start("encrypt", "-q", "--format", "openssl", "--pass", place, "--chunk", "4K", feed=pattern(1 << 16), **options)
        self.assertEqual(process.stdout.read(8), b"Salted__")
        return process

    def test_nothing_in_the_command_line_or_environment(self):
        if os.geteuid() != 0:
            self.skipTest("only root may read the environment of a process that forbids core dumps")
        process = self.started("env:FUGU_TEST_PASS", variables={"FUGU_TEST_PASS": PASSPHRASE})
        shown = b"".join(pathlib.Path(f"/proc/{process.pid}/{name}").read_bytes() for name in ("cmdline", "environ"))
        process.communicate(timeout=60)
        self.assertIn(b"encrypt\0-q\0", shown)
        self.assertNotIn(SECRET, shown)

    def test_a_passphrase_command_starts_with_ordinary_signals(self):
        self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", "--pass", "cmd:cat /proc/self/status >status; echo pw", "a")
        status = dict(line.split(":\t", 1) for line in self.read("status").decode().splitlines())
        for signals in ("SigBlk", "SigIgn"):
            # The C library reserves two signals beyond the standard ones.
            self.assertEqual(int(status[signals], 16) & 0x7FFFFFFF, 0, signals)

    def test_a_passphrase_command_runs_where_children_are_ignored(self):
        ignore = {"preexec_fn": lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)}
        self.expect(0, b"", "", "encrypt", "-q", "--format", "openssl", "--pass", "cmd:cat pass", "a", **ignore)
        self.expect(2, b"", "fugu: the passphrase command: failed with status 3\n", "decrypt", "-q", "--pass", "cmd:exit 3",
                    "a.fugu", "-o", "b", **ignore)

    def gone(self, name):
        """Whether the process has ended whose number is in the file `name`."""
        number = int(self.read(name))
        try:
            state = pathlib.Path(f"/proc/{number}/stat").read_text()
            return state.rsplit(")", 1)[1].split()[0] in "ZX"  # its parent may not have waited for it yet
        except (FileNotFoundError, ProcessLookupError):  # the second, where it ends between opening and reading
            return True

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_passphrase_command_does_not_outlive_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start("encrypt", "--pass", "cmd:sleep 600 & echo $! >child; echo $$ >shell; wait", "a")
            self.wait_for(lambda: os.path.exists(self.path("shell")) and self.read("shell").endswith(b"\n"))
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            for name in ("child", "shell"):
                self.wait_for(lambda: self.gone(name))
            process.communicate()
            os.remove(self.path("shell"))

    def test_a_passphrase_command_that_says_too_much_is_ended(self):
        self.expect(1, b"", "fugu: the passphrase command: holds more than 4096 bytes\n", "encrypt", "--pass",
                    "cmd:echo $$ >shell; trap '' PIPE TERM; head -c 5000 /dev/zero; sleep 600", "a")
        self.wait_for(lambda: self.gone("shell"))

    def test_no_core_dumps(self):
        process = self.started()
        limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text().splitlines()
        process.communicate(timeout=60)
        self.assertEqual([line.split()[4:6] for line in limits if line.startswith("Max core file size")], [["0", "0"]])

    def test_memory_is_locked_and_nobody_else_may_look_at_it(self):
        nobody = as_nobody(self)  # root may read everything
        process = self.started(**nobody)
        owner = os.stat(f"/proc/{process.pid}/mem").st_uid
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        process.communicate(timeout=60)
        self.assertEqual(owner, 0)  # the files in /proc of a process that is not dumpable belong to root
        # With sanitizers, mlock(2) does nothing and reports success.
        if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != 0 and not os.environ.get("FUGU_SANITIZED"):
            self.assertGreater(int(re.search(r"^VmLck:\s+(\d+)", status, re.MULTILINE)[1]), 0)
