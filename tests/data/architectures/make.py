"""Small models with random weights, one for each architecture the engine runs, and what Marian translates with them.

    python make.py PIECES.txt SENTENCES.tsv [ARCHITECTURE…]

trains a vocabulary of 300 pieces on the first file if there is none yet, and writes for each architecture, or those named, a folder
with `model.npz.gz` (kept if it is there), `golden.tsv`: the first 40 sentences of the second file cut to ten words, and Marian's greedy
output, and `n-best.txt`: what Marian prints for the first ten with a beam of four. Recurrent models also have `alignments.txt`:
for the first ten the pairs `source-target` of pieces that Marian aligns. Those of the types `amun` and `nematus` have
Nematus's names of parameters. Random weights say nothing sensible, but any
difference in the arithmetic shows at once. Needs numpy, sentencepiece and pymarian.
"""

import gzip
import io
import pathlib
import re
import sys
import tempfile

import numpy as np
import pymarian
import sentencepiece

HERE = pathlib.Path(__file__).parent
PIECES, DIM, HEADS, FFN = 300, 32, 4, 48

BASE = {
    "type": "transformer",
    "dim-emb": DIM,
    "dim-vocabs": [PIECES, PIECES],
    "transformer-heads": HEADS,
    "transformer-dim-ffn": FFN,
    "transformer-ffn-depth": 2,
    "transformer-ffn-activation": "relu",
    "transformer-preprocess": "",
    "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d",
    "transformer-postprocess-top": "",
    "transformer-decoder-autoreg": "rnn",
    "transformer-dim-aan": FFN,
    "transformer-aan-depth": 2,
    "transformer-aan-activation": "swish",
    "transformer-aan-nogate": False,
    "transformer-no-projection": False,
    "transformer-tied-layers": [],
    "transformer-guided-alignment-layer": "last",
    "transformer-train-position-embeddings": False,
    "dec-cell": "ssru",
    "enc-depth": 2,
    "dec-depth": 2,
    "tied-embeddings": False,
    "tied-embeddings-src": False,
    "tied-embeddings-all": True,
    "layer-normalization": False,
    "skip": False,
    "version": "v1.12.42 0000000 2026-01-01 00:00:00 -0000",
}

PRE = {"transformer-preprocess": "n", "transformer-postprocess": "da", "transformer-postprocess-top": "n"}
SELF = {"transformer-decoder-autoreg": "self-attention"}
AVERAGE = {"transformer-decoder-autoreg": "average-attention"}

# Recurrent models (type `s2s`), and their own width.
STATE = 10
RECURRENT = {
    "type": "s2s",
    "dim-emb": 8,
    "dim-rnn": STATE,
    "enc-type": "bidirectional",
    "enc-cell": "gru",
    "enc-cell-depth": 1,
    "enc-depth": 1,
    "dec-cell": "gru",
    "dec-cell-base-depth": 2,
    "dec-cell-high-depth": 1,
    "dec-depth": 1,
    "transformer-decoder-autoreg": "self-attention",
}

VARIANTS = {
    "post-norm": {},
    "pre-norm": PRE,
    "swish": {"transformer-ffn-activation": "swish"},
    "deep-feed-forward": {"transformer-ffn-depth": 3},
    "tied-layers": {"dec-depth": 3, "transformer-tied-layers": [1, 1, 3]},
    "separate-embeddings": {"tied-embeddings-all": False, "tied-embeddings": True},
    "separate-output": {"tied-embeddings-all": False},
    "shared-source": {"tied-embeddings-all": False, "tied-embeddings-src": True},
    "no-projection": {"transformer-no-projection": True},
    "embedding-norm": {"transformer-postprocess-emb": "n"},
    "deep-encoder": {"enc-depth": 5, "dec-depth": 1},
    "self-attention": SELF,
    # Not with PRE: such a decoder Marian runs in another way than it trains it, see self_attention.rs.
    "self-attention-tied": SELF | {"dec-depth": 3, "transformer-tied-layers": [1, 1, 3]},
    "average-attention-with-gate": AVERAGE,
    "average-attention-pre-norm": AVERAGE | PRE,
    "average-attention-no-gate": AVERAGE | {"transformer-aan-nogate": True, "transformer-aan-activation": "relu"},
    "average-attention-deep": AVERAGE | {"transformer-aan-depth": 3},
    "average-attention-same-width": AVERAGE | {"transformer-dim-aan": DIM},
    "average-attention-no-feed-forward": AVERAGE | {"transformer-aan-depth": 1},
    "average-attention-mean-alone": AVERAGE | {"transformer-aan-depth": 1, "transformer-aan-nogate": True},
    "recurrent-shallow": RECURRENT | {"tied-embeddings-all": False},
    "recurrent-deep": RECURRENT
    | {"enc-depth": 2, "enc-cell-depth": 2, "dec-depth": 2, "dec-cell-base-depth": 4, "dec-cell-high-depth": 2}
    | {"layer-normalization": True, "skip": True},
    "recurrent-alternating": RECURRENT
    | {"enc-type": "alternating", "enc-depth": 3, "dec-depth": 3, "skip": True}
    | {"tied-embeddings-all": False, "tied-embeddings": True},
    "recurrent-bi-unidirectional": RECURRENT
    | {"enc-type": "bi-unidirectional", "enc-depth": 3, "enc-cell-depth": 2, "dec-depth": 2, "layer-normalization": True}
    | {"skip": True},
    "recurrent-amun": RECURRENT | {"type": "amun", "tied-embeddings-all": False, "layer-normalization": True},
    "recurrent-nematus": RECURRENT
    | {"type": "nematus", "enc-cell": "gru-nematus", "dec-cell": "gru-nematus", "enc-cell-depth": 2, "dec-cell-base-depth": 4}
    | {"tied-embeddings-all": False, "tied-embeddings": True},
}


def parameters(options, random):
    tensors = {}

    def matrix(name, rows, columns, scale=1.0):
        tensors[name] = random.normal(0, scale / np.sqrt(rows), (rows, columns)).astype(np.float32)

    def vector(name, size, center=0.0):
        tensors[name] = random.normal(center, 0.1, (1, size)).astype(np.float32)

    def norm(prefix, suffix=""):
        vector(f"{prefix}_ln_scale{suffix}", DIM, 1.0)
        vector(f"{prefix}_ln_bias{suffix}", DIM)

    def norms(before, after):
        if "n" in options["transformer-preprocess"]:
            norm(before, "_pre")
        if "n" in options["transformer-postprocess"]:
            norm(after)

    def attention(prefix):
        for part in "qkv" if options["transformer-no-projection"] else "qkvo":
            matrix(f"{prefix}_W{part}", DIM, DIM, 1.5)
            vector(f"{prefix}_b{part}", DIM)
        norms(prefix + "_Wo", prefix + "_Wo")

    def feed_forward(prefix):
        depth = options["transformer-ffn-depth"]
        widths = [DIM] + [FFN] * (depth - 1) + [DIM]
        for layer in range(1, depth + 1):
            matrix(f"{prefix}_W{layer}", widths[layer - 1], widths[layer], 1.5)
            vector(f"{prefix}_b{layer}", widths[layer])
        norms(prefix + "_ffn", prefix + "_ffn")

    def average_attention(prefix):
        depth, wide = options["transformer-aan-depth"], options["transformer-dim-aan"]
        widths = [DIM] + [wide] * (depth - 1)
        # The last layer only brings the width back.
        widths += [DIM] if widths[-1] != DIM else []
        for layer in range(1, len(widths)):
            matrix(f"{prefix}_W{layer}", widths[layer - 1], widths[layer], 1.5)
            vector(f"{prefix}_b{layer}", widths[layer])
        for gate in "" if options["transformer-aan-nogate"] else "if":
            matrix(f"{prefix}_W{gate}", DIM, DIM, 1.5)
            vector(f"{prefix}_b{gate}", DIM)
        norms(prefix + "_ffn", prefix + "_ffn")

    for layer in range(1, options["enc-depth"] + 1):
        attention(f"encoder_l{layer}_self")
        feed_forward(f"encoder_l{layer}_ffn")
    for layer in sorted(set(options["transformer-tied-layers"] or range(1, options["dec-depth"] + 1))):
        match options["transformer-decoder-autoreg"]:
            case "rnn":
                prefix = f"decoder_l{layer}_rnn"
                matrix(prefix + "_W", DIM, DIM, 1.5)
                matrix(prefix + "_Wf", DIM, DIM, 1.5)
                vector(prefix + "_bf", DIM)
                norms(prefix, prefix + "_ffn")
            case "average-attention":
                average_attention(f"decoder_l{layer}_aan")
            case "self-attention":
                attention(f"decoder_l{layer}_self")
        attention(f"decoder_l{layer}_context")
        feed_forward(f"decoder_l{layer}_ffn")
    for side in ("encoder", "decoder"):
        if "n" in options["transformer-postprocess-emb"]:
            norm(f"{side}_emb", "_pre")
        if "n" in options["transformer-postprocess-top"]:
            norm(f"{side}_top")
    shared = options["tied-embeddings-all"] or options["tied-embeddings-src"]
    for name in ["Wemb"] if shared else ["encoder_Wemb", "decoder_Wemb"]:
        tensors[name] = random.normal(0, 0.18, (PIECES, DIM)).astype(np.float32)
    if not options["tied-embeddings-all"] and not options["tied-embeddings"]:
        tensors["decoder_ff_logit_out_Wt"] = random.normal(0, 0.25, (PIECES, DIM)).astype(np.float32)
    vector("decoder_ff_logit_out_b", PIECES)
    if options["transformer-decoder-autoreg"] != "rnn":
        # Left to chance, next to no translation would end before the limit of length.
        tensors["decoder_ff_logit_out_b"][0, 0] += 1.5
    return tensors


def recurrent_parameters(options, random):
    tensors = {}
    width, normalized = options["dim-emb"], options["layer-normalization"]

    def matrix(name, rows, columns, scale=1.5):
        tensors[name] = random.normal(0, scale / np.sqrt(rows), (rows, columns)).astype(np.float32)

    def vector(name, size, center=0.0):
        tensors[name] = random.normal(center, 0.1, (1, size)).astype(np.float32)

    def cell(prefix, inner):
        """Without an input, `inner` is 0."""
        parts = ["U"] + (["W"] if inner else [])
        for part in parts:
            matrix(f"{prefix}_{part}", inner if part == "W" else STATE, 2 * STATE)
            matrix(f"{prefix}_{part}x", inner if part == "W" else STATE, STATE)
            if normalized:
                vector(f"{prefix}_gamma{1 if part == 'W' else 2}", 3 * STATE, 1.0)
        vector(prefix + "_b", 2 * STATE)
        vector(prefix + "_bx", STATE)

    def dense(prefix, numbers, widths, columns):
        for number, inner in zip(numbers, widths):
            matrix(f"{prefix}_W{number}", inner, columns)
            vector(f"{prefix}_b{number}", columns)
            if normalized:
                vector(f"{prefix}_gamma{number}", columns, 1.0)

    depth, cells = options["enc-depth"], options["enc-cell-depth"]
    both_ways = 1 if options["enc-type"] == "bi-unidirectional" else depth
    for direction in ("encoder_bi", "encoder_bi_r"):
        for layer in range(1, both_ways + 1):
            for number in range(1, cells + 1):
                prefix = direction + (f"_l{layer}" if layer > 1 else "") + (f"_cell{number}" if layer + number > 2 else "")
                cell(prefix, 0 if number > 1 else width if layer == 1 else STATE)
    for layer in range(both_ways + 1, depth + 1):
        for number in range(1, cells + 1):
            cell(f"encoder_l{layer}_cell{number}", 0 if number > 1 else 2 * STATE if layer == 2 else STATE)
    context = 2 * STATE if both_ways == depth else STATE
    dense("decoder_ff_state", [""], [context], STATE)
    for number in range(1, options["dec-cell-base-depth"] + 1):
        cell(f"decoder_cell{number}", {1: width, 2: context}.get(number, 0))
    for layer in range(2, options["dec-depth"] + 1):
        for number in range(1, options["dec-cell-high-depth"] + 1):
            cell(f"decoder_l{layer}_cell{number}", 0 if number > 1 else STATE)
    matrix("decoder_Wc_att", context, context)
    matrix("decoder_W_comb_att", STATE, context)
    matrix("decoder_U_att", context, 1, 4.0)
    vector("decoder_b_att", context)
    if normalized:
        vector("decoder_att_gamma1", context, 1.0)
        vector("decoder_att_gamma2", context, 1.0)
    dense("decoder_ff_logit_l1", "012", [width, STATE, context], width)
    shared = options["tied-embeddings-all"] or options["tied-embeddings-src"]
    for name in ["Wemb"] if shared else ["encoder_Wemb", "decoder_Wemb"]:
        tensors[name] = random.normal(0, 0.8, (PIECES, width)).astype(np.float32)
    if not options["tied-embeddings-all"] and not options["tied-embeddings"]:
        tensors["decoder_ff_logit_l2_Wt"] = random.normal(0, 0.8, (PIECES, width)).astype(np.float32)
    vector("decoder_ff_logit_l2_b", PIECES)
    tensors["decoder_ff_logit_l2_b"][0, 0] += 4 if depth > 2 else 2.5 if cells == 1 or depth == 2 else 1.5
    # Two spaces behind one another are not what a translation keeps.
    space = sentencepiece.SentencePieceProcessor(model_file=str(HERE / "vocab.spm")).piece_to_id("\u2581")
    tensors["decoder_ff_logit_l2_b"][0, space] = -20
    return tensors


def with_names_of_nematus(tensors):
    """Nematus's names of parameters, and what it and Marian write beside them."""
    dense = {"l1_W0": "prev_W", "l1_W1": "lstm_W", "l1_W2": "ctx_W", "l1_b0": "prev_b", "l1_b1": "lstm_b", "l1_b2": "ctx_b", "l2_b": "b"}
    named = {"decoder_Wemb": "Wemb_dec", "encoder_Wemb": "Wemb", "decoder_cell2_W": "decoder_Wc", "decoder_cell2_Wx": "decoder_Wcx"}
    named |= {f"decoder_ff_logit_{ours}": f"ff_logit_{theirs}" for ours, theirs in dense.items()}
    result = {"decoder_c_tt": np.zeros((1, 0), np.float32)}
    for name, tensor in tensors.items():
        if name == "decoder_ff_logit_l2_Wt":
            result["ff_logit_W"] = np.ascontiguousarray(tensor.T)
            continue
        part = name.rsplit("_", 1)[-1]
        if found := re.fullmatch(r"encoder_bi(_r|)_cell(\d)_\w+", name):
            new = f"encoder{found[1]}_{part}_drt_{int(found[2]) - 1}"
        elif found := re.fullmatch(r"decoder_cell(\d)_[Ub]x?", name):
            cell = int(found[1])
            new = f"decoder_{part}" + ("_nl" if cell > 1 else "") + (f"_drt_{cell - 2}" if cell > 2 else "")
        elif re.fullmatch(r"decoder_cell1_Wx?", name):
            new = f"decoder_{part}"
        else:
            new = named.get(name) or re.sub("^decoder_ff_", "ff_", name).replace("encoder_bi_", "encoder_")
        result[new] = tensor
    return result


def rounded(tensor):
    """To sixteenths, which is as good a test, in an archive that is compressed as a whole: that takes the least room."""
    return np.round(tensor * 16) / 16


def yaml(options):
    def value(v):
        if isinstance(v, bool):
            return str(v).lower()
        if isinstance(v, list):
            return "[" + ", ".join(map(str, v)) + "]"
        return f'"{v}"' if v == "" else str(v)

    return "".join(f"{name}: {value(v)}\n" for name, v in options.items())


def main():
    vocabulary = HERE / "vocab.spm"
    if not vocabulary.exists():
        sentencepiece.SentencePieceTrainer.train(
            input=sys.argv[1], model_prefix=str(HERE / "vocab"), vocab_size=PIECES, model_type="unigram", eos_id=0, unk_id=1,
            bos_id=-1, pad_id=-1, hard_vocab_limit=True, minloglevel=2,
        )
        (HERE / "vocab.vocab").unlink()
        (HERE / "vocab.model").rename(vocabulary)
    lines = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()[:40]
    lines = [" ".join(line.split("\t")[0].split()[:10]) for line in lines]
    for name in sys.argv[3:] or VARIANTS:
        options = BASE | VARIANTS[name]
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        archive = folder / "model.npz.gz"
        if not archive.exists():
            make = parameters if options["type"] == "transformer" else recurrent_parameters
            tensors = make(options, np.random.default_rng(len(name)))
            tensors = with_names_of_nematus(tensors) if options["type"] in ("amun", "nematus") else tensors
            tensors = {name: rounded(tensor).astype(np.float32) for name, tensor in tensors.items()}
            config = {"special:model.yml": np.frombuffer(yaml(options).encode() + b"\0", np.int8)}
            content = io.BytesIO()
            np.savez(content, **tensors, **config)
            archive.write_bytes(gzip.compress(content.getvalue(), mtime=0))
        with tempfile.TemporaryDirectory() as scratch:
            model = pathlib.Path(scratch) / "model.npz"
            # Marian reads what is not compressed.
            model.write_bytes(gzip.decompress(archive.read_bytes()))
            settings = (
                f"-m {model} -v {vocabulary} {vocabulary} --mini-batch 1 --maxi-batch 1 --max-length-factor 2.0 "
                "--max-length 1000 --cpu-threads 1 --quiet --quiet-translation"
            )
            greedy = pymarian.Translator(f"{settings} --beam-size 1 --normalize 0")
            found = [greedy.translate([line])[0] for line in lines]
            beam = pymarian.Translator(f"{settings} --beam-size 4 --normalize 0.6 --n-best")
            candidates = beam.translate(lines[:10])
            if options["type"] != "transformer":
                aligned = pymarian.Translator(f"{settings} --beam-size 1 --normalize 0 --alignment hard")
                links = [aligned.translate([line])[0].rsplit("||| ")[-1] for line in lines[:10]]
                (folder / "alignments.txt").write_text("".join(f"{line}\n" for line in links), encoding="utf-8")
        (folder / "n-best.txt").write_text("".join(f"{line}\n" for line in candidates), encoding="utf-8")
        pairs = "".join(f"{line}\t{translation}\n" for line, translation in zip(lines, found))
        (folder / "golden.tsv").write_text(pairs, encoding="utf-8")
        print(name, len(set(found)), found[0][:90])


if __name__ == "__main__":
    main()
