"""One parser under a fuzzer that is led by coverage: `python -m tests.parsers.fuzz NAME [OPTIONS]`.

Options are libFuzzer's. It ends with another code than 0 at the first defect, and writes its input.
"""

import sys

import atheris

with atheris.instrument_imports(include=["app", "protego", "idna"]):
    from tests.parsers.targets import TARGETS


def main() -> None:
    target = TARGETS[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target.parse)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
