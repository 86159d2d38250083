"""Marian's files: the float32 archive with its configuration, and what a decoder needs beside it."""

import io
import struct
import zipfile
from pathlib import Path

import numpy
import pydantic
import yaml

from .config import Config, Model
from .errors import TrainingError
from .files import atomic
from .quantization import is_quantized, quantize_int8
from .vocabulary import Sizes, both
from .weights import has_row_for_each_word, shapes, word_counts

CONFIGURATION = "special:model.yml"

#: Options that change what weights mean.
MEANING = (
    "transformer-heads", "transformer-decoder-autoreg", "transformer-ffn-activation", "transformer-preprocess",
    "transformer-postprocess", "transformer-postprocess-emb", "transformer-postprocess-top", "transformer-tied-layers",
    "transformer-train-position-embeddings", "transformer-aan-depth", "enc-depth", "dec-depth",
)  # fmt: skip


#: The same for recurrent networks.
RECURRENT_MEANING = (
    "enc-type", "enc-cell", "enc-cell-depth", "enc-depth", "dec-cell", "dec-cell-base-depth", "dec-cell-high-depth", "dec-depth", "skip",
)  # fmt: skip


def configuration(model: Model, sizes: Sizes) -> dict:
    """The options that Marian reads from a model file."""
    autoregression = {"ssru": "rnn", "average-attention": "average-attention", "self-attention": "self-attention"}
    recurrent = model.architecture == "recurrent"
    return {
        "type": "s2s" if recurrent else "transformer",
        "dim-vocabs": list(both(sizes)),
        "dim-emb": model.dimension,
        "dim-rnn": model.recurrent_width,
        "enc-type": model.recurrent_encoder,
        "enc-cell": "gru",
        "enc-cell-depth": model.encoder_cells,
        "enc-depth": model.encoder_layers,
        "dec-cell": "gru" if recurrent else "ssru",
        "dec-cell-base-depth": model.decoder_base_cells,
        "dec-cell-high-depth": model.decoder_high_cells,
        "dec-depth": model.decoder_layers,
        "tied-embeddings": model.embeddings == "target",
        "tied-embeddings-src": model.embeddings == "source",
        "tied-embeddings-all": model.embeddings == "all",
        "transformer-heads": model.heads,
        "transformer-dim-ffn": model.feed_forward,
        "transformer-ffn-depth": 2,
        "transformer-ffn-activation": "relu",
        "transformer-decoder-dim-ffn": 0,
        "transformer-decoder-ffn-depth": 0,
        "transformer-dim-aan": model.average_width or model.feed_forward,
        "transformer-aan-depth": 2 if model.average_width else 1,
        "transformer-aan-activation": "swish",
        "transformer-aan-nogate": not model.average_gate,
        "transformer-decoder-autoreg": "self-attention" if recurrent else autoregression[model.decoder],
        "transformer-rnn-projection": False,
        "transformer-tied-layers": [1] * model.decoder_layers if model.tied_decoder else [],
        "transformer-guided-alignment-layer": "last",
        "transformer-preprocess": "n" if model.norm == "pre" else "",
        "transformer-postprocess": "da" if model.norm == "pre" else "dan",
        "transformer-postprocess-emb": "d",
        "transformer-postprocess-top": "n" if model.norm == "pre" else "",
        "transformer-depth-scaling": False,
        "transformer-no-projection": False,
        "transformer-no-bias": False,
        "transformer-no-affine": False,
        "transformer-pool": False,
        "transformer-train-position-embeddings": False,
        "layer-normalization": model.recurrent_norm,
        "skip": model.recurrent_skip,
        "right-left": False,
        "output-omit-bias": False,
        "input-types": [],
        "lemma-dim-emb": 0,
        "lemma-dependency": "",
        "factors-combine": "sum",
        "factors-dim-emb": 0,
        "bert-mask-symbol": "[MASK]",
        "bert-sep-symbol": "[SEP]",
        "bert-train-type-embeddings": True,
        "bert-type-vocab-size": 2,
        "ulr": False,
        "ulr-dim-emb": 0,
        "ulr-trainable-transformation": False,
        "version": "v1.9.56 wanderwort-train",
    }


def model(path: Path, found: dict) -> Model:
    """The shape of a network that a model file's options describe; an error if it is not one of ours."""
    if found.get("type") == "s2s":
        return _recurrent(path, found)
    decoders = {"rnn": "ssru", "average-attention": "average-attention", "self-attention": "self-attention"}
    decoder = decoders.get(found.get("transformer-decoder-autoreg"))
    try:
        model = Model(
            dimension=found["dim-emb"],
            feed_forward=found["transformer-dim-ffn"],
            heads=found["transformer-heads"],
            encoder_layers=found["enc-depth"],
            decoder_layers=found["dec-depth"],
            decoder=decoder,
            tied_decoder=bool(found.get("transformer-tied-layers")),
            norm="pre" if found.get("transformer-preprocess") else "post",
            embeddings=_embeddings(found),
            **(_average_attention(found) if decoder == "average-attention" else {}),
        )
    except (KeyError, pydantic.ValidationError) as error:
        raise TrainingError(f"{path}: its options do not describe a network that can be used here ({error})") from error
    own = ("transformer-aan-activation",) if model.average_width and decoder == "average-attention" else ()
    _check_options(path, found, model, (*MEANING, *own))
    return model


def _recurrent(path: Path, found: dict) -> Model:
    try:
        model = Model(
            architecture="recurrent",
            dimension=found["dim-emb"],
            recurrent_width=found["dim-rnn"],
            recurrent_norm=found.get("layer-normalization", False),
            recurrent_encoder=found.get("enc-type", "bidirectional"),
            recurrent_skip=found.get("skip", False),
            encoder_layers=found.get("enc-depth", 1),
            decoder_layers=found.get("dec-depth", 1),
            encoder_cells=found.get("enc-cell-depth", 1),
            decoder_base_cells=found.get("dec-cell-base-depth", 2),
            decoder_high_cells=found.get("dec-cell-high-depth", 1),
            embeddings=_embeddings(found),
        )
    except (KeyError, pydantic.ValidationError) as error:
        raise TrainingError(f"{path}: its options do not describe a network that can be used here ({error})") from error
    _check_options(path, found, model, RECURRENT_MEANING)
    return model


def _check_options(path: Path, found: dict, model: Model, options: tuple[str, ...]):
    wanted = configuration(model, 0)
    for option in options:
        if found.get(option, wanted[option]) != wanted[option]:
            raise TrainingError(f"{path}: {option} is {found[option]!r}, expected {wanted[option]!r}")


def _embeddings(found: dict) -> str:
    options = {"tied-embeddings-all": "all", "tied-embeddings-src": "source", "tied-embeddings": "target"}
    tied = [name for option, name in options.items() if found.get(option)]
    return "all" if {"source", "target"} <= set(tied) else (tied or ["none"])[0]


def _average_attention(found: dict) -> dict:
    width = found.get("transformer-dim-aan", found["transformer-dim-ffn"]) if found.get("transformer-aan-depth", 2) > 1 else 0
    return {
        "average_feed_forward": None if width == found["transformer-dim-ffn"] else width,
        "average_gate": not found.get("transformer-aan-nogate", False),
    }


def check_weights(path: Path, arrays: dict[str, numpy.ndarray], model: Model, sizes: Sizes):
    """An error if a model file lacks weights that its options ask for, or has them in another shape."""
    for name, shape in shapes(model, sizes).items():
        if name not in arrays or arrays[name].shape != shape:
            shown = arrays[name].shape if name in arrays else "nothing"
            raise TrainingError(f"{path}: {name}: expected the shape {shape}, found {shown}; is it of the student's vocabulary?")


def _without_empty(arrays: dict[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    return {name: array for name, array in arrays.items() if numpy.size(array)}


def write_npz(path: Path, arrays: dict[str, numpy.ndarray], model: Model):
    """Writes float32 arrays by Marian's names and the configuration, NUL-terminated, last.

    The members carry their sizes in the plain 32-bit fields: Marian's reader does not know the 64-bit extension that
    `numpy.savez` always uses. Matrices of layers without heads are empty and left out: Marian's files have none.
    """
    text = yaml.safe_dump(configuration(model, word_counts(arrays))) + "\0"
    members = _without_empty(arrays) | {CONFIGURATION: numpy.frombuffer(text.encode(), numpy.int8)}
    with atomic(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in members.items():
            buffer = io.BytesIO()
            dtype = numpy.int8 if name == CONFIGURATION else numpy.float32
            numpy.lib.format.write_array(buffer, numpy.ascontiguousarray(array, dtype), version=(1, 0))
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())


def read_npz(path: Path) -> tuple[dict[str, numpy.ndarray], dict]:
    """Arrays by name, and the configuration."""
    try:
        with numpy.load(path) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: missing; run the step `export` first") from error
    except (ValueError, zipfile.BadZipFile) as error:
        raise TrainingError(f"{path}: not a NumPy archive ({error})") from error
    if CONFIGURATION not in arrays:
        raise TrainingError(f"{path}: no {CONFIGURATION}, so this is not a Marian model")
    text = arrays.pop(CONFIGURATION).tobytes().rstrip(b"\0").decode()
    return arrays, yaml.safe_load(text)


def write_decoder(path: Path, model: str, vocabularies: str | tuple[str, str], config: Config, shortlist: Path | None = None):
    """The decoder settings that Marian and its browser build read. `vocabularies` names one file, or one for each side."""
    settings = {
        "relative-paths": True,
        "models": [model],
        "vocabs": [vocabularies] * 2 if isinstance(vocabularies, str) else list(vocabularies),
        "beam-size": config.package.beam_size,
        "normalize": 1.0,
        "word-penalty": 0,
        "max-length-break": 128,
        "mini-batch-words": 1024,
        "workspace": 128,
        "max-length-factor": 2.0,
        "skip-cost": True,
        "alignment": "soft",
    }
    if shortlist:
        # The binary form itself says how many of the first words are always candidates.
        settings["shortlist"] = [shortlist.name, False if shortlist.suffix == ".bin" else config.shortlist.first]
    with atomic(path, "w") as file:
        yaml.safe_dump(settings, file, sort_keys=False)


_FLOAT32, _INT8, _INTGEMM8 = 0x404, 0x101, 0x4101


def _intgemm(name: str, array: numpy.ndarray) -> bytes:
    """int8 values, column by column except for embeddings, then the multiplier, padded to 256 bytes as intgemm does."""
    integers, multiplier = quantize_int8(array)
    layout = integers if name.endswith("Wemb") or array.size == 1 else integers.T
    return numpy.ascontiguousarray(layout).tobytes() + numpy.float32(multiplier).tobytes()


def write_bin(path: Path, arrays: dict[str, numpy.ndarray], model: Model, multipliers: dict[str, float]):
    """Writes the int8 container of Marian's browser build.

    Matrices become int8 with their multipliers; `multipliers` become `…_QuantMultA` items, the output layer's
    both under the name of its weights (`Wemb_QuantMultA`, without which that build aborts) and as `none_QuantMultA`. The layout:

        u64 version = 1, u64 item count
        items × (u64 name length, type, shape length, data length), items × name with its NUL, items × i32 shape
        u64 gap, gap bytes, so that the data start at a multiple of 256; items × data, each padded to 256
    """
    text = yaml.safe_dump(configuration(model, word_counts(arrays))) + "\0"
    items = {CONFIGURATION: (_INT8, (len(text.encode()),), text.encode())}
    for name, array in _without_empty(arrays).items():
        array = numpy.ascontiguousarray(array, numpy.float32)
        if is_quantized(name):
            items[name] = (_INTGEMM8, array.shape, _intgemm(name, array))
        else:
            items[name] = (_FLOAT32, array.shape, array.tobytes())
    for name, value in multipliers.items():
        scalar = numpy.array([[value]], numpy.float32)
        # The usual converter packs every name that contains "Wemb", this scalar too.
        packed = name.endswith("Wemb")
        data = _intgemm(name, scalar) if packed else scalar.tobytes()
        items[f"{name}_QuantMultA"] = (_INTGEMM8 if packed else _FLOAT32, scalar.shape, data)
        if has_row_for_each_word(name):
            items["none_QuantMultA"] = (_FLOAT32, scalar.shape, scalar.tobytes())
    # The configuration, last by name, is not padded.
    items = {
        name: (kind, shape, data if name == CONFIGURATION else data + bytes(-len(data) % 256))
        for name, (kind, shape, data) in sorted(items.items())
    }
    head = struct.pack("<2Q", 1, len(items))
    for name, (kind, shape, data) in items.items():
        head += struct.pack("<4Q", len(name.encode()) + 1, kind, len(shape), len(data))
    head += b"".join(name.encode() + b"\0" for name in items)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, shape, _ in items.values())
    gap = -(len(head) + 8) % 256
    with atomic(path) as file:
        file.write(head + struct.pack("<Q", gap) + bytes(gap))
        for _, _, data in items.values():
            file.write(data)
