"""Hypothesis on random examples: ``python -m tests.random_examples SECONDS [FILE...]``.

The suite itself tries the same examples at every run. This command runs the hypothesis tests of
all files, or of those named, each time with a new random seed, until the seconds have passed or a
test has failed. It prints the command of each run, which repeats it.
"""

import argparse
import random
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.random_examples", description=(__doc__ or "").replace("`", "")
    )
    parser.add_argument("seconds", type=float, help="start no further run after so many seconds")
    parser.add_argument("files", nargs="*", default=["tests"], metavar="FILE")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        seed = random.SystemRandom().getrandbits(32)
        options = ["-m", "hypothesis", "--hypothesis-profile=random", f"--hypothesis-seed={seed}"]
        command = ["-m", "pytest", *args.files, *options]
        print("python", *command, flush=True)
        status = subprocess.run([sys.executable, *command], check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
