"""The life of the compiled file. A tiny stand-in for the pycocoevalcap wheel makes building it cheap."""

import errno
import gzip
import importlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from kataribe import _native as native
from kataribe import evaluate
from kataribe.captions import meteor_resource
from kataribe.core.cache import cache_folder
from kataribe.core.errors import ResourceError

PARAPHRASES = "0.1\nbig dog\nlarge hound\n0.2\nbig dog\nhound\n0.3\na\nthe\n0.1\nhound\nbig dog\n"
MEMBERS = {
    "function/english.words": "the\na\nof\n",
    "synonym/english.exceptions": "man\nmen\n",
    "synonym/english.synsets": "man\n001 002\nguy\n002\nbox\n003\ncarton\n003\n",
    "nonbreaking/english.prefixes": "# titles\nMr\nNo #NUMERIC_ONLY# \n",
}


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    folder = tmp_path / "site" / "pycocoevalcap"
    (folder / "meteor" / "data").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    with zipfile.ZipFile(folder / "meteor" / "meteor-1.5.jar", "w") as jar:
        for name, content in MEMBERS.items():
            jar.writestr(name, content)
    (folder / "meteor" / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(PARAPHRASES.encode()))
    for name in [name for name in sys.modules if name.partition(".")[0] == "pycocoevalcap"]:
        monkeypatch.delitem(sys.modules, name)  # other tests import the real one, which would be found first
    monkeypatch.syspath_prepend(str(folder.parent))
    monkeypatch.setenv("PYTHONPATH", str(folder.parent), prepend=os.pathsep)
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "cache"))
    importlib.invalidate_caches()
    return folder / "meteor"


def stages(resource, hypothesis, reference):
    sentences = native.MeteorSentences(resource, [hypothesis, reference], True)
    return [native.METEOR_STAGES[match[4]] for match in native.meteor_alignment(sentences, 0, 1)]


def folder_content():
    return sorted(path.name for path in cache_folder().iterdir() if path.suffix != ".lock")


def test_builds_once(wheel):
    assert not meteor_resource.status().is_ready
    steps = []
    resource = meteor_resource.open_resource(lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] == (wheel / "data" / "paraphrase-en.gz").stat().st_size
    assert stages(resource, "Mr. man", "mr. man") == ["exact", "exact"]
    assert stages(resource, "men", "guy") == ["synonym"]
    assert stages(resource, "boxes", "carton") == ["synonym"]
    assert stages(resource, "the large hound", "the big dog") == ["exact", "paraphrase"]
    assert meteor_resource.status().is_ready
    assert folder_content() == [meteor_resource.FILE_NAME]

    steps.clear()
    meteor_resource.open_resource(lambda done, total: steps.append((done, total)))
    assert not steps


def test_clear(wheel):
    meteor_resource.open_resource()
    meteor_resource.clear()
    meteor_resource.clear()
    assert not meteor_resource.status().exists


def flip(position):
    def change(content):
        position_from_start = position % len(content)
        content[position_from_start] ^= 0xFF
        return content

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:0],
        lambda content: content[:20],
        lambda content: content[:-1],
        lambda content: content + b"\0" * 8,
        flip(0),  # the magic number
        flip(8),  # the version
        flip(60),  # the table of sections
        flip(16 * 13 + 48),  # the first word after the header, which is in the sample
        lambda content: bytearray(len(content)),
    ],
)
def test_a_damaged_file_is_rebuilt(wheel, change):
    meteor_resource.open_resource()
    path = meteor_resource.resource_path()
    whole = path.read_bytes()
    path.write_bytes(change(bytearray(whole)))
    assert meteor_resource.status().problem
    assert stages(meteor_resource.open_resource(), "men", "guy") == ["synonym"]
    assert path.read_bytes() == whole


def test_any_changed_byte_is_noticed_by_the_next_process_and_said(wheel):
    """Disks lose bits without changing the time of a file."""
    meteor_resource.open_resource()
    path = meteor_resource.resource_path()
    whole, state = path.read_bytes(), path.stat()
    for position in random.Random(3).sample(range(len(whole)), 40):
        path.write_bytes(flip(position)(bytearray(whole)))
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
        meteor_resource._open_whole.cache_clear()  # as in a new process
        _, said = meteor_resource.open_and_tell()
        assert path.read_bytes() == whole
        # The number of the version is the one place where damage looks like age.
        assert [caution.id for caution in said] == ["damaged-cache"] or 8 <= position < 16


def test_a_file_that_changes_is_looked_at_again_in_the_same_process(wheel):
    meteor_resource.open_resource()
    path = meteor_resource.resource_path()
    whole = path.read_bytes()
    path.write_bytes(flip(len(whole) - 10)(bytearray(whole)))
    os.utime(path, ns=(1, 1))
    [said] = meteor_resource.open_and_tell()[1]
    assert f"METEOR's compiled data in {path} was damaged" in said
    assert meteor_resource.open_and_tell()[1] == []


def test_a_damaged_file_changes_no_score_and_is_a_warning_of_the_result(wheel):
    def score():
        captions = {"1": "the large hound"}, {"1": ["the big dog"]}
        return evaluate("captions", *captions, ["meteor"])

    before = score()
    path = meteor_resource.resource_path()
    whole = path.read_bytes()
    path.write_bytes(flip(len(whole) // 2)(bytearray(whole)))
    os.utime(path, ns=(1, 1))
    after = score()
    assert after["meteor"].value == before["meteor"].value
    assert [caution.id for caution in after.warnings if caution not in before.warnings] == ["damaged-cache"]


def test_a_file_that_is_missing_or_of_another_version_is_built_without_a_word(wheel):
    assert meteor_resource.open_and_tell()[1] == []
    path = meteor_resource.resource_path()
    path.write_bytes(flip(8)(bytearray(path.read_bytes())))
    assert meteor_resource.open_and_tell()[1] == []


def test_status_notices_any_changed_byte(wheel):
    meteor_resource.open_resource()
    path = meteor_resource.resource_path()
    whole = path.read_bytes()
    for position in random.Random(1).sample(range(len(whole)), 100):
        path.write_bytes(flip(position)(bytearray(whole)))
        assert meteor_resource.status().problem


def test_damage_that_opening_does_not_see_never_crashes(wheel, tmp_path):
    meteor_resource.open_resource()
    whole = meteor_resource.resource_path().read_bytes()
    header = 16 * 13 + 48
    rng = random.Random(2)
    damaged = tmp_path / "damaged.bin"
    raised = 0
    for _ in range(1000):
        content = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            content[rng.randrange(header + 8, len(content))] = rng.choice([0, 1, 2, 0x7F, 0xFF])
        damaged.write_bytes(content)
        try:
            resource = native.MeteorResource(str(damaged))
            sentences = native.MeteorSentences(resource, ["a big dog", "the large hound of men", "guys box"], True)
            native.meteor_statistics(sentences, np.array([0, 1, 2, 0]), np.array([1, 0, 1, 2]))
        except RuntimeError:
            raised += 1
    assert raised > 0


OPEN = """
from kataribe.captions import meteor_resource
steps = []
meteor_resource.open_resource(lambda done, total: steps.append(done))
print("built" if steps else "waited")
"""


def test_two_processes_at_once_build_one_file(wheel):
    processes = [subprocess.Popen([sys.executable, "-c", OPEN], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    outcomes = [process.communicate()[0].strip() for process in processes]
    assert sorted(outcomes) == ["built", "waited", "waited", "waited"]
    assert folder_content() == [meteor_resource.FILE_NAME]


HANG = """
import sys, time
from kataribe.captions import meteor_resource
def hang(done, total):
    print("building", flush=True)
    time.sleep(600)
meteor_resource.open_resource(hang)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process the Unix way")
def test_a_killed_builder_blocks_nobody(wheel):
    process = subprocess.Popen([sys.executable, "-c", HANG], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "building\n"
    (cache_folder() / "meteor-1.5-en-left-behind.tmp").write_bytes(b"half a file")
    process.send_signal(signal.SIGKILL)
    process.wait()
    meteor_resource.open_resource()
    assert folder_content() == [meteor_resource.FILE_NAME]


def test_the_wheel_is_missing(wheel, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ResourceError, match="not installed") as error:
        meteor_resource.open_resource()
    assert "pip install pycocoevalcap" in error.value.hint


@pytest.mark.parametrize("name", ["meteor-1.5.jar", "data/paraphrase-en.gz"])
def test_the_wheel_is_damaged(wheel, name):
    content = (wheel / name).read_bytes()
    for damage in (content[: len(content) // 2], b""):
        (wheel / name).write_bytes(damage)
        with pytest.raises(ResourceError, match="pycocoevalcap cannot be read"):
            meteor_resource.open_resource()
    (wheel / name).unlink()
    with pytest.raises(ResourceError, match="pycocoevalcap cannot be read"):
        meteor_resource.open_resource()
    assert folder_content() == []


def test_the_table_ends_in_the_middle_of_an_entry(wheel):
    (wheel / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(b"0.1\na\n"))
    with pytest.raises(ResourceError, match="middle of an entry"):
        meteor_resource.open_resource()


def test_the_folder_cannot_be_made(wheel, tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path / "a file" / "cache"))
    with pytest.raises(ResourceError, match="cannot be stored") as error:
        meteor_resource.open_resource()
    assert "KATARIBE_CACHE" in error.value.hint


def test_the_disk_is_full(wheel, monkeypatch):
    def no_space(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ResourceError, match="the disk is full"):
        meteor_resource.open_resource()
    assert folder_content() == []


class TestCacheFolder:
    def test_chosen(self, monkeypatch, tmp_path):
        monkeypatch.setenv("KATARIBE_CACHE", str(tmp_path))
        assert cache_folder() == tmp_path

    @pytest.mark.parametrize(
        ("platform", "variable", "below"),
        [
            ("linux", "XDG_CACHE_HOME", "."),
            ("win32", "LOCALAPPDATA", "."),
            ("darwin", "HOME", "Library/Caches"),
        ],
    )
    def test_of_the_platform(self, monkeypatch, tmp_path, platform, variable, below):
        monkeypatch.delenv("KATARIBE_CACHE", raising=False)
        monkeypatch.setenv(variable, str(tmp_path))
        monkeypatch.setattr(sys, "platform", platform)
        assert cache_folder() == tmp_path / below / "kataribe"
