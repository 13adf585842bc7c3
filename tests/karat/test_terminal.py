"""What others have named is shown, and commands nothing."""

import inspect
import io
import json

import pytest
import typer

from karat.commands.imports import import_images
from karat.terminal import (
    ask_password,
    echo,
    show_error,
    show_json,
    show_table,
    with_options,
)

NAME = "a\x1b]52;c;ZXZpbA==\x07b\x1b[2J\x9b31m 고양이\u200d"


def test_a_name_commands_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("name",), [(NAME,)], "")
    show_error(NAME, NAME)
    echo(NAME)
    echo(NAME, fg="red", err=True)
    show_json({"name": NAME})
    said = capsys.readouterr()
    assert not {"\x1b", "\x07", "\x9b"} & {*said.out, *said.err}
    assert (said.out.count("고양이\u200d"), said.err.count("고양이\u200d")) == (3, 3)
    assert json.loads(said.out[said.out.index("{") :]) == {"name": NAME}


def test_lines_that_end_as_on_windows_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    echo("one\r\ntwo\rover it")
    assert capsys.readouterr().out == "one\ntwo\ufffdover it\n"


def test_a_password_may_come_through_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("correct horse \r\n"))
    assert ask_password("Password") == "correct horse "
    with pytest.raises(typer.BadParameter, match="KARAT_PASSWORD"):
        ask_password("Password")
    assert capsys.readouterr() == ("", "")


def test_messages_of_the_server_name_parameters_as_the_command_line_does() -> None:
    parameters = inspect.signature(import_images).parameters
    columns = [name for name in parameters if name.endswith("_column")]
    assert len(columns) >= 6
    for name in columns:
        option = name.replace("_", "-")
        assert with_options(f"say which does with {name}.") == f"say which does with --{option}."
    assert with_options("say medium=text, and") == "say --medium text, and"
    assert with_options("its medium is text") == "its medium is text"
