"""Writes an `intgemm8` Marian .bin of the Bergamot kind as a float32 .npz, which upstream Marian reads and packs anew.

    python marian_float.py model.ende.intgemm.alphas.bin model.npz
"""

import struct
import sys

import numpy as np

FLOAT32, INT8, INTGEMM8 = 0x404, 0x101, 0x4101


def items(data):
    """Names, types, shapes and bytes of the items of a .bin file."""
    version, count = struct.unpack_from("<QQ", data, 0)
    assert version == 1, f"version {version}"
    headers = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
    at = 16 + 32 * count
    names = []
    for name_length, *_ in headers:
        names.append(data[at : at + name_length - 1].decode())
        at += name_length
    shapes = []
    for _, _, shape_length, _ in headers:
        shapes.append(struct.unpack_from(f"<{shape_length}i", data, at))
        at += 4 * shape_length
    (gap,) = struct.unpack_from("<Q", data, at)
    at += 8 + gap
    for name, shape, (_, kind, _, length) in zip(names, shapes, headers):
        yield name, kind, shape, data[at : at + length]
        at += length


def main(source, target):
    arrays = {}
    with open(source, "rb") as file:
        data = file.read()
    for name, kind, shape, content in items(data):
        size = int(np.prod(shape))
        if name.endswith("_QuantMultA"):
            continue  # Upstream Marian has no activation multipliers.
        if kind == INTGEMM8:
            # The quantized values, column by column but for the embeddings, and after them what one float is worth.
            values = np.frombuffer(content, np.int8, size).astype(np.float32)
            (multiplier,) = struct.unpack_from("<f", content, size)
            values /= multiplier
            arrays[name] = values.reshape(shape) if name == "Wemb" else values.reshape(shape[::-1]).T.copy()
        elif kind == FLOAT32:
            arrays[name] = np.frombuffer(content, np.float32, size).reshape(shape)
        elif kind == INT8:
            arrays[name] = np.frombuffer(content, np.int8, size)
        else:
            sys.exit(f"{name}: unknown type {kind:#x}")
    settings = arrays.pop("special:model.yml")
    np.savez(target, **arrays, **{"special:model.yml": settings})


main(*sys.argv[1:])
