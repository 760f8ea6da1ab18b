from __future__ import annotations

import pytest

from lit_roberta.errors import UserError, error_behind, errors_behind
from lit_roberta.training.disk import full_disk_in_one_line


def unwrapped() -> UserError:
    """Raise an error from the wrapping that it was taken out of, as a command line does."""
    inner = UserError("the reason")
    try:
        try:
            raise ValueError("a library's words") from inner
        except ValueError as outer:
            raise inner from outer
    except UserError as error:
        return error


def test_an_error_that_stands_behind_itself_is_looked_through_once() -> None:
    error = unwrapped()
    assert [type(each) for each in errors_behind(error)] == [UserError, ValueError]
    assert error_behind(error, UserError) is error
    assert error_behind(error, KeyError) is None
    assert error_behind(None, KeyError) is None


def test_such_an_error_comes_through_a_watch_for_full_disks() -> None:
    error = unwrapped()
    with pytest.raises(UserError, match="the reason"), full_disk_in_one_line():
        raise error
