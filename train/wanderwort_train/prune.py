"""Step `prune`: encoder heads by confidence, with late resetting (Bogoychev et al., 2020, section 4), or by what predictions lose.

A head's confidence is the mean, over source positions, of its largest attention weight (Voita et al., 2019). A short
training, or a finished student, gives the weights to reset to; each round trains from them with the heads left so far,
removes the least confident ones, and resets what remains; the last training, from the same weights, is the full one. With
the other measure (ablation.py) a round needs no training, and in the full one's initial weights the heads that are left make up for
the others. A removed head is gone: the matrices of its layer get narrower.
"""

import json

import numpy
import torch

from . import corpus, device, forms, teacher, vocabulary
from .ablation import Ablation
from .config import Config, Training
from .errors import TrainingError
from .files import read_json, write_json
from .forms import refuse_recurrent
from .search import Translator
from .soft_targets import SoftTargets
from .student import named_weights, starting_weights
from .training import Trainer


def confidence(config: Config, arrays: dict, lines: int = 500) -> list[numpy.ndarray]:
    """Per encoder layer the confidence of each head that is left, on sources of the development sets."""
    sums, counts = {}, {}

    def observe(prefix, weights, mask):
        largest = weights.amax(-1) * mask[:, None, :]
        sums[prefix] = sums.get(prefix, 0) + largest.sum((0, 2)).double()
        counts[prefix] = counts.get(prefix, 0) + int(mask.sum())

    pieces = vocabulary.of(config.data.folder)
    translator = Translator(config.model, arrays, torch.device("cpu"), observe=observe)
    for name in config.data.development:
        pairs = corpus.read_parallel([config.data.folder / "development" / f"{name}.tsv"])[:lines]
        sources = sorted(pieces.source.encode([source for source, _ in pairs], add_eos=True), key=len)
        for start in range(0, len(sources), 32):
            with torch.no_grad():
                translator.encode(*translator._pad(sources[start : start + 32]))
    if not counts:
        raise TrainingError("pruning measures heads on the development sets, and data.development names none")
    result = []
    for i in range(1, config.model.encoder_layers + 1):
        prefix = f"encoder_l{i}_self"
        result.append((sums[prefix] / counts[prefix]).numpy() if prefix in sums else numpy.zeros(0))
    return result


def remove(arrays: dict, kept: list[list[int]], width: int) -> dict:
    """The weights with only the `kept` heads (indices among all) of each encoder layer, each `width` columns wide."""
    result = dict(arrays)
    for layer, heads in enumerate(kept, 1):
        columns = numpy.concatenate([numpy.arange(h * width, (h + 1) * width) for h in heads] or [numpy.zeros(0, int)]).astype(int)
        prefix = f"encoder_l{layer}_self"
        for letter in "qkv":
            result[f"{prefix}_W{letter}"] = arrays[f"{prefix}_W{letter}"][:, columns]
            result[f"{prefix}_b{letter}"] = arrays[f"{prefix}_b{letter}"][:, columns]
        result[f"{prefix}_Wo"] = arrays[f"{prefix}_Wo"][columns]
    return result


def _reset(config: Config, early: Training, soft: SoftTargets | None, target: torch.device) -> dict:
    """The weights, with all heads, that pruning begins with and, if it trains in between, returns to."""
    settings = config.pruning
    if settings.reset == "student":
        return forms.arrays(config, "student")
    if settings.reset == "start":
        return named_weights(config, "pruning.reset")
    trainer = Trainer(
        config, config.model, early, config.folder / "pruned" / "reset", target, initial=starting_weights(config), soft_targets=soft
    )  # fmt: skip
    trainer.run()
    return trainer.result()


def run(config: Config):
    """Prunes to `pruning.keep_heads` heads and trains the result."""
    refuse_recurrent(config, "prune")
    settings, model = config.pruning, config.model
    total = model.encoder_layers * model.heads
    least = model.encoder_layers * settings.layer_keeps
    if not least <= settings.keep_heads < total:
        raise TrainingError(
            f"pruning.keep_heads = {settings.keep_heads}: the encoder has {total} heads, and its {model.encoder_layers} layers keep at "
            f"least {settings.layer_keeps} each (pruning.layer_keeps), {least} in all"
        )
    folder = config.folder / "pruned"
    target = device.choose(config)
    width = model.dimension // model.heads
    soft = teacher.soft_targets(config, settings.training, target)
    short = settings.training.model_copy(update={"updates": settings.updates_per_round, "smoothing": 0.0})
    early = short.model_copy(update={"updates": settings.reset_updates or settings.updates_per_round})
    reset = _reset(config, early, soft, target)
    ablation = Ablation(config, reset, target) if settings.measure == "divergence" else None

    def by_confidence(number: int, kept: list[list[int]]) -> list[tuple[float, int, int]]:
        trained = remove(reset, kept, width)
        # A finished student's heads are what they are; a short training would not change their order.
        if number > 1 or settings.reset == "early":
            trainer = Trainer(
                config, model, short, folder / f"round-{number}", target,
                encoder_heads=[len(heads) for heads in kept], initial=trained, soft_targets=soft,
            )  # fmt: skip
            trainer.run()
            trained = trainer.result()
        found = confidence(config, trained)
        return sorted(
            (float(value), layer, head)
            for layer, (heads, values) in enumerate(zip(kept, found))
            for head, value in zip(heads, values)
        )

    state_path = folder / "heads.json"
    state = read_json(state_path) if state_path.exists() else {"kept": [list(range(model.heads))] * model.encoder_layers, "rounds": []}
    kept = [list(heads) for heads in state["kept"]]
    while (left := sum(map(len, kept))) > settings.keep_heads:
        number = len(state["rounds"]) + 1
        ranked = ablation.divergences(kept) if ablation is not None else by_confidence(number, kept)
        victims = []
        for value, layer, head in ranked:
            if len(victims) < min(settings.heads_per_round, left - settings.keep_heads) and len(kept[layer]) > settings.layer_keeps:
                kept[layer].remove(head)
                victims.append((value, layer, head))
        state["rounds"].append([{"layer": layer + 1, "head": head, settings.measure: round(value, 4)} for value, layer, head in victims])
        state["kept"] = kept
        write_json(state_path, state)
        after = "" if ablation is None else f", divergence {ablation.divergence(kept):.4f}"
        print(f"round {number}: heads left by layer {[len(heads) for heads in kept]}{after}", flush=True)
    initial = remove(reset if ablation is None else ablation.without(kept), kept, width)
    Trainer(
        config, model, settings.training, folder / "final", target,
        encoder_heads=[len(heads) for heads in kept], initial=initial, soft_targets=soft,
    ).run()  # fmt: skip
    print(json.dumps({"heads by layer": [len(heads) for heads in kept]}))
