"""Step `calibrate`: static activation multipliers, one for each integer product.

Two definitions are in use, both from the largest |x| of each product's input over a calibration set: Marian's script takes
127 / (mean + 1.1 σ of max|x|), the paper (Bogoychev et al., 2020, section 5.1) the mean + 1.1 σ of 127 / max|x|. The step
computes both, measures both on the development sets, and keeps the better one. A student that was trained with clipped activations
(`clip_activations`) has a third, 127 / the bound: integers then clip where training did.
"""

import numpy
import sacrebleu
import torch

from . import corpus, forms, vocabulary
from .config import Config
from .errors import TrainingError
from .files import write_json
from .forms import refuse_recurrent
from .quantization import Quantized, is_quantized, translate_lines
from .search import Translator

CALIBRATION_LINES = 100
DEFINITIONS = {
    "marian": lambda largest: 127 / (largest.mean() + 1.1 * largest.std()),
    "paper": lambda largest: (127 / largest).mean() + 1.1 * (127 / largest).std(),
}


def observe_largest(config: Config, arrays: dict, sources: list) -> dict[str, numpy.ndarray]:
    """Name of the weight → largest |x| of each call of its product, decoding `sources` one by one."""
    largest = {}

    def product(name, x, weight, transposed):
        largest.setdefault(name, []).append(float(x.abs().max()))
        return x @ (weight.T if transposed else weight)

    translator = Translator(config.model, arrays, torch.device("cpu"), product)
    for source in sources:
        translator.greedy([source])
    return {name: numpy.maximum(numpy.array(values), 1e-9) for name, values in largest.items()}


def run(config: Config):
    """Writes `<folder>/multipliers.json`."""
    refuse_recurrent(config, "calibrate")
    if not config.data.development:
        raise TrainingError("calibration decodes development sets, and data.development names none")
    arrays = forms.arrays(config, "student")
    pieces = vocabulary.of(config.data.folder)
    sets = {}
    for name in config.data.development:
        sets[name] = corpus.read_parallel([config.data.folder / "development" / f"{name}.tsv"])
    share = max(1, CALIBRATION_LINES // len(sets))
    # From the end of each set: the definitions are compared on the beginnings.
    sources = [pieces.source.encode(source, add_eos=True) for pairs in sets.values() for source, _ in pairs[-share:]]
    largest = observe_largest(config, arrays, sources)
    report = {}
    bound = config.training.clip_activations
    definitions = DEFINITIONS | ({"clipped": lambda largest: 127 / bound} if bound else {})
    for definition, formula in definitions.items():
        multipliers = {name: float(numpy.float32(formula(values))) for name, values in largest.items() if is_quantized(name)}
        translator = Quantized.int8(arrays, multipliers).translator(config.model, torch.device("cpu"))
        scores = []
        for pairs in sets.values():
            part = pairs[: config.training.evaluate_lines]
            found = translate_lines(translator, pieces, [source for source, _ in part])
            scores.append(sacrebleu.corpus_bleu(found, [[target for _, target in part]]).score)
        report[definition] = {"BLEU": round(sum(scores) / len(scores), 3), "multipliers": multipliers}
        print(f"{definition}: mean BLEU {report[definition]['BLEU']}", flush=True)
    best = max(report, key=lambda definition: report[definition]["BLEU"])
    write_json(
        config.folder / "multipliers.json",
        {
            "definition": best,
            "BLEU": {definition: report[definition]["BLEU"] for definition in report},
            "multipliers": report[best]["multipliers"],
        },
    )
    print(f"kept: {best}")
