"""The shapes in which models are published, with made-up weights, and what Marian translates with them.

    python make.py SENTENCES.tsv [--int8 FOLDER]

writes for each shape `NAME.yml`, the options that Marian stores in a model, and `NAME.tsv`: a sentence and Marian's greedy translation on
each line. The weights follow from the tensors' names, see `values`, so that no file holds them; tests/native/shapes.rs makes the same ones.
Vocabularies are trained if they are not there. With `--int8` the shapes that Mozilla publishes are written to the folder too, in the int8 files of Marian's browser build, whose
translations `int8.mjs` asks for. Needs Python 3.10, numpy, sentencepiece and pymarian 1.12.
"""

import argparse
import pathlib
import shutil
import struct
import tempfile

import numpy as np
import pymarian
import sentencepiece

HERE = pathlib.Path(__file__).parent
ENGLISH = HERE.parent / "architectures" / "vocab.spm"

CHINESE = """
今天天气很好，我们去公园散步吧。
他在北京大学学习计算机科学。
这本书的价格是三十五元。
请问最近的地铁站在哪里？
我每天早上七点起床。
她喜欢喝茶，不喜欢喝咖啡。
火车将在十分钟后到达。
我的电话号码是一二三四五六。
中国的首都是北京。
孩子们在花园里玩耍。
这个问题没有简单的答案。
请把门关上。
昨天晚上下了一场大雨。
我们公司有两千名员工。
他的新房子离学校不远。
明年我想去日本旅行。
医生说你需要多休息。
这家餐厅的菜很好吃。
电脑坏了，我不能工作。
谢谢你的帮助！
""".split()

GERMAN = """
Das Haus ist groß und alt. Wo ist der Bahnhof? Ich habe einen Hund und zwei Katzen. Der Zug fährt um sieben Uhr ab.
Heute scheint die Sonne. Sie arbeitet in einer großen Firma. Wir gehen am Abend ins Kino. Das Buch liegt auf dem Tisch.
Kannst du mir bitte helfen? Er hat gestern einen Brief geschrieben. Die Kinder spielen im Garten. Morgen wird es regnen.
Das Wasser ist kalt. Ich weiß es nicht. Vielen Dank für die Einladung. Wie viel kostet das Brot?
"""

MOZILLA = {
    "type": "transformer",
    "dim-emb": 64,
    "transformer-heads": 8,
    "transformer-dim-ffn": 192,
    "transformer-decoder-dim-ffn": 0,
    "transformer-ffn-depth": 2,
    "transformer-decoder-ffn-depth": 0,
    "transformer-ffn-activation": "relu",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "",
    "transformer-decoder-autoreg": "rnn",
    "transformer-dim-aan": 2048,
    "transformer-aan-depth": 2,
    "transformer-aan-activation": "swish",
    "transformer-aan-nogate": False,
    "transformer-no-projection": False,
    "transformer-no-bias": False,
    "transformer-no-affine": False,
    "transformer-tied-layers": [],
    "transformer-guided-alignment-layer": "last",
    "transformer-train-position-embeddings": False,
    "transformer-depth-scaling": False,
    "dec-cell": "ssru",
    "enc-depth": 6,
    "dec-depth": 2,
    "tied-embeddings": False,
    "tied-embeddings-src": False,
    "tied-embeddings-all": False,
    "layer-normalization": False,
    "lemma-dim-emb": 0,
    "output-omit-bias": False,
    "skip": False,
    "version": "v1.12.42 0000000 2026-01-01 00:00:00 -0000",
}

OPUS = MOZILLA | {
    "transformer-ffn-activation": "swish",
    "transformer-decoder-autoreg": "self-attention",
    "dec-cell": "gru",
    "enc-depth": 3,
    "dec-depth": 3,
    "tied-embeddings-all": True,
    "version": "v1.7.6 0000000 2020-01-01 00:00:00 -0000",
}


# What the browser build asks for beside.
BROWSER = {
    "input-types": [],
    "right-left": False,
    "dim-rnn": 1024,
    "enc-type": "bidirectional",
    "enc-cell": "gru",
    "enc-cell-depth": 1,
    "dec-cell-base-depth": 2,
    "dec-cell-high-depth": 1,
    "factors-dim-emb": 0,
    "factors-combine": "sum",
    "lemma-dependency": "",
    "transformer-pool": False,
    "transformer-rnn-projection": False,
    "ulr": False,
    "version": "v1.9.56 0000000 2020-01-01 00:00:00 -0000",
}


def values(name, count):
    """Whole numbers with a normal distribution's look: splitmix64 from the FNV-1a hash of the name, each output's four quarters added."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    quarters = sum((z >> np.uint64(shift)) & np.uint64(0xFFFF) for shift in (0, 16, 32, 48))
    return quarters.astype(np.int64) - 131070


# The standard deviation of such a sum.
DEVIATION = 65536 / np.sqrt(3)


def tensor(name, rows, columns, scale, centre):
    factor = np.float32(scale / DEVIATION)
    whole = values(name, rows * columns).astype(np.float32).reshape(rows, columns)
    return whole * factor + np.float32(centre)


def parameters(options):
    """
    Name, rows, columns, scale and centre of each tensor.

    The scales keep attention soft: where it is not, the last bit of a sum decides what a sentence becomes. But where the first word says
    which language is meant, the decoder must look at it.
    """
    soft = options["transformer-decoder-autoreg"] == "rnn"
    scale, embedding = (0.7, 0.5) if soft else (4.0, 0.18)
    dim, wide = options["dim-emb"], options["transformer-dim-ffn"]
    sources, targets = options["dim-vocabs"]
    found = []

    def matrix(name, rows, columns):
        found.append((name, rows, columns, scale / np.sqrt(rows), 0.0))

    def vector(name, size, centre=0.0):
        found.append((name, 1, size, 0.1, centre))

    def norm(prefix):
        vector(f"{prefix}_ln_scale", dim, 1.0)
        vector(f"{prefix}_ln_bias", dim)

    def attention(prefix):
        for part in "qkvo":
            matrix(f"{prefix}_W{part}", dim, dim)
            vector(f"{prefix}_b{part}", dim)
        norm(f"{prefix}_Wo")

    def feed_forward(prefix):
        matrix(f"{prefix}_W1", dim, wide)
        vector(f"{prefix}_b1", wide)
        matrix(f"{prefix}_W2", wide, dim)
        vector(f"{prefix}_b2", dim)
        norm(f"{prefix}_ffn")

    for layer in range(1, options["enc-depth"] + 1):
        attention(f"encoder_l{layer}_self")
        feed_forward(f"encoder_l{layer}_ffn")
    for layer in range(1, options["dec-depth"] + 1):
        if options["transformer-decoder-autoreg"] == "rnn":
            prefix = f"decoder_l{layer}_rnn"
            matrix(f"{prefix}_W", dim, dim)
            matrix(f"{prefix}_Wf", dim, dim)
            vector(f"{prefix}_bf", dim)
            norm(f"{prefix}_ffn")
        else:
            attention(f"decoder_l{layer}_self")
        attention(f"decoder_l{layer}_context")
        feed_forward(f"decoder_l{layer}_ffn")
    embeddings = [("Wemb", sources)] if options["tied-embeddings-all"] else [("encoder_Wemb", sources), ("decoder_Wemb", targets)]
    for name, words in embeddings:
        found.append((name, words, dim, embedding, 0.0))
    vector("decoder_ff_logit_out_b", targets)
    return found


def multiplier(name):
    """What enters a product is multiplied by this: the largest value that fits is small behind a product, and large behind a norm."""
    largest = 2 if name.endswith(("_Wo", "_W2")) else 4
    return 127 / largest


def padded(count):
    """The browser build has matrices with a multiple of eight words only."""
    return -(-count // 8) * 8


def int8(array, embedding):
    """Values, column by column but for embeddings, and their multiplier."""
    scale = np.float32(127) / np.abs(array).max()
    whole = np.clip(np.rint(array * scale), -127, 127).astype(np.int8)
    if embedding:
        whole = np.pad(whole, ((0, padded(len(whole)) - len(whole)), (0, 0)))
    return np.ascontiguousarray(whole if embedding else whole.T).tobytes() + scale.tobytes()


def write_bin(path, options):
    """As ../../../train/wanderwort_train/marian.py writes it."""
    items = {}
    for line in parameters(options):
        name, array = line[0], tensor(*line)
        embedding = name.endswith("Wemb")
        rows, columns = array.shape
        if rows == 1:
            if name == "decoder_ff_logit_out_b":
                array = np.pad(array, ((0, 0), (0, padded(columns) - columns)))
            items[name] = (0x404, array.shape, array.tobytes())
            continue
        items[name] = (0x4101, (padded(rows) if embedding else rows, columns), int8(array, embedding))
        value = np.array([[multiplier(name)]], np.float32)
        if embedding:
            items[f"{name}_QuantMultA"] = (0x4101, (1, 1), int8(value, False))
            items["none_QuantMultA"] = (0x404, (1, 1), value.tobytes())
        else:
            items[f"{name}_QuantMultA"] = (0x404, (1, 1), value.tobytes())
    items = {name: (kind, shape, data + bytes(-len(data) % 256)) for name, (kind, shape, data) in sorted(items.items())}
    sizes = {"dim-vocabs": [padded(count) for count in options["dim-vocabs"]]}
    text = yaml(options | BROWSER | sizes).encode() + b"\0"
    items["special:model.yml"] = (0x101, (len(text),), text)
    head = struct.pack("<2Q", 1, len(items))
    for name, (kind, shape, data) in items.items():
        head += struct.pack("<4Q", len(name) + 1, kind, len(shape), len(data))
    head += b"".join(name.encode() + b"\0" for name in items)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, shape, _ in items.values())
    gap = -(len(head) + 8) % 256
    path.write_bytes(head + struct.pack("<Q", gap) + bytes(gap) + b"".join(data for *_, data in items.values()))


def write_shortlist(path, options):
    """All words of the target but the last few, which make up no eight, so that none of those that `padded` adds is ever chosen."""
    sources, targets = options["dim-vocabs"]
    first = targets // 8 * 8 - 8
    offsets = range(0, 8 * sources + 1, 8)
    rest = struct.pack(f"<4Q{sources + 1}Q", first, 8, sources + 1, 8 * sources, *offsets)
    rest += struct.pack(f"<{8 * sources}I", *[*range(first, first + 8)] * sources)
    checksum = 0
    for (word,) in struct.iter_unpack("<Q", rest[: len(rest) // 8 * 8]):
        checksum ^= (word + 0x9E3779B9 + (checksum << 6) + (checksum >> 2)) % 2**64
        checksum %= 2**64
    path.write_bytes(struct.pack("<2Q", 0xF11A48D5013417F5, checksum) + rest)


def yaml(options):
    def value(v):
        if isinstance(v, bool):
            return str(v).lower()
        if isinstance(v, list):
            return "[" + ", ".join(map(str, v)) + "]"
        return f'"{v}"' if v == "" else str(v)

    return "".join(f"{name}: {value(v)}\n" for name, v in options.items())


def train(name, lines, size):
    """A vocabulary without rules of normalization, which would be most of the file."""
    path = HERE / f"{name}.spm"
    if not path.exists():
        ids = {"eos_id": 0, "unk_id": 1, "bos_id": -1} if name == "zh" else {}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=str(HERE / name), vocab_size=size, model_type="unigram", pad_id=-1,
            normalization_rule_name="identity", hard_vocab_limit=False, minloglevel=2, **ids,
        )
        (HERE / f"{name}.vocab").unlink()
        (HERE / f"{name}.model").rename(path)
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def translate(options, name, vocabularies, lines):
    found = parameters(options)
    (HERE / f"{name}.yml").write_text(yaml(options), encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model.npz"
        config = np.frombuffer(yaml(options).encode() + b"\0", np.int8)
        np.savez(model, **{line[0]: tensor(*line) for line in found}, **{"special:model.yml": config})
        settings = (
            f"-m {model} -v {vocabularies[0]} {vocabularies[1]} --mini-batch 1 --maxi-batch 1 --max-length-factor 1.0 "
            "--max-length 1000 --cpu-threads 1 --quiet --quiet-translation --beam-size 1 --normalize 0"
        )
        translator = pymarian.Translator(settings)
        return [translator.translate([line])[0] for line in lines]


def write(name, lines, found):
    (HERE / f"{name}.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in zip(lines, found)), encoding="utf-8")
    print(name, len(set(found)), found[0][:90])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sentences", type=pathlib.Path)
    parser.add_argument("--int8", type=pathlib.Path)
    arguments = parser.parse_args()
    english = arguments.sentences.read_text(encoding="utf-8").splitlines()
    english = [" ".join(line.split("\t")[0].split()[:8]) for line in english[:20]]
    chinese = train("zh", CHINESE, 180)
    sizes = {ENGLISH: 300, HERE / "zh.spm": chinese.vocab_size()}
    base = {"tied-embeddings-all": True, "dec-depth": 4}
    both = {"tied-embeddings": True}
    for name, source, target, change, lines in (
        ("base-memory", ENGLISH, ENGLISH, base, english),
        ("en-zh", ENGLISH, HERE / "zh.spm", both, english),
        ("zh-en", HERE / "zh.spm", ENGLISH, both, CHINESE),
    ):
        options = {**MOZILLA, "dim-vocabs": [sizes[source], sizes[target]], **change}
        write(name, lines, translate(options, name, (source, target), lines))
        if arguments.int8:
            folder = arguments.int8 / name
            folder.mkdir(parents=True, exist_ok=True)
            write_bin(folder / "model.bin", options)
            write_shortlist(folder / "lex.bin", options)
            shutil.copy(source, folder / "source.spm")
            shutil.copy(target, folder / "target.spm")

    # As the published folders are: each language's own pieces, and the numbers of all that texts were cut into in one list.
    source = train("source", english, 150)
    target = train("target", GERMAN.strip().splitlines(), 150)
    cut = [piece for line in english for piece in source.encode_as_pieces(line + " ☃")]
    cut += [piece for line in GERMAN.strip().splitlines() for piece in target.encode_as_pieces(line)]
    # Pieces of the source that no text of the training had are not in the list.
    rare = set(sorted(set(cut))[::40])
    words = ["</s>", "<unk>"] + [word for word in dict.fromkeys(cut) if word not in rare] + [">>deu<<", ">>fra<<", ">>cmn_Hans<<"]
    listed = "".join(f"{quoted(word)}: {number}\n" for number, word in enumerate(words))
    (HERE / "opus.vocab.yml").write_text(listed, encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        vocabulary = pathlib.Path(scratch) / "vocab.yml"
        vocabulary.write_text(listed, encoding="utf-8")
        lines = english + ["A ☃ is here ☃☃."]
        prepared = [" ".join([">>deu<<"] + source.encode_as_pieces(line)) for line in lines]
        options = {**OPUS, "dim-vocabs": [len(words), len(words)]}
        found = translate(options, "opus", (vocabulary, vocabulary), prepared)
    write("opus", lines, ["".join(line.split(" ")).replace("▁", " ").strip() for line in found])


def quoted(word):
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    main()
