"""Models from the target language back to the source: how they score a pair tells how good it is, and they give a text a possible source.

Step `score`: the log-probability of each pair's source given its target, per source piece, by the models of the student's vocabulary in
`reverse.models`; scores.py says what it is for.

Step `back-translate`: `reverse.texts`, in the target language, translated into the source language (Sennrich, Haddow and Birch, 2016, section 3.2), by
the models or by `reverse.command`, any program from lines to lines. The sources may get a tag (Caswell, Chelba and Grangier, 2019), which
tells a network that people did not write them. `<folder>/back-translated/NAME.tsv` is then a corpus for `data.corpora`.
"""

import numpy
import torch
from tqdm import tqdm

from . import batches, corpus, device, engine, scores, teacher, vocabulary
from .config import Config
from .errors import TrainingError
from .files import atomic
from .network import Network, operators_for
from .search import Translator, beam
from .training import data_folder
from .weights import Weights, shapes, word_counts

#: Lines that are translated together, and pairs that are scored together.
_LINES, _PAIRS = 2000, 64


# -- scores --


def _log_probabilities(network: Network, operators, data: batches.Prepared, pairs: numpy.ndarray) -> numpy.ndarray:
    """Those of each pair's source given its target, per piece, `</s>` included."""
    batch = batches.pack([data.target(pair) for pair in pairs], [data.source(pair) for pair in pairs])
    packed = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
    batch = batch.to(network.weights.flat.device)
    memory = network.encode(batch.source_ids, packed[0])
    hidden, _ = network.decode(batch.input_ids, packed[1], memory, packed[0])
    found = operators.predictions(hidden, *network.output).gather(1, batch.target_ids[:, None])[:, 0]
    sums = numpy.add.reduceat(found.clamp(min=1e-30).log().cpu().double().numpy(), batch.target_offsets[:-1].numpy())
    return sums / data.source_lengths[pairs]


@torch.no_grad()
def score(config: Config):
    """Step `score`: writes `reverse_scores.npy` beside the pairs that the student learns from."""
    members = _members(config, "the step `score`")
    folder = data_folder(config)
    data = batches.Prepared(folder)
    target = device.choose(config)
    operators = operators_for([model for model, _ in members], target)
    networks = []
    for model, arrays in members:
        weights = Weights(shapes(model, word_counts(arrays)), target, "float32", operators.fused)
        weights.load_arrays(arrays)
        networks.append(Network(model, weights, operators))
    found = numpy.zeros(data.pairs, numpy.float32)
    order = numpy.argsort(data.source_lengths + data.target_lengths, kind="stable")
    for start in tqdm(range(0, data.pairs, _PAIRS), desc="scoring", unit=" batches", mininterval=1):
        pairs = order[start : start + _PAIRS]
        found[pairs] = numpy.mean([_log_probabilities(network, operators, data, pairs) for network in networks], 0)
    scores.save(folder, found, scores.fingerprint(config, data))
    print(f"{data.pairs:,} pairs scored, {found.mean():.3f} per piece in the mean; in {folder}")


# -- back-translation --


def _members(config: Config, who: str) -> list[tuple]:
    if not config.reverse.models:
        raise TrainingError(f"reverse.models names no model, and {who} needs one from the target language to the source language")
    sizes = vocabulary.of(config.data.folder).reversed_sizes
    return [teacher.from_marian(path, sizes) for path in config.reverse.models]


def _translator(config: Config):
    """Lines → their translations into the source language."""
    if config.reverse.command:
        return lambda lines: engine.lines_through(config.reverse.command, lines, "reverse.command")
    target = device.choose(config)
    models = [Translator(model, arrays, target) for model, arrays in _members(config, "the step `back-translate`")]
    pieces = vocabulary.of(config.data.folder)

    def translate(lines: list[str]) -> list[str]:
        sources = pieces.target.encode(lines, add_eos=True)
        order = sorted(range(len(lines)), key=lambda i: len(sources[i]))
        found = [""] * len(lines)
        for start in range(0, len(order), 32):
            chosen = order[start : start + 32]
            for i, hypotheses in zip(chosen, beam(models, [sources[i] for i in chosen], config.reverse.beam, 1)):
                found[i] = pieces.source.decode(hypotheses[0][0])
        return found

    return translate


def back_translate(config: Config):
    """Step `back-translate`."""
    if not config.reverse.texts:
        raise TrainingError("reverse.texts names no text in the target language to translate back")
    translate = None
    for path in config.reverse.texts:
        out = config.folder / "back-translated" / f"{path.name.partition('.')[0]}.tsv"
        if out.exists():
            print(f"translated back already: {out}")
            continue
        translate = translate or _translator(config)
        targets = [text for _, line in corpus.read_lines(path) if (text := corpus.clean_text(line))]
        written = 0
        with atomic(out, "w") as file:
            for start in tqdm(range(0, len(targets), _LINES), desc=path.name, unit=" parts", mininterval=1):
                part = targets[start : start + _LINES]
                for source, target in zip(translate(part), part, strict=True):
                    source = corpus.clean_text(source)
                    if source:
                        sides = f"{config.reverse.tag} {source}" if config.reverse.tag else source, target
                        file.write("\t".join(reversed(sides) if config.data.target_first else sides) + "\n")
                        written += 1
        print(f"{out}: {written:,} of {len(targets):,} lines; name it in data.corpora")
