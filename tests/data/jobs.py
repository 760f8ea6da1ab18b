"""What processes are asked to do in tests: it has to be importable by them."""

from __future__ import annotations

import os
import signal
import sys
import time

from lit_roberta.errors import UserError


def double(number: int) -> int:
    return 2 * number


def process_of(number: int) -> int:
    time.sleep(0.02)
    return os.getpid()


def talk(number: int) -> int:
    sys.stdout.write("what a library prints\n" * number)
    sys.stdout.flush()
    return number


def wait(number: int) -> int:
    time.sleep(600)
    return number


def fail_at_three(number: int) -> int:
    if number == 3:
        raise UserError("three must not be")
    return number


def break_at_three(number: int) -> int:
    return [0, 1, 2][number]


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def exit_at_three(number: int) -> int:
    return sys.exit(0) if number == 3 else number
