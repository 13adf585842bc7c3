"""HEIC is read as phones mean it, and a damaged one costs nobody else anything."""

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
import psutil
import pytest
from PIL import Image

from core.media.images import heif_decoder, heif_processes
from core.media.images.rendition import rendered, upright_and_turn
from models.frame import Frame
from tests import zoo
from tests.processes import children_called, eventually
from workers.imports.media.decode import decode
from workers.imports.media.unlike import begins_as_image

GOOD, SEEN = zoo.made(zoo.Kind("HEIF", "RGB", 6))
# An item of a kind that is no text, at which the reader stumbles.
LETHAL = GOOD.replace(b"Exif", b"E\xeeif", 1)
REFUSED = (OSError, SyntaxError, ValueError)


@pytest.fixture(autouse=True)
def no_decoder() -> Iterator[None]:
    """Each test begins, and leaves, without a decoder."""
    heif_processes.decoders.close()
    yield
    heif_processes.decoders.close()


def decoders() -> list[psutil.Process]:
    """Those of this process that run."""
    return children_called(heif_processes.PROGRAM)


def picture(content: bytes) -> Image.Image:
    with rendered(content) as found:
        return found.image.copy()


def assert_seen(found: Image.Image, expected: Image.Image = SEEN) -> None:
    assert found.size == expected.size
    apart = np.abs(np.asarray(found).astype(int) - np.asarray(expected).astype(int))
    assert apart.mean() < 3


def test_what_ends_a_decoder_costs_only_its_own_file() -> None:
    request = heif_decoder.REQUEST.pack(heif_decoder.HEADER, 1 << 40, len(LETHAL)) + LETHAL
    program = [sys.executable, heif_decoder.__file__]
    alone = subprocess.run(program, input=request, capture_output=True, check=False)
    assert alone.returncode < 0, "the file is not as damaged as this test needs"
    assert_seen(picture(GOOD))
    for _ in range(3):
        with pytest.raises(REFUSED):
            picture(LETHAL)
        assert_seen(picture(GOOD))


def test_one_that_has_gone_is_replaced() -> None:
    assert_seen(picture(GOOD))
    (first,) = decoders()
    first.kill()
    first.wait()
    assert_seen(picture(GOOD))
    (second,) = decoders()
    assert second.pid != first.pid
    assert_seen(picture(GOOD))
    assert [one.pid for one in decoders()] == [second.pid]


def test_one_that_does_not_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_seen(picture(GOOD))
    (stuck,) = decoders()
    stuck.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(heif_processes, "_LATE_SECONDS", 1)
    with pytest.raises(REFUSED):
        picture(GOOD)
    assert not stuck.is_running() or stuck.status() == psutil.STATUS_ZOMBIE
    assert_seen(picture(GOOD))


Strange = Callable[..., Path]


@pytest.fixture
def strange(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Strange:
    """Has decoders be the real one with a change; gives the file in which each start is a line.

    A change may ask the how-manyth of the ``starts`` it is.
    """
    log, program = tmp_path / "log", tmp_path / "strange.py"

    def changed(change: str = "", *, before: str = "") -> Path:
        program.write_text(
            f"import os, sys, time\nsys.path.insert(0, {os.getcwd()!r})\n"
            f"with open({str(log)!r}, 'a') as log: log.write('started\\n')\n"
            f"with open({str(log)!r}) as log: starts = len(log.readlines())\n{before}\n"
            f"from core.media.images import heif_decoder as it\n{change}\nit.main()\n"
        )
        monkeypatch.setattr(heif_processes, "PROGRAM", str(program))
        return log

    return changed


def test_what_takes_too_long_is_tried_once(strange: Strange) -> None:
    log = strange(
        "real, it.MOST_SECONDS = it._answer, 1\n"
        "it._answer = lambda kind, most, content: "
        "time.sleep(60) if content.endswith(b'slow') else real(kind, most, content)"
    )
    assert_seen(picture(GOOD))
    with pytest.raises(REFUSED):
        picture(GOOD + b"slow")
    assert log.read_text() == "started\n"


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_what_ends_it_from_outside_is_no_fault_of_a_file(strange: Strange, name: str) -> None:
    log = strange(
        "import signal\n"
        "real = it._answer\n"
        "def ended(*asked):\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "    return real(*asked)\n"
        "if starts == 1: it._answer = ended"
    )
    assert_seen(picture(GOOD))
    # Of all but the one that cannot be passed over it hears nothing.
    assert log.read_text() == "started\n" * (2 if name == "SIGKILL" else 1)


def test_what_is_killed_each_time_is_refused_in_the_end(strange: Strange) -> None:
    real = "real, signal = it._answer, __import__('signal')\n"
    log = strange(
        f"{real}it._answer = lambda kind, *more: "
        "real(kind, *more) if kind == b'h' else os.kill(os.getpid(), signal.SIGKILL)"
    )
    with pytest.raises(OSError, match="ended by something else each time"):
        picture(GOOD)
    assert log.read_text() == "started\n" * 3


def test_what_it_leaves_behind_is_ended_as_well(
    strange: Strange, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a file leads it to start a process, which holds its pipes open."""
    log = strange(
        "it._shut_in = lambda: None\n"
        "def led_astray(*_):\n"
        "    other = os.fork()\n"
        "    if not other: time.sleep(600)\n"
        "    with open(log.name, 'w') as said: said.write(str(other))\n"
        "    os._exit(3)\n"
        "it._answer = led_astray"
    )
    monkeypatch.setattr(heif_processes, "_LATE_SECONDS", 5)
    with pytest.raises(REFUSED):
        picture(GOOD)
    other = int(log.read_text())
    eventually(lambda: not psutil.pid_exists(other), "what it has started ends")


def test_why_it_is_not_read_is_said(strange: Strange) -> None:
    """By what loads the picture; of a header Pillow says only that it cannot be read."""
    real = "real = it._answer\n"
    strange(
        f"{real}it.MOST_SECONDS = 1\n"
        "it._answer = lambda kind, *more: real(kind, *more) if kind == b'h' else time.sleep(60)"
    )
    with pytest.raises(OSError, match="longer to decode than 120 seconds"):
        picture(GOOD)
    strange(
        f"{real}it._answer = lambda kind, *more: real(kind, *more) if kind == b'h' else os._exit(3)"
    )
    heif_processes.decoders.close()
    with pytest.raises(OSError, match="its decoder ended with it"):
        picture(GOOD)


WELL = "{'size': (96, 64), 'mode': 'RGB', 'images': 1, 'profile': ''}"
FULL = "bytes(96 * 64 * 3)"


@pytest.mark.parametrize(
    ("about", "pixels"),
    [
        (WELL, "bytes(96 * 64 * 3 - 1)"),
        (WELL, "bytes(96 * 64 * 3 + 1)"),
        (WELL, "b''"),
        (WELL.replace("96, 64", "96, 65"), "bytes(96 * 65 * 3)"),
        (WELL.replace("96, 64", "-96, -64"), FULL),
        (WELL.replace("96, 64", "96"), FULL),
        (WELL.replace("(96, 64)", "None"), FULL),
        (WELL.replace("(96, 64)", "('wide', 'high')"), FULL),
        (WELL.replace("RGB", "CMYK"), "bytes(96 * 64 * 4)"),
        (WELL.replace("'images': 1", "'images': 'many'"), FULL),
        (WELL.replace("'images': 1", "'images': 0"), FULL),
        (WELL.replace("''", "'a'"), FULL),
        ("{}", FULL),
        ("[]", FULL),
        ("3", FULL),
        ("{'error': 'none'}", FULL),
        ("'x' * (17 << 20)", FULL),
    ],
)
def test_an_answer_that_cannot_be_is_none(strange: Strange, about: str, pixels: str) -> None:
    strange(
        "real = it._answer\nit._answer = lambda kind, *more: "
        f"real(kind, *more) if kind == b'h' else ({about}, {pixels})"
    )
    with pytest.raises(OSError, match="its decoder ended with it"):
        picture(GOOD)
    assert not decoders()


@pytest.mark.parametrize("length", [1 << 62, (1 << 64) - 1])
def test_lengths_are_not_believed(strange: Strange, length: int) -> None:
    strange(
        "pack = it.ANSWER.pack\n"
        f"it.ANSWER = type('', (), dict(pack=lambda said, _: pack(said, {length})))"
    )
    with pytest.raises(REFUSED):
        picture(GOOD)
    assert not decoders()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("raise ImportError('libheif.so: cannot open shared object file')", "shared object file"),
        ("import _pi_heif; _pi_heif.get_lib_info = lambda: {'decoders': {}}", "cannot decode HEIC"),
        ("os._exit(0)", "ends at once"),
        ("os.write(1, b'what?'); time.sleep(60)", "ends at once"),
    ],
)
def test_that_none_starts_is_no_fault_of_a_file(strange: Strange, before: str, said: str) -> None:
    strange(before=before)
    for found in (picture, upright_and_turn, begins_as_image, _decoded):
        with pytest.raises(heif_processes.DecoderUnavailable, match=said):
            found(GOOD)
    assert not decoders()


def test_without_the_library_none_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package imports all the same, and says so of each file."""
    (tmp_path / "_pi_heif.py").write_text("raise ImportError('libheif.so.1: cannot open it')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(heif_processes.DecoderUnavailable, match=r"libheif\.so\.1: cannot open it"):
        picture(GOOD)


def test_none_starts_without_room_for_what_watches_it() -> None:
    with threads_of(1 << 40), pytest.raises(heif_processes.DecoderUnavailable, match="thread"):
        picture(GOOD)
    assert not decoders()
    assert_seen(picture(GOOD))
    with threads_of(1 << 40), pytest.raises(heif_processes.DecoderUnavailable, match="thread"):
        picture(GOOD)
    assert not decoders()


@contextmanager
def threads_of(stack: int) -> Iterator[None]:
    """With stacks of more bytes than there are, none starts."""
    before = threading.stack_size(stack)
    try:
        yield
    finally:
        threading.stack_size(before)


def test_none_starts_without_open_files() -> None:
    """As where a process has reached its limit."""
    script = f"""
import os, resource, sys
sys.path.insert(0, {os.getcwd()!r})
from core.media.images.heif_processes import DecoderUnavailable
from core.media.images.rendition import rendered
resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 1,) * 2)
try:
    with rendered(bytes.fromhex({GOOD.hex()!r})):
        pass
except DecoderUnavailable as error:
    print(error.code, "Too many open files" in error.detail)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60
    )
    assert ran.stdout == "heic_decoder_unavailable True\n"


def _decoded(content: bytes) -> object:
    return decode(content, max_pixels=1 << 30, frame=Frame(8))


def test_what_decodes_opens_nothing_and_says_nothing_itself(strange: Strange) -> None:
    strange(
        "import socket\n"
        "real, got = it.open_heif, []\n"
        "def led_astray(*more, **options):\n"
        "    for number in (1, 2):\n"
        "        try: os.write(number, b'a' * 100); os.close(number)\n"
        "        except OSError: pass\n"
        "    for way in (lambda: open('/etc/passwd'), socket.socket, os.pipe):\n"
        "        try: got.append(way())\n"
        "        except OSError: pass\n"
        "    if got: raise ValueError('opened')\n"
        "    return real(*more, **options)\n"
        "it.open_heif = led_astray"
    )
    assert_seen(picture(GOOD))


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_it_has_memory_for_its_pixels_and_no_more(strange: Strange, mode: str) -> None:
    """Of what is not of its pixels it has next to none here."""
    level = np.linspace(0, 65535, 1200 * 1000 * len(mode)).astype(np.uint16)
    made = pillow_heif.from_bytes(f"{mode};16", (1200, 1000), level.tobytes())
    file = io.BytesIO()
    made.save(file, quality=50, chroma=444)
    spare = (
        "import resource\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        f"it._OWN_MEMORY = used + (12 << 20) - 2 * {len(file.getvalue())}\n"
    )
    strange(spare)
    assert picture(file.getvalue()).size == (1200, 1000)
    heif_processes.decoders.close()
    strange(f"{spare}it._PIXEL_MEMORY = 0")
    with pytest.raises(OSError, match=r"[Mm]emory|decoder ended|did not give"):
        picture(file.getvalue())


def test_those_that_have_ended_leave_nothing() -> None:
    others = set(psutil.Process().children())
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(picture, [GOOD] * 40))
    for one in decoders():
        one.kill()
    eventually(lambda: not decoders(), "all have ended")
    assert_seen(picture(GOOD))
    assert set(psutil.Process().children()) - others == set(decoders())


def test_one_with_nothing_to_do_ends() -> None:
    program = [
        *(sys.executable, "-c"),
        f"import runpy; it = runpy.run_path({heif_decoder.__file__!r}, run_name='it');"
        "it['main'].__globals__['_IDLE_SECONDS'] = 0.2; it['main']()",
    ]
    waiting = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert waiting.wait(30) == 0
    waiting.communicate()


def test_it_knows_nothing_of_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody:secret@localhost/karat")
    monkeypatch.setenv("KARAT_SECRET_KEY", "another")
    assert_seen(picture(GOOD))
    (one,) = decoders()
    assert not [name for name in one.environ() if name.startswith(("KARAT", "DATABASE", "REDIS"))]


def test_there_is_one_a_core_at_most() -> None:
    with ThreadPoolExecutor(12) as threads:
        for found in threads.map(picture, [GOOD] * 40):
            assert_seen(found)
    assert 1 <= len(decoders()) <= (os.cpu_count() or 1)


def test_a_copy_of_a_process_has_its_own() -> None:
    script = f"""
import os, sys
sys.path.insert(0, {os.getcwd()!r})
import psutil
from core.media.images.rendition import rendered
content = bytes.fromhex({GOOD.hex()!r})
def decoder():
    with rendered(content):
        (one,) = psutil.Process(os.getpid()).children()
    return one.pid
first = decoder()
pid = os.fork()
if not pid:
    os._exit(0 if decoder() != first else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert decoder() == first
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=30)


def test_its_decoders_end_with_a_process() -> None:
    script = f"""
import sys, time
sys.path.insert(0, {os.getcwd()!r})
from core.media.images.rendition import rendered
with rendered(bytes.fromhex({GOOD.hex()!r})):
    pass
print("read", flush=True)
time.sleep(60)
"""
    reader = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert reader.stdout
    assert reader.stdout.readline() == "read\n"
    (decoder,) = psutil.Process(reader.pid).children()
    reader.kill()
    reader.communicate()
    eventually(lambda: not decoder.is_running(), "the decoder ends as well")


def several(primary: int) -> bytes:
    """Three images, one of which is the main one."""
    file = io.BytesIO()
    shades = [Image.new("RGB", (48, 32), (level, level, level)) for level in (10, 120, 230)]
    shades[0].save(
        file, "HEIF", save_all=True, append_images=shades[1:], primary_index=primary, quality=90
    )
    return file.getvalue()


@pytest.mark.parametrize("primary", [0, 1, 2])
def test_of_several_the_main_one_is_seen(primary: int) -> None:
    with rendered(several(primary)) as found:
        assert found.notes == ("the main one of 3 images",)
        level = np.asarray(found.image).mean()
    assert abs(level - (10, 120, 230)[primary]) < 4


def test_what_is_stored_in_tiles_is_one_picture() -> None:
    """As phones store it."""
    content = stored("HEIF", tile_size=32)
    assert b"grid" in content
    assert_seen(picture(content), zoo.picture())


def test_ten_bits_are_brought_to_eight() -> None:
    deep = (np.asarray(zoo.picture()).astype(np.uint16) << 8).tobytes()
    file = io.BytesIO()
    made = pillow_heif.from_bytes("RGB;16", (zoo.WIDTH, zoo.HEIGHT), deep)
    made.save(file, quality=95, chroma=444)
    assert_seen(picture(file.getvalue()), zoo.picture())


def stored(form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    zoo.picture().save(file, form, quality=95, **options)
    return file.getvalue()


def test_what_metadata_alone_say_turns_nothing() -> None:
    """As phones and browsers have it: how an image is turned is a property of it."""
    exif = Image.Exif()
    exif[0x0112] = 6
    packet = zoo.xmp_packet(6)
    packets = (packet, packet.replace(b"'", b'"'))
    turned = (stored("AVIF", xmp=one) for one in packets)
    for content in (stored("HEIF", exif=exif), *turned):
        assert upright_and_turn(content) == (zoo.WIDTH, zoo.HEIGHT, 1)
        assert_seen(picture(content), zoo.picture())


def test_it_is_no_film_and_nothing_that_is_cut_off() -> None:
    for content in (
        b"\0\0\0\x18ftypmp42" + bytes(60),
        GOOD[:40],
        GOOD[:12],
        GOOD[: len(GOOD) // 2],
    ):
        with pytest.raises(REFUSED):
            picture(content)


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_rows_of_every_width_are_read(mode: str) -> None:
    for width in (*range(1, 20), 63, 65):
        file = io.BytesIO()
        whole = zoo.picture().resize((width, 33)).convert(mode)
        whole.save(file, "HEIF", quality=100, chroma=444)
        assert_seen(picture(file.getvalue()), whole.convert("RGB"))


def test_no_more_pixels_are_decoded_than_the_header_says(strange: Strange) -> None:
    strange(
        "class Grows:\n"
        "    mode, size, info = 'RGB', (4, 4), {}\n"
        "    @property\n"
        "    def data(self):\n"
        "        self.size = (8, 8)\n"
        "        return bytes(8 * 8 * 3)\n"
        "class Several(list): primary_index = 0\n"
        "it.open_heif = lambda *_, **more: Several([Grows()])"
    )
    with pytest.raises(OSError, match="more pixels than its header"):
        picture(GOOD)
