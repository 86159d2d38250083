"""Step `quantize-tune`: the student trains on with the engine's integers in its products: int8, log-4-bit, equal steps."""

import torch

from . import device, forms, log4, marian, student, teacher, uniform
from .config import Config
from .errors import TrainingError
from .forms import refuse_recurrent
from .quantization import Quantized, Quantizer, is_quantized
from .training import Trainer
from .weights import has_row_for_each_word


class Renewal:
    """Keeps the quantized image of a trainer's weights up to date."""

    def __init__(self, trainer: Trainer, kind: str, multipliers: dict[str, float], config: Config, steps: dict | None = None):
        self.trainer, self.kind, self.granularity = trainer, kind, config.quantization.granularity
        self.uniform = uniform.Steps(config.package.bits)
        steps = trainer.extra.get("steps", steps or {})
        for name, weight in trainer.weights.items.items():
            # Matrices of layers without heads are empty.
            if is_quantized(name) and weight.master.numel():
                weight.quantizer = Quantizer(name, multipliers.get(name))
                weight.quantizer.step = steps[name].to(weight.master.device) if name in steps else None

    @torch.no_grad()
    def __call__(self):
        for name, weight in self.trainer.weights.items.items():
            quantizer = weight.quantizer
            if quantizer is None:
                continue
            master = weight.master.detach()
            if self.kind == "uniform":
                share = self.uniform.share(name)
                # What is not stored in equal steps is int8 with a step for each output.
                least = 0.0 if share is None else share * master.square().mean().sqrt()
                largest = 127 if share is None else uniform.LARGEST
                inputs = 1 if has_row_for_each_word(name) else 0
                quantizer.step = (master.abs().amax(inputs) / largest).clamp(min=least).clamp(min=1e-30)
                scaled = master / quantizer.step.unsqueeze(inputs)
                quantizer.levels = scaled.round().clamp(-largest, largest)
            elif self.kind == "int8":
                factor = 127.0 / master.abs().max().clamp(min=1e-30)
                quantizer.step = (1.0 / factor).reshape(1)[0]
                quantizer.levels = (master * factor).round().clamp(-127, 127)
            else:
                by_row = has_row_for_each_word(name)
                if quantizer.step is None:
                    quantizer.step = torch.as_tensor(log4.steps(master.cpu().numpy(), by_row, self.granularity), device=master.device)
                quantizer.levels = log4.levels(master, quantizer.step, by_row)
            if weight.active is not weight.master:
                weight.active.copy_(quantizer.levels)
                quantizer.levels = weight.active
        if self.kind == "log4":
            self.trainer.extra = {"steps": self.steps()}

    def steps(self) -> dict[str, torch.Tensor]:
        """The steps in use by name. Those of log-4-bit stay what they were at first: if a step followed the weights, many levels would change
        that no gradient asked to."""
        items = self.trainer.weights.items.items()
        return {name: weight.quantizer.step for name, weight in items if weight.quantizer is not None}


def _base(config: Config) -> dict:
    """The float weights that are tuned, by name."""
    if config.quantization.base != "start":
        return forms.arrays(config, config.quantization.base)
    return student.named_weights(config, "quantization.base")


def _rounded(config: Config, base: dict) -> tuple[dict, dict[str, torch.Tensor]]:
    """The float weights moved to where they round to the levels of `quantization.rounded`, and the steps of those levels by name."""
    path = config.quantization.rounded
    if path is None:
        return base, {}
    found, _ = marian.read_npz(path)
    moved, steps = dict(base), {}
    for name, array in base.items():
        if not is_quantized(name):
            continue
        if name not in found or found[name].shape != array.shape:
            shown = found[name].shape if name in found else "nothing"
            raise TrainingError(f"{path}: {name}: expected the shape {array.shape} of what is tuned, found {shown}")
        levels, step = log4.quantize(name, found[name], config.quantization.granularity)
        moved[name] = log4.nearest_within(array, levels, step, has_row_for_each_word(name))
        steps[name] = torch.as_tensor(step)
    return moved, steps


def run(config: Config):
    """Tunes for each requested kind of integers, each time from the same student."""
    refuse_recurrent(config, "quantize-tune")
    base = _base(config)
    multipliers = forms.multipliers(config)
    granularity = config.quantization.granularity
    if "uniform" in config.quantization.kinds and not config.package.bits.startswith("uniform"):
        raise TrainingError(f"quantization.kinds has uniform, but package.bits names other levels: {config.package.bits!r}")
    for kind in config.quantization.kinds:
        settings = getattr(config.quantization, kind)
        folder = config.folder / forms.STAGES[kind][0]
        print(f"tuning for {kind} in {folder}", flush=True)
        chosen = device.choose(config)
        initial, steps = _rounded(config, base) if kind == "log4" else (base, {})
        trainer = Trainer(
            config, config.model, settings, folder, chosen, encoder_heads=forms.encoder_heads(config, kind), initial=initial,
            soft_targets=teacher.soft_targets(config, settings, chosen),
        )  # fmt: skip
        trainer.renew = Renewal(trainer, kind, multipliers, config, steps)

        def translator(arrays, kind=kind, trainer=trainer):
            if kind == "int8":
                quantized = Quantized.int8(arrays, multipliers)
            elif kind == "uniform":
                quantized = Quantized.uniform(arrays, multipliers, uniform.Steps(config.package.bits))
            else:
                quantized = Quantized.log4(arrays, multipliers, granularity, trainer.renew.steps())
            return quantized.translator(config.model, trainer.device)

        trainer.make_translator = translator
        trainer.run()
