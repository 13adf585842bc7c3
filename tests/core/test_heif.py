"""HEIC is read as phones mean it, and a damaged one costs nobody else anything."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pillow_heif
import psutil
import pytest
from PIL import Image

from core.media.images import heif, heif_decoder
from core.media.images.rendition import rendered, upright_and_turn
from tests import zoo
from tests.processes import eventually

GOOD, SEEN = zoo.made(zoo.Kind("HEIF", "RGB", 6))
# An item of a kind that is no text, at which the reader stumbles.
LETHAL = GOOD.replace(b"Exif", b"E\xeeif", 1)
REFUSED = (OSError, SyntaxError, ValueError)


@pytest.fixture(autouse=True)
def no_decoder() -> Iterator[None]:
    """Each test begins, and leaves, without a decoder."""
    heif._decoders.close()
    yield
    heif._decoders.close()


def decoders() -> list[psutil.Process]:
    """Those of this process that run."""
    return [
        one
        for one in psutil.Process().children()
        if one.status() != psutil.STATUS_ZOMBIE and heif_decoder.__file__ in one.cmdline()
    ]


def picture(content: bytes) -> Image.Image:
    with rendered(content) as found:
        return found.image.copy()


def assert_seen(found: Image.Image, expected: Image.Image = SEEN) -> None:
    assert found.size == expected.size
    apart = np.abs(np.asarray(found).astype(int) - np.asarray(expected).astype(int))
    assert apart.mean() < 3


def test_what_ends_a_decoder_costs_only_its_own_file() -> None:
    request = heif_decoder.REQUEST.pack(heif_decoder.HEADER, len(LETHAL)) + LETHAL
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
    monkeypatch.setattr(heif, "_MOST_SECONDS", 1)
    assert_seen(picture(GOOD))
    assert not stuck.is_running() or stuck.status() == psutil.STATUS_ZOMBIE


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
from core.media.images.rendition import rendered
content = bytes.fromhex({GOOD.hex()!r})
def size():
    with rendered(content) as found:
        return found.image.size
before = size()
pid = os.fork()
if not pid:
    os._exit(0 if size() == before else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert size() == before
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=120)


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


def test_no_more_pixels_are_decoded_than_the_header_says(monkeypatch: pytest.MonkeyPatch) -> None:
    def larger(kind: bytes, _: bytes) -> tuple[dict[str, Any], bytes]:
        side = 4 if kind == heif_decoder.HEADER else 8
        said = {"size": [side, side], "mode": "L", "images": 1, "profile": ""}
        return said, bytes(side * side)

    monkeypatch.setattr(heif._decoders, "ask", larger)
    with pytest.raises(OSError, match="more pixels than its header"):
        picture(GOOD)
