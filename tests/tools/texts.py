"""Prints all texts that a user can meet, in the order of the sources: FILE:LINE: TEXT. Those of one kind have the same wording.

usage: texts.py ROOT       exit status 1 after the texts whose wording is one that INSTEAD replaces
"""

import pathlib
import re
import sys

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])+\'|\s+|(?P<code>\w+|.)', re.S)
SEVERAL_WORDS = re.compile(r"[a-z]{2,} [a-z{('-]")
INSTEAD = {r"(?<![Tt]here )\b(is|are) no (?!longer)": "is not a", r"\b(is|are) none\b|\bthat none\b": "has no valid, or cannot",
           r"\bsay (with )?-": "give", r"\bknows? nothing\b": "cannot, or has no", r"\bhas not (its|a|\d)": "does not have",
           r"\bmeans nothing to\b": "does not apply to", r"\bcut off\b": "truncated", r"\bno end\b|without end\b": "its end is missing",
           r"\bcomes? out\b": "the plaintext is", r"\bin clear\b": "unencrypted", r"\bdata (are|do)\b": "the data is", r"\b(an|no|the) iv\b": "IV"}


def texts(source):
    """(line, text) of each run of string literals."""
    parts, begin, line = [], 0, 1
    for found in TOKEN.finditer(source):
        literal = found["text"] if found["raw"] is None else found["raw"]
        if literal is not None:
            begin = begin if parts else line
            parts.append(literal)
        elif found["code"] and parts:
            yield begin, "".join(parts)
            parts = []
        line += found[0].count("\n")


def main():
    root, faults, count = pathlib.Path(sys.argv[1]), [], 0
    for path in sorted([*root.glob("src/**/*.cpp"), *root.glob("src/**/*.hpp")]):
        for line, text in texts(path.read_text()):
            if SEVERAL_WORDS.search(text):
                count += 1
                print(row := f"{path.relative_to(root)}:{line}: {text}")
                faults += [f"{row}\n    better: {better}" for worse, better in INSTEAD.items() if re.search(worse, text)]
    print(f"{count} texts", *faults, sep="\n")
    return 1 if faults or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
