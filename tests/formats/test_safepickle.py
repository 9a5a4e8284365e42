"""Pickles are data: plain values come out as Python's own unpickler gives them, everything else is one line."""

from __future__ import annotations

import collections
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kataribe.boundaries.files import read_predictions, read_truth
from kataribe.cli.main import _run
from kataribe.core.errors import InputError
from kataribe.formats.safepickle import parse_pickle

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
SHARED = [1.5, 2.5]
HONEST = {
    "clip": {"fps": 30.0, "annotators": [SHARED, [], SHARED], "frames": np.int64(300), "flag": True, "none": None},
    "numbers": (0, -1, 255, 70_000, -(2**31), 2**40, -(2**63), 2**64 - 1, 1e-300, float("inf")),
    "texts": ["", "é", "人", "a" * 300, "\\ 'quoted' \n", b"", b"\x00\xff", b"b" * 300],
    "scalars": [np.float32(0.5), np.float16(0.25), np.uint8(7), np.bool_(True), np.str_("name")],
    7: np.arange(6.0).reshape(2, 3),
}
ARRAYS = [
    *(np.array([0, 1, 3]).astype(kind) for kind in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")),
    *(np.array([0.5, np.nan]).astype(kind) for kind in ("f2", "f4", "f8", ">f8")),
    np.array([1, -2], dtype=">i4"),
    np.array(["a", "人間"]),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(24).reshape(2, 3, 4).transpose(1, 0, 2),
    np.arange(10)[::2],
    np.zeros((0, 3)),
    np.zeros(0),
]


def same(read: Any, written: Any) -> bool:
    """Of the same types, all the way down."""
    if isinstance(written, np.ndarray):
        return read.dtype == written.dtype and np.array_equal(read, written, equal_nan=written.dtype.kind == "f")
    if isinstance(written, dict):
        return list(read) == list(written) and all(same(read[key], written[key]) for key in written)
    if isinstance(written, list | tuple):
        return type(read) is type(written) and len(read) == len(written) and all(map(same, read, written))
    return type(read) is type(written) and read == written


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_plain_data_is_read_as_python_reads_it(protocol: int) -> None:
    content = pickle.dumps(HONEST, protocol)
    assert same(parse_pickle(content), pickle.loads(content))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_of_plain_numbers_and_strings_are_read(array: np.ndarray, protocol: int) -> None:
    content = pickle.dumps([array, array], protocol)
    for read in parse_pickle(content):
        assert same(read, array)
        assert read.flags.writeable


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_files_of_the_first_numpy_have_its_names(protocol: int) -> None:
    """Protocols 4 and 5 write the length of a name before it, so only the others can be edited as text."""
    content = pickle.dumps([np.float64(1.5), np.arange(3)], min(protocol, 3))
    assert same(parse_pickle(content.replace(b"numpy._core.", b"numpy.core.")), [np.float64(1.5), np.arange(3)])


def test_python_2_wrote_the_bytes_of_an_array_as_a_string() -> None:
    written = (
        b"cnumpy.core.multiarray\n_reconstruct\np0\n(cnumpy\nndarray\np1\n(I0\ntp2\nS'b'\np3\ntp4\nRp5\n(I1\n(I2\ntp6\n"
        b"cnumpy\ndtype\np7\n(S'f8'\np8\nI0\nI1\ntp9\nRp10\n(I3\nS'<'\np11\nNNNI-1\nI-1\nI0\ntp12\nbI00\n"
        b"S'\\x00\\x00\\x00\\x00\\x00\\x00\\xf8?\\x00\\x00\\x00\\x00\\x00\\x00\\x04@'\np13\ntp14\nb."
    )
    assert parse_pickle(written).tolist() == [1.5, 2.5]


def test_an_array_without_axes_is_its_number() -> None:
    assert same(parse_pickle(pickle.dumps(np.array(2.5))), np.float64(2.5))


def test_an_ordered_dictionary_is_a_dictionary() -> None:
    assert parse_pickle(pickle.dumps(collections.OrderedDict(a=1), 2)) == {"a": 1}


@pytest.mark.data
def test_the_published_file_is_read_as_python_reads_it(data_folder: Path) -> None:
    content = (data_folder / "kinetics-gebd" / "k400_mr345_minval_min_change_duration0.3.pkl").read_bytes()
    assert same(parse_pickle(content), pickle.loads(content))


def forged(address: int) -> bytes:
    """A void dtype V8 whose state claims a field of objects: with numpy's own constructors, bytes become pointers."""

    def dtype(word: bytes, state: bytes) -> bytes:
        return b"cnumpy\ndtype\n(V" + word + b"\nI00\nI01\ntR" + state + b"b"

    plain = b"(I3\nV|\nNNNI-1\nI-1\nI63\nt"
    fields = b"(dVf\n(" + dtype(b"O8", plain) + b"I0\nts"
    void = dtype(b"V8", b"(I3\nV|\nN(Vf\nt" + fields + b"I8\nI1\nI0\nt")
    buffer = b"\x8e" + struct.pack("<Q", 8) + struct.pack("<Q", address)
    return b"\x80\x04}Vclip\ncnumpy._core.numeric\n_frombuffer\n(" + buffer + void + b"(I1\ntVC\ntRs."


def test_bytes_never_become_objects_through_a_forged_dtype(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "forged.pkl"
    path.write_bytes(forged(0x41414141))
    for read in (read_predictions, read_truth):
        with pytest.raises(InputError, match="not plain numbers"):
            read(path)
    honest = tmp_path / "honest.json"
    honest.write_text('{"clip": {"duration": 10, "fps": 30, "annotators": [[1, 2]]}}')
    for call in ([path, "-r", honest], [honest, "-r", path]):
        assert _run(["score", "boundaries", *map(str, call)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def dtype_program(word: str, state: str = "(I3\nV<\nNNNI-1\nI-1\nI0\nt") -> bytes:
    return f"cnumpy\ndtype\n(V{word}\nI00\nI01\ntR{state}b".encode()


@pytest.mark.parametrize(
    "word", ["O8", "O", "V8", "M8", "m8", "c16", "f16", "S5", "i8,i8", "U", "U0", "U99999999", "f8\x00"]
)
def test_only_plain_dtypes_reach_numpy(word: str) -> None:
    with pytest.raises(InputError, match="not plain numbers"):
        parse_pickle(b"cnumpy._core.multiarray\nscalar\n(" + dtype_program(word) + b"C\x08" + bytes(8) + b"tR.")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"]\x94h\x00a.", "contains itself"),
        (b"}\x94Va\nh\x00s.", "contains itself"),
        (b"(" * 100_000 + b"l" * 100_000 + b".", "nested more than 100 deep"),
        (b")" + b"\x85" * 100_000 + b".", "nested more than 100 deep"),
        (b"(]\x94" + b"".join(b"]\x94j" + struct.pack("<I", n) + b"a" for n in range(2000)) + b"l.", "nested more"),
        (b"\x8e" + struct.pack("<Q", 1 << 40) + b"x.", "cut off"),
        (b"T" + struct.pack("<i", -5) + b"x.", "negative"),
        (b"\x8b" + struct.pack("<i", 10_000) + b"\x7f" * 10_000 + b".", "too long"),
        (b"I" + b"9" * 10_000 + b"\n.", "too long"),
        (b"I99999999999999999999999\n.", "more than 64 bits"),
        (b"Nr\xff\xff\xff\x3f.", ""),  # a memo of a billion places, which is one place here
        (b"}(NNNu.", "a key has no value"),
        (b"}(]Nu.", "a key is neither"),
        (b"h\x00.", "not there"),
        (b"(.", "does not end with one value"),
        (b"N", "cut off"),
        (b"e.", "a mark is missing"),
        (b"\x8f.", "instruction EMPTY_SET"),
        (b"\x97.", "instruction NEXT_BUFFER"),
        (b"Pname\n.", "instruction PERSID"),
        (b"\xff.", "unknown instruction"),
        (b"cnumpy\nndarray\n.", "no value"),
        (dtype_program("f8") + b".", "no value"),
        (b"cnumpy\nndarray\n(I5\ntR.", "1 arguments"),
        (b"](I5\ntR.", "calls a value"),
    ],
)  # fmt: skip
def test_what_no_honest_file_holds_is_one_line(content: bytes, says: str) -> None:
    if not says:
        assert parse_pickle(content) is None
        return
    with pytest.raises(InputError, match=says) as error:
        parse_pickle(content)
    assert "\n" not in str(error.value)


def test_a_value_that_grows_when_it_is_written_out_is_refused() -> None:
    value: Any = "x" * 10
    for _ in range(20):
        value = [value] * 10
    with pytest.raises(InputError, match="repeated too often"):
        parse_pickle(pickle.dumps(value))


@pytest.mark.parametrize(
    "shape", ["(I3\nt", "(I-2\nt", "(I1000000000\nI1000000000\nt", "(Va\nt", "N", "(I1\n" + "I1\n" * 70 + "t"]
)
def test_an_array_has_as_many_bytes_as_its_shape_needs(shape: str) -> None:
    numbers = b"\x8e" + struct.pack("<Q", 16) + bytes(16)
    with pytest.raises(InputError, match="array"):
        parse_pickle(
            b"cnumpy._core.numeric\n_frombuffer\n(" + numbers + dtype_program("f8") + shape.encode() + b"VC\ntR."
        )


def test_a_string_of_characters_that_do_not_exist_is_refused() -> None:
    state = "(I3\nV<\nNNNI4\nI4\nI8\nt"
    with pytest.raises(InputError, match="characters that do not exist"):
        parse_pickle(b"cnumpy._core.multiarray\nscalar\n(" + dtype_program("U1", state) + b"C\x04\xff\xff\xff\xfftR.")


REAL = [pickle.dumps(HONEST, protocol) for protocol in PROTOCOLS] + [pickle.dumps(ARRAYS, 5), pickle.dumps(ARRAYS, 2)]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A real pickle with some bytes changed, cut out or put in."""
    content = bytearray(draw(st.sampled_from(REAL)))
    for _ in range(draw(st.integers(1, 8))):
        at = draw(st.integers(0, len(content) - 1))
        content[at : at + draw(st.integers(0, 4))] = draw(st.binary(max_size=4))
    return bytes(content)


@settings(max_examples=1500, deadline=None)
@given(st.one_of(st.binary(max_size=200), mutated()))
@example(forged(0))
def test_any_bytes_are_a_value_or_one_line(content: bytes) -> None:
    assert "\n" not in refusal(content)


def refusal(content: bytes) -> str:
    """What is said against a pickle, or nothing; any other failure is not caught."""
    try:
        parse_pickle(content)
    except InputError as error:
        return str(error)
    return ""


plain_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**63), 2**64 - 1),
        st.floats(allow_nan=False),
        st.text(max_size=20),
        st.binary(max_size=20),
        st.floats(width=32, allow_nan=False).map(np.float32),
        st.lists(st.integers(-5, 5), max_size=4).map(np.array),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.text(), inner, max_size=4),
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(plain_values, st.sampled_from(PROTOCOLS))
def test_any_plain_value_comes_back(value: Any, protocol: int) -> None:
    assert same(parse_pickle(pickle.dumps(value, protocol)), value)
