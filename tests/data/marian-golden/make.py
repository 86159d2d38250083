"""Golden output for the float path: what Marian itself translates, and what plain arithmetic in double precision computes.

    python make.py MODEL_FOLDER SOURCES [ORIGINAL.npz GOLDEN_TENSORS.npz]

MODEL_FOLDER holds an int8 Marian model; its weights, expanded to floats, are the model of these goldens, since the repository ships
them anyway. Writes `golden.tsv` (source, Marian's greedy translation) and `tensors.npz` beside this script. With the two further files
the arithmetic is first checked against the tensors that PyTorch computed for the original float model.

Needs numpy, sentencepiece and pymarian.
"""

import pathlib
import struct
import sys
import tempfile

import numpy as np
import sentencepiece

HERE = pathlib.Path(__file__).parent
INT8, INTGEMM8 = 0x101, 0x4101
# One logit in so many is kept, since all words of a vocabulary take half a megabyte.
STEP = 16


def read_bin(path):
    """Tensors of Marian's binary container as float32 arrays, and the model's YAML."""
    data = path.read_bytes()
    count = struct.unpack_from("<Q", data, 8)[0]
    headers = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
    at = 16 + 32 * count
    names, shapes = [], []
    for length, *_ in headers:
        names.append(data[at : at + length - 1].decode())
        at += length
    for _, _, rank, _ in headers:
        shapes.append(struct.unpack_from(f"<{rank}i", data, at))
        at += 4 * rank
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    tensors, yaml = {}, b""
    for name, shape, (_, kind, _, size) in zip(names, shapes, headers):
        if name == "special:model.yml":
            yaml = data[at : at + size].rstrip(b"\0")
        elif kind == INTGEMM8:
            count = int(np.prod(shape))
            values = np.frombuffer(data, np.int8, count, at)
            multiplier = np.frombuffer(data, np.float32, 1, at + count)[0]
            scale = np.float32(1) / multiplier
            values = values.reshape(shape) if "Wemb" in name else values.reshape(shape[::-1]).T
            tensors[name] = np.ascontiguousarray(values.astype(np.float32) * scale)
        elif kind != INT8:
            tensors[name] = np.frombuffer(data, np.float32, int(np.prod(shape)), at).reshape(shape)
        at += size
    return {name: tensor for name, tensor in tensors.items() if not name.endswith("_QuantMultA")}, yaml


class Network:
    """The student's forward pass, written for plainness: post-norm encoder, SSRU decoder, tied embeddings."""

    def __init__(self, tensors, heads=8, encoder_depth=6, decoder_depth=2):
        self.w = {name: np.asarray(tensor, np.float64) for name, tensor in tensors.items()}
        self.heads, self.encoder_depth, self.decoder_depth = heads, encoder_depth, decoder_depth
        self.dim = self.w["Wemb"].shape[1]

    def signal(self, position):
        half = self.dim // 2
        angle = position * np.exp(np.arange(half) * -np.log(10000.0) / (half - 1))
        return np.concatenate([np.sin(angle), np.cos(angle)])

    def norm(self, x, name):
        deviation = np.sqrt(x.var(-1, keepdims=True) + 1e-6)
        return (x - x.mean(-1, keepdims=True)) / deviation * self.w[name + "_ln_scale"] + self.w[name + "_ln_bias"]

    def affine(self, x, prefix, suffix):
        return x @ self.w[f"{prefix}_W{suffix}"] + self.w[f"{prefix}_b{suffix}"]

    def attention(self, x, memory, prefix):
        query, key, value = (self.affine(y, prefix, s) for y, s in ((x, "q"), (memory, "k"), (memory, "v")))
        width = self.dim // self.heads
        out = np.empty_like(query)
        for head in range(self.heads):
            part = slice(head * width, (head + 1) * width)
            scores = query[:, part] @ key[:, part].T / np.sqrt(width)
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            out[:, part] = weights / weights.sum(-1, keepdims=True) @ value[:, part]
        return self.norm(x + self.affine(out, prefix, "o"), prefix + "_Wo")

    def feed_forward(self, x, prefix):
        hidden = np.maximum(self.affine(x, prefix, "1"), 0)
        return self.norm(x + self.affine(hidden, prefix, "2"), prefix + "_ffn")

    def encode(self, ids):
        x = self.w["Wemb"][ids] * np.sqrt(self.dim) + np.stack([self.signal(i) for i in range(len(ids))])
        for layer in range(1, self.encoder_depth + 1):
            x = self.attention(x, x, f"encoder_l{layer}_self")
            x = self.feed_forward(x, f"encoder_l{layer}_ffn")
        return x

    def decode(self, encoded, words):
        """Logits of the steps whose inputs are nothing, words[0], words[1], …"""
        cells = [np.zeros(self.dim) for _ in range(self.decoder_depth)]
        logits = []
        for position in range(len(words) + 1):
            x = self.signal(position)[None]
            if position > 0:
                x = x + self.w["Wemb"][words[position - 1]] * np.sqrt(self.dim)
            for layer in range(1, self.decoder_depth + 1):
                prefix = f"decoder_l{layer}_rnn"
                forget = 1 / (1 + np.exp(-self.affine(x, prefix, "f")))
                cells[layer - 1] = forget * cells[layer - 1] + (1 - forget) * (x @ self.w[prefix + "_W"])
                x = self.norm(x + np.maximum(cells[layer - 1], 0), prefix + "_ffn")
                x = self.attention(x, encoded, f"decoder_l{layer}_context")
                x = self.feed_forward(x, f"decoder_l{layer}_ffn")
            logits.append((x @ self.w["Wemb"].T + self.w["decoder_ff_logit_out_b"])[0])
        return np.stack(logits)


def relative_error(found, expected):
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def main():
    folder, sources = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    vocabulary = next(folder.glob("*.spm"))
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary))
    if len(sys.argv) > 4:
        original = Network({n: t for n, t in np.load(sys.argv[3]).items() if n != "special:model.yml"})
        golden = np.load(sys.argv[4])
        for i in range(3):
            encoded = original.encode(golden[f"s{i}_ids"])
            logits = original.decode(encoded, golden[f"s{i}_out"][:2])
            print("against PyTorch:", relative_error(encoded, golden[f"s{i}_encoder"]), relative_error(logits, golden[f"s{i}_logits"]))

    tensors, yaml = read_bin(next(folder.glob("*.bin")))
    lines = [line.split("\t")[0] for line in sources.read_text(encoding="utf-8").splitlines()]
    network, out = Network(tensors), {}
    for i, line in enumerate(lines[:3]):
        ids = [*pieces.encode(line), 0]
        encoded, words = network.encode(ids), []
        for _ in range(3):
            logits = network.decode(encoded, words)
            masked = logits[-1].copy()
            masked[1] = -np.inf
            words.append(int(masked.argmax()))
        out |= {f"s{i}_ids": np.int32(ids), f"s{i}_words": np.int32(words)}
        out |= {f"s{i}_encoder": np.float32(encoded), f"s{i}_logits": np.float32(logits[:, ::STEP])}
    np.savez_compressed(HERE / "tensors.npz", **out)

    import pymarian

    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model.npz"
        np.savez(model, **tensors, **{"special:model.yml": np.frombuffer(yaml + b"\0", np.int8)})
        marian = pymarian.Translator(
            f"-m {model} -v {vocabulary} {vocabulary} --beam-size 1 --normalize 0 --mini-batch 1 --maxi-batch 1 "
            "--max-length-factor 2.0 --max-length 1000 --cpu-threads 1 --quiet --quiet-translation"
        )
        translations = [marian.translate([line])[0] for line in lines]
    pairs = "".join(f"{line}\t{translation}\n" for line, translation in zip(lines, translations))
    (HERE / "golden.tsv").write_text(pairs, encoding="utf-8")


if __name__ == "__main__":
    main()
