"""The configuration of one language pair and student: a TOML file, checked before anything runs."""

import os
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pydantic
from pydantic import Field

from .errors import TrainingError

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Section(pydantic.BaseModel):
    """A table of the file; unknown keys are errors."""

    model_config = pydantic.ConfigDict(extra="forbid", protected_namespaces=())
    #: Keys that `described` leaves out where they have their defaults: with them, what was made before these keys existed would seem
    #: to be made with other settings.
    later: ClassVar[frozenset[str]] = frozenset()

    def described(self) -> dict:
        """The settings as a checkpoint or a fingerprint describes them."""
        fields = type(self).model_fields
        return {key: value for key, value in self.model_dump().items() if key not in self.later or value != fields[key].default}


class Corpus(Section):
    """One file of parallel text: source, tab, target on each line; `.xz` and `.gz` are unpacked."""

    path: Path
    #: Only this share of its pairs, drawn at random, is prepared: for text of which a run would see only a part anyway.
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    #: How often a pair is seen in one epoch, on average.
    weight: Annotated[float, Field(ge=0)] = 1.0
    #: The same while the rate falls to its end, in a `cooldown` and throughout a `linear` schedule; `weight` if it is not given.
    #: How common a network takes words to be depends most on what it sees last: text made to teach rare ones is better left out there.
    falling_weight: Annotated[float, Field(ge=0)] | None = None
    #: Shares of words dropped and of source pieces split at each pass (see regularize.py): for small corpora with a high
    #: weight, which would otherwise be learnt by heart.
    dropped_words: Share = 0.0
    split_pieces: Share = 0.0
    #: At each pass its sentences are cut into pieces anew, in one of this many likeliest ways, drawn with α = `sampled_alpha` (see sampling.py);
    #: 64 and 0.1 are usual, 1 leaves pieces as they are. `both` cuts targets too, which a student that searches greedily had better not learn.
    sampled_best: Count = 1
    sampled_alpha: Annotated[float, Field(ge=0)] = 0.1
    sampled_sides: Literal["source", "both"] = "source"
    #: Whether the teacher may retranslate it; otherwise its own translations stay. A monolingual corpus has none.
    distilled: bool = True
    #: Whether a pair that differs from an earlier one only in case or punctuation counts as another one: for labels that repeat a dictionary's entries
    #: with capitals.
    cased: bool = False
    #: The share of its pairs that is not seen: those whose sources are least likely given their targets, by the step `score` (see reverse.py).
    drop_worst: Annotated[float, Field(ge=0, lt=1)] = 0.0
    #: Whether a teacher's predictions are part of its targets, see `Training.teacher_share`: not where a network is to learn what the
    #: teacher does not know.
    taught: bool = True

    @pydantic.model_validator(mode="after")
    def _pieces_change_in_one_way(self):
        if self.sampled_best > 1 and self.split_pieces:
            raise ValueError("split_pieces and sampled_best both cut the source anew; leave one of them out")
        return self

    def weight_while(self, falling: bool) -> float:
        """`falling_weight` where it is given and applies, else `weight`."""
        return self.falling_weight if falling and self.falling_weight is not None else self.weight


class Monolingual(Corpus):
    """One file of text without a translation: a sentence on each line."""

    #: The share of its sentences that stays: those whose translations the teacher finds likeliest, by log-probability per piece.
    #: What a teacher is unsure of, it mostly gets wrong.
    likeliest: Annotated[float, Field(gt=0, le=1)] = 1.0


class Noise(Section):
    """Shares of pairs that get an additional altered copy, by kind of alteration (see noise.py)."""

    lower_case: Share = 0.0
    upper_case: Share = 0.0
    title_case: Share = 0.0
    punctuation: Share = 0.0
    typography: Share = 0.0
    spacing: Share = 0.0
    copied_items: Share = 0.0
    target_copy: Share = 0.0


class Data(Section):
    """Parallel text and what is made of it."""

    #: Where prepared data lies; several students may share it.
    folder: Path
    source_language: str
    target_language: str
    #: Whether lines of two texts have the target first, as in a corpus for the other direction: in corpora, and in development and
    #: test sets in one file.
    target_first: bool = False
    corpora: Annotated[list[Corpus], Field(min_length=1)]
    #: Name → one file with tabs, or a source file and a target file.
    development: dict[str, list[Path]] = {}
    test: dict[str, list[Path]] = {}
    #: Source-language text alone, one sentence a line, for distillation.
    monolingual: list[Monolingual] = []
    noise: Noise = Noise()
    #: A SentencePiece model to use, for example that of `start`; without one a vocabulary is trained.
    vocabulary: Path | None = None
    vocabulary_size: Annotated[int, Field(ge=256, le=65535)] = 16000
    #: If given, the target has a vocabulary of its own with this many pieces, and the other is the source's: for languages with different scripts.
    #: Source and target then have embeddings of their own (`model.embeddings` is "target" or "none").
    target_vocabulary_size: Annotated[int, Field(ge=256, le=65535)] | None = None
    #: With `target_vocabulary_size`: a SentencePiece model to use for the target; without one it is trained.
    target_vocabulary: Path | None = None
    #: Lines per side on which the vocabulary is trained.
    vocabulary_lines: Count = 1_000_000
    #: Words that are pieces of a trained vocabulary, such as the tag of back-translated text (`reverse.tag`).
    vocabulary_symbols: list[str] = []
    #: Scripts of the two languages, by the first word of the Unicode names of their letters (`LATIN`, `CYRILLIC`, `CJK`, `HIRAGANA` …); none: any.
    #: Pairs with a tenth of other letters on one side are dropped, and the vocabulary has no pieces for letters of other scripts.
    source_scripts: list[str] = []
    target_scripts: list[str] = []
    #: How likely each side must be in its language, if it is long enough to tell (see language.py); pairs below that are dropped. 0: any.
    language_least: Share = 0.0
    #: Pairs with more pieces on one side are dropped.
    max_pieces: Annotated[int, Field(ge=8, le=1000)] = 160
    #: Pairs with fewer pieces on one side are dropped; `</s>` counts.
    min_pieces: Count = 1
    #: Pairs with fewer or more characters on one side are dropped; 0: no limit.
    min_characters: Annotated[int, Field(ge=0)] = 0
    max_characters: Annotated[int, Field(ge=0)] = 0
    #: Pairs whose character lengths differ by more than this factor are dropped (short ones are spared).
    max_length_ratio: Annotated[float, Field(gt=1)] = 3.0

    @pydantic.model_validator(mode="after")
    def _limits_leave_something(self):
        if self.min_pieces > self.max_pieces:
            raise ValueError(f"min_pieces = {self.min_pieces} is more than max_pieces = {self.max_pieces}")
        if 0 < self.max_characters < self.min_characters:
            raise ValueError(f"min_characters = {self.min_characters} is more than max_characters = {self.max_characters}")
        for script in self.source_scripts + self.target_scripts:
            if not any(unicodedata.name(chr(code), "").startswith(f"{script} ") for code in range(0x30000) if chr(code).isalpha()):
                raise ValueError(f"{script!r} is no script that the names of letters begin with; expected LATIN, CYRILLIC, CJK …")
        for symbol in self.vocabulary_symbols:
            if not symbol or any(char.isspace() for char in symbol):
                raise ValueError(f"vocabulary_symbols: {symbol!r} is not one word")
        if self.vocabulary is not None and self.vocabulary_symbols:
            raise ValueError("vocabulary_symbols are for a vocabulary that is trained, and `vocabulary` names one that is there")
        return self

    @pydantic.model_validator(mode="after")
    def _target_vocabulary_has_a_size(self):
        if self.target_vocabulary is not None and self.target_vocabulary_size is None:
            raise ValueError("target_vocabulary is of the target alone; say how many pieces it has: target_vocabulary_size")
        return self

    @pydantic.model_validator(mode="after")
    def _something_is_left(self):
        for falling, name in ((False, "weight"), (True, "falling_weight")):
            if not any(corpus.weight_while(falling) for corpus in self.corpora + self.monolingual):
                raise ValueError(f"by its {name} no corpus is left to train on; at least one needs more than 0")
        return self


class Model(Section):
    """Shape of a network; one of Marian's transformers or recurrent networks."""

    later: ClassVar[frozenset[str]] = frozenset(
        {"norm", "embeddings", "average_feed_forward", "average_gate", "architecture", "recurrent_width", "recurrent_norm"}
        | {"recurrent_encoder", "recurrent_skip", "encoder_cells", "decoder_base_cells", "decoder_high_cells"}
    )

    #: `transformer`, or `recurrent`: Marian's `s2s` with GRU cells, attention by a small network and deep output (see recurrent.py). The latter
    #: trains in plain operations and is neither pruned nor tuned; of the keys below it has `dimension`, the width of its embeddings, `embeddings`,
    #: the numbers of layers, 1 unless given, and those for recurrent networks.
    architecture: Literal["transformer", "recurrent"] = "transformer"
    #: Width of a recurrent network's states, and whether its products are normalized.
    recurrent_width: Count = 1024
    recurrent_norm: bool = False
    #: Which way its encoder layers read: `bidirectional`, a stack of layers each way; `alternating`, the same but reversed from layer to
    #: layer; `bi-unidirectional`, a layer each way and forward ones above both.
    recurrent_encoder: Literal["bidirectional", "alternating", "bi-unidirectional"] = "bidirectional"
    #: Whether its upper layers add their input to their output, without which deep networks learn badly.
    recurrent_skip: bool = False
    #: Consecutive cells within a step: of each encoder layer, of the decoder's lowest layer (attention comes after the first), and of each
    #: decoder layer above it.
    encoder_cells: Count = 1
    decoder_base_cells: Annotated[int, Field(ge=2)] = 2
    decoder_high_cells: Count = 1
    dimension: Annotated[int, Field(ge=16, multiple_of=16)] = 256
    feed_forward: Annotated[int, Field(ge=16, multiple_of=16)] = 1536
    heads: Count = 8
    encoder_layers: Count = 6
    decoder_layers: Count = 2
    decoder: Literal["ssru", "average-attention", "self-attention"] = "ssru"
    #: One set of weights for all decoder layers.
    tied_decoder: bool = False
    #: Where layers are normalized: `post`, after each residual sum; `pre`, the input of each sublayer, and the last layer's output. Deep
    #: encoders, such as those of teachers with 25 layers, learn only with `pre` (Wang et al., 2019, "Learning Deep Transformer Models for
    #: Machine Translation", section 2). The engine runs a decoder with self-attention and `pre` as it was trained; Marian 1.12 does not.
    norm: Literal["post", "pre"] = "post"
    #: Which matrices are tied: `all`, the embeddings of source and target and the output's (Marian's tied-embeddings-all); `target`, those of
    #: the target and the output's (tied-embeddings); `source`, those of source and target (tied-embeddings-src); `none`.
    embeddings: Literal["all", "target", "source", "none"] = "all"
    #: Width of the feed-forward part of average attention, 0 for none; None: `feed_forward`.
    average_feed_forward: Annotated[int, Field(ge=0, multiple_of=16)] | None = None
    #: Whether average attention has gates for its input and for what it found.
    average_gate: bool = True

    @property
    def average_width(self) -> int:
        """Width of the feed-forward part of average attention."""
        return self.feed_forward if self.average_feed_forward is None else self.average_feed_forward

    @pydantic.model_validator(mode="after")
    def _heads_divide(self):
        if self.architecture == "recurrent":
            return self
        if self.dimension % self.heads or (self.dimension // self.heads) % 16:
            raise ValueError("dimension / heads must be a multiple of 16")
        return self

    @pydantic.model_validator(mode="after")
    def _each_has_its_own_keys(self):
        if self.architecture == "recurrent":
            for key, value in {"tied_decoder": False, "norm": "post", "decoder": "ssru"}.items():
                if key in self.model_fields_set and getattr(self, key) != value:
                    raise ValueError(f'{key} = {getattr(self, key)!r} is for Transformers; leave it out with architecture = "recurrent"')
            for key in ("encoder_layers", "decoder_layers"):
                if key not in self.model_fields_set:
                    setattr(self, key, 1)
            # Keys that it does not have are the same in all, so that equal ones compare equal.
            self.heads, self.feed_forward = 1, 16
        else:
            own = ("recurrent_width", "recurrent_norm", "recurrent_encoder", "recurrent_skip", "encoder_cells", "decoder_base_cells", "decoder_high_cells")
            fields = type(self).model_fields
            for key in own:
                if getattr(self, key) != fields[key].default:
                    raise ValueError(f'{key} is for architecture = "recurrent"')
        return self

    @pydantic.model_validator(mode="after")
    def _average_attention_is_there(self):
        if self.decoder != "average-attention" and (self.average_feed_forward is not None or not self.average_gate):
            raise ValueError(f'average_feed_forward and average_gate are for decoder = "average-attention", not "{self.decoder}"')
        return self


class Training(Section):
    """How a network is trained."""

    #: Stop after this many updates.
    updates: Count = 100_000
    #: Stop after this many minutes, measurements included, and let the rate of a `cooldown` fall over the last share of them: for a machine that is
    #: lent for a while, or one whose speed depends on who else uses it. `updates` is then the maximum. 0 for no such limit.
    minutes: Annotated[float, Field(ge=0)] = 0.0
    #: Target tokens in one batch.
    batch_tokens: Count = 2048
    #: Batches whose gradients together make one update, as one batch of that many times the tokens would: for large batches in small
    #: memory. From update `accumulate_from` on; before it, each batch makes one.
    accumulate: Count = 1
    accumulate_from: Count = 1
    #: Batches are sorted by length within windows of this many pairs.
    window: Count = 20_000
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    warmup: Count = 1000
    #: `inverse-sqrt` falls with 1/√step after the warm-up, `linear` falls to zero at the last update, `constant` stays.
    schedule: Literal["inverse-sqrt", "linear", "constant"] = "inverse-sqrt"
    #: Over the last share of the updates the rate falls linearly to zero, whatever the schedule.
    cooldown: Share = 0.0
    #: Updates before the last one at which the rate has also fallen to zero, over as many updates, and after which it is back at
    #: once; the result is the mean of the weights at all these ends (see averaging.py).
    cycles: list[Count] = []
    #: The share of the starting weights (`start`, or those that are tuned or pruned) in the result: between what a network was and
    #: what it has become on other text there are weights better than both (Wortsman et al., 2022, "Robust fine-tuning").
    start_share: Share = 0.0
    adam_beta1: Share = 0.9
    adam_beta2: Share = 0.98
    adam_epsilon: float = 1e-9
    #: Gradients longer than this are scaled down; 0 for never.
    clip_norm: Annotated[float, Field(ge=0)] = 1.0
    #: During training matrices are kept within ± this, and the inputs of products are clipped there, so that few-bit integers waste no
    #: levels on outliers; 0 for no bound. `calibrate` then also tries a static scale that clips at the same place, as integers do; float
    #: products of the engine clip nothing.
    clip_weights: Annotated[float, Field(ge=0)] = 0.0
    clip_activations: Annotated[float, Field(ge=0)] = 0.0
    label_smoothing: Share = 0.0
    #: The share of each target that is what `teacher` predicts there instead of the text's word, see soft_targets.py. Such
    #: targets are smooth, so `label_smoothing` does not apply as well.
    teacher_share: Share = 0.0
    #: Words in the softmax of an update (see candidates.py): a part of the vocabulary makes updates of small students a
    #: third faster; 0 for all.
    output_words: Annotated[int, Field(ge=0)] = 0
    dropout: Share = 0.0
    #: Whether the corpora's `dropped_words`, `split_pieces` and `sampled_best` apply; tuning ends better on whole text.
    regularize: bool = True
    #: Weight of the guided-alignment loss (Chen et al., 2016).
    guided_alignment: Annotated[float, Field(ge=0)] = 0.1
    #: Rate of the exponential average of the weights; 0 for none.
    smoothing: Share = 1e-3
    precision: Literal["bfloat16", "float32"] = "bfloat16"
    #: `auto`: fused kernels on a processor, plain operations on a GPU; `plain`: plain operations on a processor too.
    kernels: Literal["auto", "plain"] = "auto"
    #: Compile plain operations (torch.compile).
    compile: bool = False
    #: Minutes between checkpoints.
    checkpoint_minutes: Annotated[float, Field(gt=0)] = 5.0
    #: Updates between measurements on the development sets.
    evaluate_every: Count = 2000
    #: Sentences of each development set that are translated for such a measurement.
    evaluate_lines: Count = 200
    #: Stop when the development sets have not improved for this many measurements; 0 for never.
    patience: Annotated[int, Field(ge=0)] = 0
    #: What measures improvement: the `loss` on the development sets, or the mean of their greedy `BLEU`.
    criterion: Literal["loss", "BLEU"] = "loss"
    #: The weights that training ends with (see selection.py): the `last`, the `best` that were measured, or the `mean` of the last `mean_of`.
    result: Literal["last", "best", "mean"] = "last"
    mean_of: Annotated[int, Field(ge=2)] = 8

    def ends(self) -> list[int]:
        """The updates at which the rate is down, in order."""
        return [*self.cycles, self.updates]

    @pydantic.model_validator(mode="after")
    def _result_is_one(self):
        if self.result != "last" and (self.cycles or self.start_share):
            raise ValueError(f'result = "{self.result}" chooses the weights that are left; cycles and start_share do that too')
        if self.accumulate_from > 1 and self.accumulate == 1:
            raise ValueError("accumulate_from says when accumulate begins, which is 1: there is nothing to begin")
        return self

    @pydantic.model_validator(mode="after")
    def _cycles_ascend(self):
        if self.cycles and not self.cooldown:
            raise ValueError("cycles need a cooldown: how long the rate falls at their ends")
        if self.minutes and (self.cycles or self.schedule == "linear"):
            raise ValueError("minutes leave open which update is the last: no cycles and no linear schedule go with them, but a cooldown does")
        if any(first >= second for first, second in zip(self.cycles, self.ends()[1:])):
            raise ValueError("cycles must ascend and lie before the last of the updates")
        return self


class Reverse(Section):
    """Models from the target language to the source language: scores of pairs, and back-translation (see reverse.py)."""

    #: Marian models (`.npz`) of the student's vocabulary.
    models: list[Path] = []
    #: For back-translation, any program to use instead, with its arguments: from lines to as many lines.
    command: list[str] = []
    #: A pair is seen exp(`weight` · p), divided by its mean over the corpus, times as often as the corpus's weight says, with p the log-probability
    #: of its source per piece, from the step `score`; 0.1 prefers likely pairs a little. 0: scores do not matter.
    weight: Annotated[float, Field(ge=0)] = 0.0
    #: Text in the target language that `back-translate` translates.
    texts: list[Path] = []
    #: What then precedes each source, for example `<BT>`; `data.vocabulary_symbols` makes it one piece.
    tag: str = ""
    beam: Count = 4

    @pydantic.model_validator(mode="after")
    def _either_models_or_a_command(self):
        if self.weight and not self.models:
            raise ValueError("weight needs scores, and for these models: name some in reverse.models")
        if any(char.isspace() for char in self.tag):
            raise ValueError(f"tag is {self.tag!r}: expected one word")
        return self


class Teacher(Section):
    """The teacher: its shape, its training, and how many make the ensemble; or existing models."""

    #: Marian models (`.npz`) of the student's vocabulary that teach as they are, for example a larger student. The step `teacher` then
    #: has nothing to do, and the rest of this table does not matter.
    models: list[Path] = []
    #: Any program that teaches instead, with its arguments: it reads lines and prints their candidates as Marian's `--n-best` does, `number |||
    #: translation ||| score` with lines numbered from 0 and the best candidate first. It is for distillation alone.
    command: list[str] = []
    model: Model = Model(dimension=512, feed_forward=2048, heads=8, decoder_layers=6, decoder="self-attention")
    training: Training = Training(label_smoothing=0.1, dropout=0.1, guided_alignment=0.0)
    ensemble: Count = 1

    @pydantic.model_validator(mode="after")
    def _one_kind_of_teacher(self):
        if self.command and self.models:
            raise ValueError("models and command both name who teaches; leave one of them out")
        return self


class Distillation(Section):
    """Interpolated sequence-level distillation (Kim and Rush, 2016, section 3.3)."""

    later: ClassVar[frozenset[str]] = frozenset({"metric", "drop_repeats", "reference_share"})

    #: `engine`: the program `wanderwort`; `auto`: that program, if it is there, on a processor and for one teacher; or `pytorch`.
    decoder: Literal["auto", "engine", "pytorch"] = "auto"
    #: The engine's products: `int8` is several times as fast, and costs a teacher next to nothing.
    products: Literal["float32", "int8"] = "float32"
    beam: Count = 8
    #: Candidates of the beam that are compared with the reference.
    n_best: Count = 8
    #: Source tokens decoded at once.
    batch_tokens: Count = 4096
    #: Lines written between two resumption points.
    shard_lines: Count = 2000
    #: How the nearness of a candidate to the reference is measured: `BLEU`, `chrF`, or `TER`, which is subtracted from 100 (see choice.py).
    metric: Literal["BLEU", "chrF", "TER"] = "BLEU"
    #: The score by this metric that a candidate must reach; where none does, the reference stays.
    least: Annotated[float, Field(ge=0, le=100)] = 0.0
    #: Only this many pairs, drawn in proportion to their corpora's weights, are distilled; 0 for all.
    lines: Annotated[int, Field(ge=0)] = 0
    #: Whether to leave out pairs whose translation says something three times in a row that the source does not, and duplicate pairs.
    drop_repeats: bool = False
    #: The share of the distilled pairs that the student also learns from with their references: 0.5 makes one real pair for every two
    #: distilled ones.
    reference_share: Share = 0.0
    #: Whether the student also learns from the pairs that are not distilled, with their references.
    keep_others: bool = False
    length_penalty: float = 1.0


class Pruning(Section):
    """Head pruning: by confidence with late resetting (Bogoychev et al., 2020, section 4), or by what the predictions lose."""

    #: What decides which heads are removed: `confidence`, the mean of their largest attention weights; or `divergence`, how far the predictions
    #: move without each (see ablation.py), which needs no training before the final one.
    measure: Literal["confidence", "divergence"] = "confidence"
    #: What the remaining weights are reset to: `early`, a short training from where the student began; `student`, the
    #: finished student, which saves most of a second full training; or the weights that `start` names.
    reset: Literal["early", "student", "start"] = "early"
    #: Encoder heads that stay at the end.
    keep_heads: Count = 12
    #: Heads removed in each round.
    heads_per_round: Count = 6
    #: Updates of the short training whose weights `early` resets to; None: as many as in a round.
    reset_updates: Count | None = None
    #: Updates of training in each round, where heads are measured by confidence.
    updates_per_round: Count = 1000
    #: Heads that every layer keeps. With 0, layers may lose all of them, as in table 2 of Bogoychev et al., 2020; what is left of such a sublayer is
    #: its output bias. Marian itself does not load such files; the engine does.
    layer_keeps: Annotated[int, Field(ge=0)] = 1
    #: Updates of the final training, from the reset weights.
    training: Training = Training()


class QuantizationTuning(Section):
    """Continued training with the engine's integers (int8 products, and for the package weights in log-4-bit or in the equal steps
    that `package.bits` names)."""

    #: What is tuned for.
    kinds: list[Literal["int8", "log4", "uniform"]] = ["int8", "log4"]

    #: What is tuned: the student as trained, or as pruned, or the weights that `start` names, for example a mean of students.
    base: Literal["student", "pruned", "start"] = "student"
    #: What shares a log-4-bit step while tuning: the matrix, or each output column (`log4+columns` for the package).
    granularity: Literal["matrix", "column"] = "matrix"
    #: A Marian model (`.npz`) of the same weights in log-4-bit levels that are not the nearest, but chosen by what enters the products
    #: (`wanderwort convert --bits log4 --calibrate`, then `wanderwort unpack`). Log-4-bit tuning begins with these levels.
    rounded: Path | None = None
    int8: Training = Training(updates=1000, learning_rate=1e-4, warmup=100, guided_alignment=0.1)
    log4: Training = Training(updates=2000, learning_rate=2e-4, warmup=100, guided_alignment=0.1)
    uniform: Training = Training(updates=2000, learning_rate=2e-4, warmup=100, guided_alignment=0.1)


class Shortlist(Section):
    """The shortlist."""

    #: Pieces at the head of the vocabulary that every sentence may use.
    first: Count = 50
    #: Most probable targets of each source piece.
    best: Count = 50
    #: If given, lists contain what sentences need and none of their other pieces lists, instead of the `best` most probable: pairs of pieces that
    #: are linked in at least this share of the sentences with the source piece.
    covering_share: Annotated[float, Field(gt=0, lt=1)] | None = None
    #: Such pairs with fewer links than this are taken for chance.
    covering_least: Count = 4
    #: Whether phrases of two and three source pieces list what their pieces do not; then `best` may be smaller.
    phrases: bool = False
    #: The most targets that a phrase adds.
    phrase_best: Count = 5
    #: Fewer links than this between a phrase and a target are taken for chance.
    phrase_least: Count = 3


class Mean(Section):
    """Weights whose mean the package holds, each with the same share (Wortsman et al., 2022, "Model soups")."""

    #: Stages of this student; one that is named twice counts twice.
    stages: list[Literal["student", "int8", "log4", "uniform"]] = []
    #: Marian models (`.npz`) of its shape and vocabulary.
    models: list[Path] = []


class Package(Section):
    """What `export` packs."""

    #: How matrices are stored: what `wanderwort convert --bits` takes, such as `log4` or `uniform+step=0.25`.
    bits: str = "log4"
    #: Whose weights: `auto` takes those tuned for the kind of `bits`, or the student's if it was not tuned for that; `mean` takes the
    #: mean of what `mean` names, networks that grew from one and are better together than each alone.
    stage: Literal["auto", "student", "pruned", "int8", "log4", "uniform", "mean"] = "auto"
    mean: Mean = Mean()
    #: Sources of the training text, drawn by their corpora's weights, on which the engine finds the activations' scales (instead of the
    #: step `calibrate`) and rounds weights that were not tuned for `bits`; 0 for none: scales are what `calibrate` found, and each weight is
    #: rounded to its nearest level.
    calibration_lines: Annotated[int, Field(ge=0)] = 0
    #: Hypotheses per sentence that the engine follows side by side unless asked for another number. Scores of the step `evaluate` are of
    #: greedy search all the same.
    beam_size: Annotated[int, Field(ge=1, le=64)] = 1
    #: The engine drops hypotheses that are less likely than the sentence's likeliest by a factor of more than e to this power. With 1, next to
    #: nothing is lost, and two thirds of what a beam of four takes beyond greedy search is saved. None: none is dropped.
    beam_threshold: Annotated[float, Field(ge=0)] | None = None
    #: When several hypotheses end in the same words, this many words, only the best continues. None: all do.
    beam_recombination: Count | None = None
    #: How the weights are rounded if there is calibration text: `compensated`, by what enters their products; `nearest`, each to its nearest level,
    #: which is better for those tuned for `bits`; `auto` takes the latter for a tuned stage, but not for a mean, whose members need not be tuned.
    rounding: Literal["auto", "compensated", "nearest"] = "auto"

    @pydantic.model_validator(mode="after")
    def _mean_has_members(self):
        if (self.stage == "mean") != bool(self.mean.stages + self.mean.models):
            raise ValueError('stage = "mean" and the stages or models of `mean` go together; only one of them is there')
        return self


class Accelerator(Section):
    """The student's training on a machine that is lent for some minutes, and what may travel there (see accelerator.py)."""

    #: The most that the file with text, vocabulary and the weights to begin with may take.
    megabytes: Annotated[float, Field(gt=0)] = 24.0
    #: How long it trains, if `training` does not say.
    minutes: Annotated[float, Field(gt=0)] = 8.0
    #: How it trains; None: as the student does, but with one fall of the rate.
    training: Training | None = None


class Comparison(Section):
    """The step `compare-students`."""

    #: Name → network; none: what the papers compared, made from `model` (see students.py).
    models: dict[str, Model] = {}

    @pydantic.field_validator("models")
    @classmethod
    def _names_are_folders(cls, models: dict[str, Model]) -> dict[str, Model]:
        for name in models:
            if not re.fullmatch(r"[\w.+-]+", name) or name.startswith("."):
                raise ValueError(f"{name!r} is to be the name of a folder; expected letters, digits, '.', '+', '-' and '_'")
        return models


class Config(Section):
    """The whole file."""

    name: str
    seed: Annotated[int, Field(ge=0)] = 1
    #: Where checkpoints, logs and exported files of this student lie.
    folder: Path
    device: Literal["auto", "cpu", "cuda"] = "auto"
    #: Processor threads; 0 for all.
    threads: Annotated[int, Field(ge=0)] = 0
    data: Data
    #: A Marian model (`.npz`) of the student's vocabulary from which the student starts, to adapt it to other text or to train
    #: it further; a narrower one is widened (see widen.py). Without one the student starts from random weights.
    start: Path | None = None
    model: Model = Model()
    training: Training = Training()
    accelerator: Accelerator = Accelerator()
    teacher: Teacher = Teacher()
    reverse: Reverse = Reverse()
    distillation: Distillation = Distillation()
    pruning: Pruning = Pruning()
    quantization: QuantizationTuning = QuantizationTuning()
    shortlist: Shortlist = Shortlist()
    package: Package = Package()
    comparison: Comparison = Comparison()

    @pydantic.model_validator(mode="after")
    def _embeddings_fit_the_vocabularies(self):
        if self.data.target_vocabulary_size is not None and self.model.embeddings in ("all", "source"):
            raise ValueError(f'model.embeddings = "{self.model.embeddings}" needs one vocabulary; with data.target_vocabulary_size choose "target" or "none"')
        return self


def _expand(value, folder: Path, where: str):
    """Replaces `${VARIABLE}` in every string below `value`."""
    if isinstance(value, dict):
        return {key: _expand(item, folder, f"{where}.{key}" if where else key) for key, item in value.items()}
    if isinstance(value, list):
        return [_expand(item, folder, f"{where}[{i}]") for i, item in enumerate(value)]
    if not isinstance(value, str):
        return value

    def variable(match):
        name, _, default = match.group(1).partition(":-")
        found = os.environ.get(name, default)
        if not found:
            raise TrainingError(f"{where}: the environment variable {name} is not set, and {value!r} needs it")
        return found

    return re.sub(r"\$\{([^}]+)\}", variable, value)


def load(path: Path) -> Config:
    """Reads and checks a configuration; relative paths in it start from the file's own folder."""
    path = Path(path)
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TrainingError(f"{path}: no such configuration file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainingError(f"{path}: not valid TOML ({error})") from error
    base = path.resolve().parent
    try:
        raw = _expand(raw, base, "")
    except TrainingError as error:
        raise TrainingError(f"{path}: {error}") from error
    for name, sets in (raw.get("data") or {}).items():
        if name in ("development", "test") and isinstance(sets, dict):
            for key, value in sets.items():
                sets[key] = [value] if isinstance(value, str) else value
    try:
        config = Config.model_validate(raw)
    except pydantic.ValidationError as error:
        lines = [f"  {'.'.join(str(part) for part in item['loc'])}: {item['msg']}" for item in error.errors()]
        raise TrainingError(f"{path}: {len(lines)} wrong entries\n" + "\n".join(lines)) from error

    def absolute(value: Path) -> Path:
        return value if value.is_absolute() else (base / value).resolve()

    config.folder = absolute(config.folder)
    data = config.data
    data.folder = absolute(data.folder)
    config.start = config.start and absolute(config.start)
    data.vocabulary = data.vocabulary and absolute(data.vocabulary)
    data.target_vocabulary = data.target_vocabulary and absolute(data.target_vocabulary)
    for corpus in data.corpora + data.monolingual:
        corpus.path = absolute(corpus.path)
    config.teacher.models = [absolute(item) for item in config.teacher.models]
    config.reverse.models = [absolute(item) for item in config.reverse.models]
    config.reverse.texts = [absolute(item) for item in config.reverse.texts]
    config.quantization.rounded = config.quantization.rounded and absolute(config.quantization.rounded)
    config.package.mean.models = [absolute(item) for item in config.package.mean.models]
    for sets in (data.development, data.test):
        for key, files in sets.items():
            if not 1 <= len(files) <= 2:
                raise TrainingError(f"{path}: data set {key} needs one file with tabs or two files, found {len(files)}")
            sets[key] = [absolute(item) for item in files]
    return config
