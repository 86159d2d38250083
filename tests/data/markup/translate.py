#!/usr/bin/env python3
"""Translates the sentences of sources.txt with Marian and writes them with the word alignment.

    pip install pymarian sentencepiece
    translate.py MODEL.npz VOCABULARY.spm < sources.txt > translated.jsonl

Each line: the marked source, the translation, and its tokens as start and end in the translation, start and end in the source (bytes).
"""
import json
import re
import sys

import pymarian
import sentencepiece

model, vocabulary = sys.argv[1:]
processor = sentencepiece.SentencePieceProcessor(vocabulary)
translator = pymarian.Translator(
    f"-m {model} -v {vocabulary} {vocabulary} -b 1 --alignment hard --no-spm-decode --cpu-threads 1 --quiet --max-length-factor 2")

for line in sys.stdin:
    source = line.rstrip("\n").replace("<br/>", "<br/>\n")
    text = re.sub(r"<[^>]*>", "", source)
    sentences, tokens, target = [], [], ""
    start = 0
    for sentence in re.split(r"(\n|(?<=[.!?]) (?=[A-Z]))", text):
        if not sentence.strip():
            target += sentence
            start += len(sentence.encode())
            continue
        lead = len(sentence) - len(sentence.lstrip())
        target += sentence[:lead]
        start += lead
        sentence = sentence[lead:]
        pieces = processor.encode(sentence, return_type="proto").pieces
        output, alignment = translator.translate(sentence).split(" ||| ")
        words = output.split()
        pairs = {int(pair.split("-")[1]): int(pair.split("-")[0]) for pair in alignment.split()}
        begin = len(target.encode())
        for index, word in enumerate(words):
            surface = word.replace("\u2581", " ")
            if index == 0:
                surface = surface.removeprefix(" ")
            from_ = len(target.encode())
            target += surface
            end = len(sentence.encode())
            piece = pieces[pairs[index]] if pairs.get(index, len(pieces)) < len(pieces) else None
            place = (piece.begin, piece.end) if piece else (end, end)
            tokens.append((from_, len(target.encode()), start + place[0], start + place[1]))
        sentences.append((begin, len(target.encode()), start, start + len(sentence.encode())))
        start += len(sentence.encode())
    print(json.dumps({"source": source, "target": target, "sentences": sentences, "tokens": tokens}, ensure_ascii=False))
