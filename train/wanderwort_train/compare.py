"""Step `compare-shortlists`: what each kind of shortlist costs in bytes and time, and costs or gains in BLEU.

For each kind the student is packed with it and runs in the engine. The table, also in `<folder>/shortlists.md`, shows

    package      kB that the shortlist adds to the package
    candidates   target pieces that a sentence may use, on average over the development sets
    covered      share of the references' pieces that are among them
    BLEU         of each development set, translated by the engine
    words/s      per second of processor time, on one thread
"""

import json
import tempfile
from pathlib import Path

import numpy
import sacrebleu

from . import batches, corpus, engine, forms, shortlist, vocabulary
from .config import Config, Shortlist
from .errors import TrainingError
from .files import atomic

#: Name → settings; None for every word of the vocabulary.
KINDS = {
    "none": None,
    "lexical 50/20": Shortlist(first=50, best=20),
    "lexical 50/50": Shortlist(first=50, best=50),
    "lexical 100/100": Shortlist(first=100, best=100),
    "phrases 50/10 + 5": Shortlist(first=50, best=10, phrases=True),
    "phrases 50/20 + 5": Shortlist(first=50, best=20, phrases=True),
    "phrases 50/20 + 10": Shortlist(first=50, best=20, phrases=True, phrase_best=10),
    "covering 50/0.0005": Shortlist(first=50, covering_share=5e-4),
    "covering 512/0.0005": Shortlist(first=512, covering_share=5e-4),
}


def candidates(source: list[int], first: int, lists: list[numpy.ndarray], phrases: dict[tuple, list[int]], joint: bool = True) -> set[int]:
    """The target pieces that a sentence may use: with a joint vocabulary, also those of its source."""
    found = set(range(first)).union(source if joint else (), *(lists[piece].tolist() for piece in source))
    for length in (2, 3):
        for start in range(len(source) - length + 1):
            found.update(phrases.get(tuple(source[start : start + length]), ()))
    return found


def run(config: Config):
    """Writes and prints the table."""
    program = engine.find()
    if program is None:
        raise TrainingError("the program `wanderwort` is not there; build it with `cargo build --release`")
    data = batches.Prepared(config.data.folder)
    pieces = vocabulary.of(config.data.folder)
    sizes = pieces.sizes
    size, joint = pieces.target.get_piece_size(), isinstance(sizes, int)
    names = shortlist.piece_names(pieces.source), shortlist.piece_names(pieces.target)
    links = shortlist.lexicon(data, sizes)[:2]
    sets = {
        name: corpus.read_parallel([config.data.folder / "development" / f"{name}.tsv"]) for name in config.data.development
    }
    if not sets:
        raise TrainingError("data.development names no set to compare shortlists on")
    pairs = [
        (pieces.source.encode(source, add_eos=True), pieces.target.encode(target, add_eos=True))
        for found in sets.values()
        for source, target in found
    ]
    arrays = forms.packaged_arrays(config)
    lines = ["| shortlist | kB in the package | candidates | covered | " + " | ".join(f"BLEU {name}" for name in sets)]
    lines[0] += " | words/s |"
    lines.append("| --- |" + " ---: |" * (4 + len(sets)))
    whole = None
    with tempfile.TemporaryDirectory(dir=config.folder) as scratch:
        text = Path(scratch) / "text"
        text.write_text("".join(f"{source}\n" for found in sets.values() for source, _ in found), encoding="utf-8")
        for kind, settings in KINDS.items():
            if settings is not None and settings.first > size:
                continue
            file, mean, covered = None, float(size), 1.0
            if settings is not None:
                lists = shortlist.piece_lists(settings, data, *links, sizes)
                phrases = {}
                # The engine tells the formats apart by their names.
                if settings.phrases:
                    file = Path(scratch) / "lex.phrases.s2t"
                    found = shortlist.phrase_targets(
                        data, lists, settings.first, settings.phrase_best, settings.phrase_least, joint=joint
                    )
                    phrases = dict(found)
                    shortlist.write_phrases(file, names, lists, phrases.items(), settings.first)
                else:
                    file = Path(scratch) / "lex.s2t.bin"
                    shortlist.write_binary(file, lists, settings.first, settings.best)
                allowed = [candidates(source, settings.first, lists, phrases, joint) for source, _ in pairs]
                mean = sum(map(len, allowed)) / len(allowed)
                inside = sum(piece in chosen for chosen, (_, target) in zip(allowed, pairs) for piece in target)
                covered = inside / sum(len(target) for _, target in pairs)
            package = Path(scratch) / "compared.wanderwort"
            own = config.model_copy(update={"shortlist": settings or config.shortlist})
            engine.write_package(program, package, own, arrays, forms.multipliers(config), file)
            scores = []
            for rows in sets.values():
                found = engine.translate(program, package, [source for source, _ in rows], config.threads)
                scores.append(sacrebleu.corpus_bleu(found, [[target for _, target in rows]]).score)
            arguments = [str(program), "bench", "--model", str(package), "--source", str(text), "--json", "--beam", "1"]
            speed = json.loads(engine.run(arguments))["words_per_processor_second"]
            whole = package.stat().st_size if whole is None else whole
            row = f"| {kind} | {(package.stat().st_size - whole) / 1000:,.0f} | {mean:,.0f} | {covered:.2%} | "
            lines.append(row + " | ".join(f"{score:.2f}" for score in scores) + f" | {speed:,.0f} |")
            print(lines[-1], flush=True)
    with atomic(config.folder / "shortlists.md", "w") as file:
        file.write("\n".join(lines) + "\n")
    print("\n".join(["", *lines]))
