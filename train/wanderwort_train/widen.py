"""A wider network that computes what a narrower one does: where the training of a larger student or teacher begins.

Every channel of the narrow network gets k copies (Net2WiderNet: Chen, Goodfellow and Shlens, 2016, section 2.2). Copies of
one channel are equal, so means and variances, and with them the layer norms, stay what they are. In a matrix that reads
them, the sum of W′ over the copies is W:

    W′[c, o] = W[parent(c), o] / k + n[c, o],   Σ n over the copies of one channel = 0

The noise n changes nothing at first, but gives the copies different gradients, without which they would stay equal for
ever. Three places need a factor: attention scores are sums over k times the channels, divided by √k more, so queries and
keys are multiplied by k^(−1/4) each; embeddings are multiplied by √(k·d) where they are read, so the table is divided by √k;
as the output layer it sums k times the channels, so the last norm before it is divided by √k too.

Only the sinusoidal positions are not copies of the narrow network's: their frequencies are spaced more closely. Copy c of
channel i has nearly its parent's frequency, and training soon makes up for the rest.
"""

import math

import numpy

from .config import Model
from .errors import TrainingError
from .weights import has_row_for_each_word, is_bias, is_norm_scale, shapes, word_counts

#: Standard deviation of the noise, as a share of that of a matrix's divided weights.
_NOISE = 0.5


def factor(narrow: Model, wide: Model) -> int:
    """How many copies a channel gets; an error says what must be equal and is not."""
    if "recurrent" in (narrow.architecture, wide.architecture):
        raise TrainingError("a recurrent network cannot be widened, nor be made of a Transformer: the two are not of one shape")
    for name in ("heads", "encoder_layers", "decoder_layers", "decoder", "tied_decoder", "norm", "embeddings", "average_gate"):
        found, wanted = getattr(narrow, name), getattr(wide, name)
        if found != wanted:
            raise TrainingError(f"{name} is {found!r}, the configuration's model has {wanted!r}")
    if wide.tied_decoder and wide.norm == "post":
        raise TrainingError("a network whose decoder layers are tied cannot be widened: its last norm is that of the others too")
    if wide.dimension % narrow.dimension or wide.feed_forward < narrow.feed_forward:
        raise TrainingError(
            f"a network of dimension {narrow.dimension}, feed_forward {narrow.feed_forward} cannot be widened to dimension "
            f"{wide.dimension}, feed_forward {wide.feed_forward}: a multiple, and at least as much, are needed"
        )
    if wide.decoder == "average-attention" and not _average_attention_fits(narrow, wide):
        raise TrainingError(
            f"average_feed_forward is {narrow.average_width}, the configuration's model has {wide.average_width}: at least as much is needed, "
            "and 0 or the dimension in both or in neither"
        )
    return wide.dimension // narrow.dimension


def _average_attention_fits(narrow: Model, wide: Model) -> bool:
    kinds = [(model.average_width == 0, model.average_width == model.dimension) for model in (narrow, wide)]
    return kinds[0] == kinds[1] and wide.average_width >= narrow.average_width


def widen(arrays: dict[str, numpy.ndarray], narrow: Model, wide: Model, seed: int) -> dict[str, numpy.ndarray]:
    """The weights of `narrow`, with all its heads, as weights of `wide`."""
    copies = factor(narrow, wide)
    random = numpy.random.default_rng(seed)
    channels = numpy.arange(wide.dimension) // copies

    def grown(size: int, wide_size: int) -> numpy.ndarray:
        return numpy.concatenate([numpy.arange(size), random.integers(size, size=wide_size - size)])

    inner = {(narrow.feed_forward, wide.feed_forward): grown(narrow.feed_forward, wide.feed_forward)}
    averages = narrow.average_width, wide.average_width
    if averages not in inner and min(averages) > 0:
        inner[averages] = grown(*averages) if averages[1] > averages[0] else numpy.arange(averages[0])

    def parents(size: int, wide_size: int) -> numpy.ndarray:
        """For each row or column of the wide network, that of the narrow one."""
        if size == wide_size:
            return numpy.arange(size)
        return channels if (size, wide_size) == (narrow.dimension, wide.dimension) else inner[size, wide_size]

    last_norm = "decoder_top_ln_" if wide.norm == "pre" else f"decoder_l{wide.decoder_layers}_ffn_ffn_ln_"

    result = {}
    for name, (rows, columns) in shapes(wide, word_counts(arrays)).items():
        array = arrays[name].astype(numpy.float64)
        to = parents(array.shape[1], columns)
        if has_row_for_each_word(name):
            array = array[:, to] / math.sqrt(copies)
        elif is_bias(name) or is_norm_scale(name):
            array = array[:, to]
        else:
            array = _divided(array[:, to], parents(array.shape[0], rows), random)
        if name.endswith(("_Wq", "_bq", "_Wk", "_bk")):
            array = array * copies**-0.25
        if name.startswith(last_norm):
            array = array / math.sqrt(copies)
        result[name] = array.astype(numpy.float32)
    return result


def _divided(array: numpy.ndarray, parents: numpy.ndarray, random) -> numpy.ndarray:
    """Rows for the copies of each row: its share, and noise that sums to zero over the copies."""
    counts = numpy.bincount(parents, minlength=len(array))[parents, None]
    shares = array[parents] / counts
    noise = random.normal(size=shares.shape) * _NOISE * shares.std()
    sums = numpy.zeros_like(array)
    numpy.add.at(sums, parents, noise)
    return shares + noise - sums[parents] / counts
