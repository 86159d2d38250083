"""Step `evaluate`: BLEU and chrF (sacreBLEU) on every development and test set, for each form of the student."""

import time

import sacrebleu
import torch
from tqdm import tqdm

from . import corpus, device, forms, vocabulary
from .config import Config
from .files import atomic, write_json


def score_set(translator, pieces, pairs, description: str) -> dict:
    """BLEU, chrF and seconds for one set."""
    started = time.monotonic()
    sources = pieces.encode([source for source, _ in pairs], add_eos=True)
    with tqdm(total=len(sources), desc=description, unit=" lines", mininterval=1, leave=False) as bar:
        found = pieces.decode(translator.translate(sources, progress=lambda done: bar.update(done - bar.n)))
    references = [[target for _, target in pairs]]
    return {
        "lines": len(pairs),
        "BLEU": round(sacrebleu.corpus_bleu(found, references).score, 2),
        "chrF": round(sacrebleu.corpus_chrf(found, references).score, 2),
        "seconds": round(time.monotonic() - started, 1),
    }


def table(scores: dict) -> str:
    """Markdown: a row for each set, BLEU / chrF for each form."""
    names = list(scores)
    sets = list(dict.fromkeys(key for found in scores.values() for key in found))
    lines = ["| set | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for key in sets:
        cells = [f"{scores[n][key]['BLEU']:.1f} / {scores[n][key]['chrF']:.1f}" if key in scores[n] else "" for n in names]
        lines.append(f"| {key} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def run(config: Config):
    """Writes `<folder>/scores.json` and `scores.md`, and prints the table (BLEU / chrF)."""
    target = device.choose(config)
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    sets = {}
    for kind, names in (("development", config.data.development), ("test", config.data.test)):
        for name in names:
            sets[name] = corpus.read_parallel([config.data.folder / kind / f"{name}.tsv"])
    scores = {}
    for form, make in forms.translators(config).items():
        translator = make(target)
        with torch.no_grad():
            scores[form] = {name: score_set(translator, pieces, pairs, f"{form}, {name}") for name, pairs in sets.items()}
        write_json(config.folder / "scores.json", scores)
    text = table(scores)
    with atomic(config.folder / "scores.md", "w") as file:
        file.write(text + "\n")
    print(text)
