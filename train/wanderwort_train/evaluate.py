"""Step `evaluate`: BLEU and chrF (sacreBLEU) on every development and test set, for each form of the student.

The forms are computed in PyTorch with the engine's integers, without a shortlist; the package, if `export` wrote one, is
translated by the engine itself, shortlist included.
"""

import time

import sacrebleu
import torch
from tqdm import tqdm

from . import corpus, device, engine, export, forms, vocabulary
from .config import Config
from .files import atomic, write_json


def _in_pytorch(translator, pieces):
    """Lines → their translations, by a translator of this program, with a progress bar."""

    def translate(lines: list[str], description: str) -> list[str]:
        sources = pieces.source.encode(lines, add_eos=True)
        with tqdm(total=len(sources), desc=description, unit=" lines", mininterval=1, leave=False) as bar:
            return pieces.target.decode(translator.translate(sources, progress=lambda done: bar.update(done - bar.n)))

    return translate


def score_set(translate, pairs, description: str) -> dict:
    """BLEU, chrF and seconds for one set; `translate` takes lines and a description."""
    started = time.monotonic()
    found = translate([source for source, _ in pairs], description)
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
    pieces = vocabulary.of(config.data.folder)
    sets = {}
    for kind, names in (("development", config.data.development), ("test", config.data.test)):
        for name in names:
            sets[name] = corpus.read_parallel([config.data.folder / kind / f"{name}.tsv"])
    makers = {
        form: lambda make=make: _in_pytorch(make(target), pieces) for form, make in forms.translators(config).items()
    }
    program, path = engine.find(), export.package(config)
    if program is not None and path.exists():
        makers[f"package ({config.package.bits}), engine"] = lambda: (
            lambda lines, _: engine.translate(program, path, lines, config.threads)
        )
    scores = {}
    for form, make in makers.items():
        translate = make()
        with torch.no_grad():
            scores[form] = {name: score_set(translate, pairs, f"{form}, {name}") for name, pairs in sets.items()}
        write_json(config.folder / "scores.json", scores)
    text = table(scores)
    with atomic(config.folder / "scores.md", "w") as file:
        file.write(text + "\n")
    print(text)
