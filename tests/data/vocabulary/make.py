#!/usr/bin/env python3
"""Writes what the reference implementation makes of texts: `pip install sentencepiece`, then

    make.py golden MODEL.spm TEXTS... | gzip -9n > GOLDEN.jsonl.gz     each line {"text", "pieces": [[id, start, end], ...], "decoded"}
    make.py train FOLDER TEXTS...                        small models with the less common switches, with their goldens

Offsets are in bytes of UTF-8. `decoded` is what the reference writes for the ids.
"""
import gzip
import io
import json
import pathlib
import random
import sys

import sentencepiece

# Texts that break tokenizers: each is also run together with its neighbour.
AWKWARD = [
    "", " ", "   ", "\t", "\n", "\u00a0", "\u3000\u3000", "a", " a", "a ", "  a  b  ", "a\tb", "a\nb\r\nc", "a\u00a0b", "a\u200bb", "a\u200d\u200cb",
    "\u2581", "a\u2581b", "\u2581\u2581a \u2581", "😀", "😀😀", "Hi 😀 there", "Hi😀there 👩‍👩‍👧‍👦!", "🇩🇪 Fahne 🇬🇧", "👍🏽👍🏿", "e\u0301cole",
    "A\u0308pfel u\u0308ber O\u0308l", "z\u0351\u0342\u0301algo", "ﬁnal ﬂow oﬃce", "ﬀ", "Ｆｕｌｌ　ｗｉｄｔｈ １２３！", "①②③ Ⅳ ½ ㎏ ™ …", "ﷺ", "ｶﾞｷﾞ ガギ",
    "x\u0000y", "\u0001\u0002\u0003", "bell\u0007 esc\u001b[31m", "\u007f", "\u0085next", "a\u2028b\u2029c", "\ufeffBOM", "\ufffd", "soft\u00adhyphen",
    "\u202bעברית\u202c und English", "\u200eLTR\u200fRTL", "مرحبا بالعالم", "Привет, мир!", "你好，世界。", "こんにちは", "नमस्ते दुनिया", "ไทยภาษา",
    "</s>", "<unk>", "<s> </s> <unk> <pad>", "<0x41>", "x </s> y", "C++ <T> a<b>c && d || e", "{[(…)]}", "https://example.org/a?b=c&d=%20#e",
    "user@example.org", "ß ẞ ı İ ſ", "„Gut“, sagte sie – ‚ja‘.", "“Quotes” ‘single’ — dash", "1.234.567,89 € £5 $7 ¥9", "10²³ H₂O x⁻¹", "e.g. i.e. z. B.",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "-" * 200, "." * 201, "=" * 99, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft" * 3,
    "ababab" * 60, "\U0001f600" * 40, "é" * 77, "ö" * 100, "\u0301" * 20, "a" + "\u0301" * 40, "\U0010ffff\ue000\ufdd0", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕬 𝟏𝟐𝟑", "ǅ ŉ ΐ ΰ ﬅ",
    "\u1100\u1161\u11a8 한국어", "\u0958 \u2126 \u212b \u2f00", "tab\t\ttab   spaces\u2003em\u2009thin\u202fnarrow", "ends in ideographic space\u3000", "\u3000starts",
    "\u00a0\u00a0nbsp both\u00a0\u00a0", "\u200b", "\u200ba", "a\u200b", " \u200b ", "a \u200b b", "\u00ad", "x\u00ad", "a\ufe0f☺️", "™\u20e3 1️⃣",
]


def golden(processor, text):
    """One line of a golden file."""
    proto = processor.encode(text, return_type="proto")
    for piece in proto.pieces:
        assert text.encode()[piece.begin:piece.end].decode() == piece.surface, (text, piece)
    pieces = [[piece.id, piece.begin, piece.end] for piece in proto.pieces]
    return {"text": text, "pieces": pieces, "decoded": processor.decode([piece[0] for piece in pieces])}


def texts(paths):
    """The columns of tab-separated files, and the awkward texts."""
    lines = []
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            lines += line.split("\t")
    random.Random(1).shuffle(lines)
    return lines[:300] + AWKWARD + [a + b for a, b in zip(AWKWARD, AWKWARD[1:])]


def write(processor, lines, out):
    """Goldens of encoding, then of decoding ids at random."""
    for line in lines:
        print(json.dumps(golden(processor, line), ensure_ascii=False), file=out)
    chance = random.Random(2)
    for _ in range(100):
        ids = [chance.randrange(chance.choice([8, 300, len(processor)])) for _ in range(chance.randrange(12))]
        print(json.dumps({"ids": ids, "decoded": processor.decode(ids)}, ensure_ascii=False), file=out)


VARIANTS = {
    "bytes": {"byte_fallback": True, "vocab_size": 700},
    "verbatim": {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
    "prefix": {"remove_extra_whitespaces": False, "unk_surface": "?"},
    "user": {"user_defined_symbols": ["<mask>", "©2024", "ﬁ"], "control_symbols": ["<ctrl>"], "normalization_rule_name": "nmt_nfkc_cf"},
    "suffix": {"treat_whitespace_as_suffix": True},
    "bpe": {"model_type": "bpe"},
}


def main():
    command, target, *paths = sys.argv[1:]
    if command == "golden":
        write(sentencepiece.SentencePieceProcessor(target), texts(paths), sys.stdout)
        return
    lines = texts(paths)
    for name, options in VARIANTS.items():
        model = io.BytesIO()
        settings = {"vocab_size": 400, "hard_vocab_limit": False, "minloglevel": 2, "bos_id": -1, "eos_id": 0, "unk_id": 1, "character_coverage": 0.99,
                    "normalization_rule_name": "identity"}
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines[:300]), model_writer=model, **(settings | options))
        path = pathlib.Path(target, name + ".spm")
        path.write_bytes(model.getvalue())
        if name != "bpe":
            with gzip.open(path.with_suffix(".jsonl.gz"), "wt", encoding="utf-8") as out:
                write(sentencepiece.SentencePieceProcessor(str(path)), lines[150:] + ["<mask> x<mask>©2024 aaaa aaaaaa ﬁ <ctrl>"], out)


main()
