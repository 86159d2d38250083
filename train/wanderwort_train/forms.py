"""The forms a student comes in: float32, and each stage quantized, tuned and pruned."""

import torch

from . import checkpoint, marian, uniform, vocabulary
from .config import Config
from .errors import TrainingError
from .files import read_json
from .quantization import Quantized
from .search import Translator
from .weights import Weights, description, shapes

#: Stage → its folder, and the step that makes it.
STAGES = {
    "student": ("student", "student"),
    "pruned": ("pruned/final", "prune"),
    "int8": ("tuned-int8", "quantize-tune"),
    "log4": ("tuned-log4", "quantize-tune"),
    "uniform": ("tuned-uniform", "quantize-tune"),
}


def refuse_recurrent(config: Config, step: str):
    """An error if a step is for Transformers alone and the student is not one."""
    if config.model.architecture == "recurrent":
        raise TrainingError(f'{step}: for Transformers alone, and model.architecture is "recurrent"')


def packaged(config: Config) -> str:
    """The stage whose weights the package holds."""
    if config.package.stage != "auto":
        return config.package.stage
    kind = config.package.bits.partition(",")[0].partition("+")[0]
    return kind if kind in STAGES and exists(config, kind) else "student"


def encoder_heads(config: Config, stage: str) -> list[int]:
    """Heads left in each encoder layer."""
    if stage == "pruned" or (stage in ("int8", "log4", "uniform") and config.quantization.base == "pruned"):
        return [len(heads) for heads in read_json(config.folder / "pruned" / "heads.json")["kept"]]
    return [config.model.heads] * config.model.encoder_layers


def exists(config: Config, stage: str) -> bool:
    """Whether a stage has a checkpoint. What was tuned for integers that the configuration no longer names is left alone: it may be
    of another student."""
    asked_for = stage in ("student", "pruned", *config.quantization.kinds)
    return asked_for and (config.folder / STAGES[stage][0] / "checkpoint.pt").exists()


def arrays(config: Config, stage: str) -> dict:
    """The float weights of a stage by name: the average where there is one."""
    folder, step = STAGES[stage]
    path = config.folder / folder / "checkpoint.pt"
    size, heads = vocabulary.of(config.data.folder).sizes, encoder_heads(config, stage)
    state = checkpoint.load(path, description(config.model, size, heads))
    if state is None:
        raise TrainingError(f"{path}: missing; run the step `{step}` first")
    layout = Weights(shapes(config.model, size, heads), torch.device("cpu"), "float32", False)
    average = state["optimizer"]["average"]
    return layout.arrays(average if average.numel() else state["weights"])


def packaged_arrays(config: Config) -> dict:
    """The float weights that the package is made from."""
    stage = packaged(config)
    if stage == "mean":
        return _mean(config)
    # Levels times steps, so that packing finds the steps that the weights were tuned with.
    return quantized_log4(config, stage).dequantized() if stage == "log4" else arrays(config, stage)


def _mean(config: Config) -> dict:
    """The mean over the members of `package.mean`. Networks that were trained further from common weights lie in one wide minimum, so
    their mean is a network too, and better than they are on average (Wortsman et al., 2022, "Model soups", section 3)."""
    members = [(config.folder / STAGES[stage][0], arrays(config, stage)) for stage in config.package.mean.stages]
    for path in config.package.mean.models:
        found, options = marian.read_npz(path)
        if marian.model(path, options) != config.model:
            raise TrainingError(f"{path}: {marian.model(path, options)}, expected {config.model}; the mean needs one shape")
        members.append((path, found))
    size = vocabulary.of(config.data.folder).sizes
    for path, found in members:
        marian.check_weights(path, found, config.model, size)
    return {name: sum(found[name] for _, found in members) / len(members) for name in shapes(config.model, size)}


def multipliers(config: Config) -> dict[str, float]:
    """The calibrated activation multipliers; none if the step `calibrate` was not run: all products are then dynamic."""
    path = config.folder / "multipliers.json"
    return read_json(path)["multipliers"] if path.exists() else {}


def quantized_int8(config: Config, stage: str) -> Quantized:
    """A stage with int8 weights."""
    return Quantized.int8(arrays(config, stage), multipliers(config))


def quantized_log4(config: Config, stage: str) -> Quantized:
    """A stage with log-4-bit weights, in the steps that it was tuned with."""
    state = checkpoint.load(config.folder / STAGES[stage][0] / "checkpoint.pt") or {}
    steps = state.get("extra", {}).get("steps")
    return Quantized.log4(arrays(config, stage), multipliers(config), config.quantization.granularity, steps)


def quantized_uniform(config: Config, stage: str) -> Quantized:
    """A stage with weights in the equal steps of the package."""
    return Quantized.uniform(arrays(config, stage), multipliers(config), uniform.Steps(config.package.bits))


def translators(config: Config) -> dict:
    """Form → a function that makes its translator on a device, for every form that exists."""
    result = {}

    def add(form, stage, kind):
        if not exists(config, stage):
            return
        if kind == "float32":
            result[form] = lambda device: Translator(config.model, arrays(config, stage), device)
        else:
            make = {"int8": quantized_int8, "log4": quantized_log4, "uniform": quantized_uniform}[kind]
            result[form] = lambda device: make(config, stage).translator(config.model, device)

    add("float32", "student", "float32")
    if config.model.architecture == "transformer":
        add("int8", "student", "int8")
        add("int8 tuned", "int8", "int8")
        add("log-4-bit", "student", "log4")
        add("log-4-bit tuned", "log4", "log4")
    if config.model.architecture == "transformer" and config.package.bits.startswith("uniform"):
        add("equal steps", "student", "uniform")
        add("equal steps tuned", "uniform", "uniform")
    add("pruned, float32", "pruned", "float32")
    if not result:
        raise TrainingError(f"{config.folder}: nothing to evaluate yet; run the step `student` first")
    return result
