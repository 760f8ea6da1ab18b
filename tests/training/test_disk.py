from __future__ import annotations

import errno
import threading

import pytest

from lit_roberta.errors import UserError
from lit_roberta.training.disk import full_disk_in_one_line


def full(path: str | None = "/runs/events") -> OSError:
    return OSError(errno.ENOSPC, "No space left on device", path)


def test_full_disk_is_one_line_with_the_place_and_the_way_on() -> None:
    with pytest.raises(UserError) as raised, full_disk_in_one_line():
        raise full()
    line = str(raised.value)
    assert "(/runs/events): No space left on device." in line
    assert "--ckpt_path last" in line


def fail_twice(first: Exception, second: Exception) -> None:
    """Fail, and fail again in cleaning up."""
    with full_disk_in_one_line():
        try:
            raise first
        finally:
            raise second


def test_it_is_found_behind_what_a_clean_up_raised() -> None:
    with pytest.raises(UserError, match="No space left"):
        fail_twice(full(), OSError("Writer is closed"))  # as TensorBoard's


def test_what_a_checkpoint_said_is_kept() -> None:
    said = UserError("the checkpoint folder must take a file")
    with pytest.raises(UserError, match=r"^the checkpoint folder"):
        fail_twice(said, full())


def test_every_other_error_keeps_its_traceback() -> None:
    for error in (ValueError("ours"), FileNotFoundError(errno.ENOENT, "No such file")):
        with pytest.raises(type(error)) as raised, full_disk_in_one_line():
            raise error
        assert raised.value is error


def test_thread_that_writes_prints_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    def write() -> None:
        raise full()

    hook = threading.excepthook
    with full_disk_in_one_line():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert capsys.readouterr().err == ""
    assert threading.excepthook is hook
