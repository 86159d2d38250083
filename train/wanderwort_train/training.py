"""The training loop: batches, loss, updates, measurements on the development sets, checkpoints, logs."""

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy
import sacrebleu
import torch
from torch.utils.tensorboard import SummaryWriter

from . import averaging, batches, checkpoint, corpus, optimizer, scores, selection, vocabulary
from .candidates import Candidates, Sampler
from .config import Config, Corpus, Model, Training
from .errors import TrainingError
from .network import Network, operators_for
from .regularize import Regularizer
from .search import Translator
from .soft_targets import SoftTargets
from .weights import Weights, description, shapes


def data_folder(config: Config) -> Path:
    """What students learn from: distilled text if there is any, the parallel text otherwise."""
    distilled = config.folder / "distilled"
    return distilled if (distilled / "target_tokens.npy").exists() else config.data.folder


def candidate_sampler(config: Config, training: Training, data: batches.Prepared, target_words: int) -> Sampler | None:
    """What draws the words of each update's softmax; None if all of them are taken."""
    if not 0 < training.output_words < target_words:
        return None
    counts = numpy.bincount(data.target_tokens, minlength=target_words)
    return Sampler(counts, training.output_words, config.seed)


def prepare(operators, sampler: Sampler | None, batch: batches.Batch, position: tuple[int, int], device: torch.device) -> tuple:
    """What a network takes: the batch on the device, how its sides are packed, the words of its softmax."""
    source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
    candidates = sampler.draw(batch.target_ids, position, device) if sampler else None
    links = operators.links(batch.link_positions, target, source)
    return replace(batch, link_positions=links).to(device), source, target, candidates


def clipped_products(clip: float):
    """Plain products of inputs clipped at ± `clip`; None if nothing is clipped."""
    if clip == 0:
        return None
    return lambda name, x, weight, transposed: x.clamp(-clip, clip) @ (weight.T if transposed else weight)


class Trainer:
    """Trains one network in one folder; see `run`."""

    def __init__(
        self,
        config: Config,
        model: Model,
        training: Training,
        folder: Path,
        device: torch.device,
        data: Path | None = None,
        encoder_heads: list[int] | None = None,
        initial: dict | None = None,
        soft_targets: SoftTargets | None = None,
    ):
        self.config, self.model, self.training = config, model, training
        self.folder, self.device = Path(folder), device
        self.folder.mkdir(parents=True, exist_ok=True)
        checkpoint.discard_partial(self.folder)
        self.pieces = vocabulary.of(config.data.folder)
        self.data = batches.Prepared(data or data_folder(config))
        # Of what students learn from; teachers learn from all pairs alike.
        self.pair_weights = None if data else scores.pair_weights(config, self.data, data_folder(config))
        self.operators = operators_for([model], device, training.kernels)
        fused = self.operators.fused
        self.encoder_heads = encoder_heads or [model.heads] * model.encoder_layers
        self.weights = Weights(
            shapes(model, self.pieces.sizes, self.encoder_heads), device, training.precision, fused
        )
        self.weights.initialize(config.seed)
        if initial is not None:
            self.weights.load_arrays(initial)
        elif training.start_share > 0:
            raise TrainingError("training.start_share: this network starts from random weights; name others in `start`")
        if not config.data.development and (training.result != "last" or training.patience):
            raise TrainingError("training.result and training.patience go by what development sets measure, and data.development names none")
        if training.teacher_share > 0 and soft_targets is None:
            raise TrainingError("training.teacher_share: nobody teaches this network; it is for students, tuned and pruned ones")
        self.soft_targets = soft_targets
        self.start = self.weights.flat.detach().clone() if training.start_share > 0 else None
        self.network = Network(model, self.weights, self.operators)
        self.network.dropout = training.dropout
        self.network.clip = training.clip_activations
        self.optimizer = optimizer.Adam(self.weights, training, fused)
        self.position = (0, 0)
        self.best = selection.Best(training)
        self.seconds = self.processor_seconds = 0.0
        #: Seconds of training and measurements, those of earlier parts of a run included.
        self.elapsed = 0.0
        compiled = training.compile and not fused
        self._network_loss = torch.compile(self._network_loss, dynamic=True) if compiled else self._network_loss
        #: What belongs to the checkpoint beside weights and optimizer: the steps of log-4-bit weights.
        self.extra = {}
        #: Renews, from the float weights, what products read, before each update and measurement (quantization).
        self.renew = None
        #: Called after each measurement, if given.
        self.measured = None
        #: Weights by name → the translator that measurements use.
        self.make_translator = lambda arrays: Translator(model, arrays, device, clipped_products(training.clip_activations))
        self.sampler = candidate_sampler(config, training, self.data, self.pieces.target.get_piece_size())
        self._resume()

    # -- checkpoints --

    @property
    def path(self) -> Path:
        """The current checkpoint."""
        return self.folder / "checkpoint.pt"

    def _description(self) -> str:
        return description(self.model, self.pieces.sizes, self.encoder_heads)

    def _resume(self):
        state = checkpoint.load(self.path, self._description())
        if state is None:
            return
        self.weights.flat.detach().copy_(state["weights"])
        self.weights.refresh()
        self.optimizer.load_state(state["optimizer"])
        self.position = tuple(state["position"])
        self.best, self.seconds = selection.Best(self.training, state["best"]), state["seconds"]
        self.processor_seconds = state["processor_seconds"]
        self.elapsed = state.get("elapsed", self.seconds)
        self.extra = state.get("extra", {})
        torch.set_rng_state(state["random"])
        print(f"going on from update {self.optimizer.update:,} ({self.path})", flush=True)

    def save(self):
        """Writes a checkpoint."""
        checkpoint.save(
            self.path,
            {
                "shape": self._description(),
                "weights": self.weights.flat.detach(),
                "optimizer": self.optimizer.state(),
                "position": list(self.position),
                "best": self.best.state,
                "seconds": self.seconds,
                "processor_seconds": self.processor_seconds,
                "elapsed": self.elapsed,
                "random": torch.get_rng_state(),
                "extra": self.extra,
            },
        )

    def _found(self) -> torch.Tensor:
        """The trained weights: the average where there is one."""
        average = self.optimizer.average
        return average if average.numel() else self.weights.flat.detach()

    def result(self) -> dict:
        """The trained weights by name."""
        return self.weights.arrays(self._found())

    # -- loss --

    def prepare(self, batch: batches.Batch, position: tuple[int, int]) -> tuple:
        """What an update takes."""
        return prepare(self.operators, self.sampler, batch, position, self.weights.flat.device)

    def loss(self, prepared: tuple, tokens: int | None = None):
        """Cross-entropy per target token plus weighted guided alignment; returns (total, cross-entropy, alignment). The sums are divided by
        `tokens`: those of the batch, or of all batches that make one update."""
        predicted = None if self.soft_targets is None else self.soft_targets(*prepared)
        return self._network_loss(*prepared, predicted, tokens or len(prepared[0].target_ids))

    def _network_loss(self, batch: batches.Batch, source, target, candidates: Candidates | None, predicted: torch.Tensor | None, tokens: int):
        operators, training = self.operators, self.training
        memory = self.network.encode(batch.source_ids, source)
        guided = training.guided_alignment > 0 and len(batch.link_positions) > 0
        hidden, weights = self.network.decode(batch.input_ids, target, memory, source, alignment=guided)
        smoothing = training.label_smoothing if predicted is None else training.teacher_share
        arguments = hidden, *self.network.output, batch.target_ids, smoothing, candidates, predicted
        if operators.fused:
            entropy = operators.output_loss(*arguments, scale=1 / tokens)
        else:
            entropy = operators.output_loss(*arguments)
        entropy = entropy / tokens
        alignment = entropy.new_zeros(())
        if guided:
            # −Σ share · ln p over links, per target token (Chen et al., 2016, with hard links).
            found = weights[batch.link_positions].clamp(min=1e-6).log()
            alignment = -(found * batch.link_shares).sum() / tokens
        return entropy + training.guided_alignment * alignment, entropy.detach(), alignment.detach()

    def _autocast(self):
        enabled = not self.operators.fused and self.training.precision == "bfloat16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=enabled)

    # -- the loop --

    def run(self):
        """Trains for the configured number of updates or minutes, or until the development sets measure no better."""
        training = self.training
        if training.patience and self._is_stale():
            print(f"training ended before: the development {training.criterion} did not improve any more", flush=True)
            return
        stream, weights = self._stream(), self._weights(self.optimizer.update + 1)
        writer = SummaryWriter(str(self.folder / "tensorboard"), purge_step=self.optimizer.update + 1)
        saved = reported = time.monotonic()
        started = reported - self.elapsed
        used = time.process_time()
        sums = {"entropy": 0.0, "alignment": 0.0, "tokens": 0, "updates": 0}
        try:
            while not self._is_done():
                self.optimizer.seconds = self.elapsed
                together = [stream.next() for _ in range(self._batches_of(self.optimizer.update + 1))]
                tokens = sum(len(prepared[0].target_ids) for prepared in together)
                if self.renew is not None:
                    self.renew()
                for prepared in together:
                    with self._autocast():
                        total, entropy, alignment = self.loss(prepared, tokens)
                    total.backward()
                    # Tensors until they are reported: reading them at each update would make the processor wait for a GPU.
                    sums["entropy"] += entropy * tokens
                    sums["alignment"] += alignment * tokens
                length = self.optimizer.step()
                self.position = stream.position
                self.elapsed = time.monotonic() - started
                if self._weights(self.optimizer.update + 1) != weights:
                    weights = self._weights(self.optimizer.update + 1)
                    # Other weights make other batches of an epoch: a position in the old ones means nothing in these.
                    stream.close()
                    self.position = (self.position[0] + 1, 0)
                    stream = self._stream()
                sums["tokens"] += tokens
                sums["updates"] += 1
                now = time.monotonic()
                update = self.optimizer.update
                done = self._is_done()
                if now - reported >= 15 or done:
                    self._report(writer, sums, now - reported, length)
                    self.seconds += now - reported
                    self.processor_seconds += time.process_time() - used
                    sums = dict.fromkeys(sums, 0)
                    reported, used = now, time.process_time()
                # A run whose rate falls only at its end keeps that one too: it may be told to continue.
                if training.cooldown > 0 and training.minutes == 0 and update in training.ends():
                    self._end_cycle(update)
                if done and self.start is not None:
                    self._found().lerp_(self.start, training.start_share)
                    self.weights.refresh()
                if update % training.evaluate_every == 0 or done:
                    self._measure(writer)
                    if self.measured is not None:
                        self.measured()
                    self.elapsed = time.monotonic() - started
                    stale = bool(training.patience) and self._is_stale()
                    if done or stale:
                        self._choose_result()
                    if stale:
                        print(f"the development {training.criterion} does not improve any more", flush=True)
                        break
                    reported, used = time.monotonic(), time.process_time()
                if now - saved >= 60 * training.checkpoint_minutes:
                    self.save()
                    saved = time.monotonic()
        except KeyboardInterrupt:
            self.save()
            raise
        finally:
            stream.close()
            writer.close()
        self.save()

    def _batches_of(self, update: int) -> int:
        """How many batches make up this update."""
        return self.training.accumulate if update >= self.training.accumulate_from else 1

    def _choose_result(self):
        """Replaces the trained weights with those that are the result."""
        chosen = selection.result(self.folder, self.training, self._description())
        if chosen is None:
            return
        weights, updates = chosen
        self._found().copy_(weights)
        self.weights.refresh()
        print(f"the result: weights of update {', '.join(f'{update:,}' for update in updates)}", flush=True)

    def _is_done(self) -> bool:
        training = self.training
        return self.optimizer.update >= training.updates or 0 < 60 * training.minutes <= self.elapsed

    def _corpora(self) -> list[Corpus]:
        return self.config.data.corpora + self.config.data.monolingual

    def _weights(self, update: int) -> list[float]:
        """The corpora's weights at this update."""
        falling = optimizer.is_falling(self.training, update, self.elapsed)
        return [corpus.weight_while(falling) for corpus in self._corpora()]

    def _stream(self) -> batches.Stream:
        """The batches of the next updates."""
        training, seed = self.training, self.config.seed
        weights = self._weights(self.optimizer.update + 1)
        return batches.Stream(
            self.data, weights, seed, training.batch_tokens, training.window, self.position, self.prepare, self._packer(),
            self.pair_weights,
        )

    def _packer(self) -> Callable:
        """A function that makes batches as their corpora ask."""
        corpora = self._corpora()
        regularizer = Regularizer(corpora if self.training.regularize else [], self.pieces.source, self.config.seed, self.pieces.target)
        untaught = numpy.array([not corpus.taught for corpus in corpora])

        def packed(sources: list, targets: list, links: list, which: numpy.ndarray, position: tuple[int, int]) -> batches.Batch:
            batch = regularizer.pack(sources, targets, links, which, position)
            batch.leave_untaught(untaught[which])
            return batch

        return packed

    def _end_cycle(self, update: int):
        """Keeps the weights of this end; after the last one the mean of all is the result."""
        found = self._found()
        averaging.keep(self.folder, update, self._description(), found)
        if update == self.training.updates:
            found.copy_(averaging.mean(self.folder, self.training, self._description()))
            self.weights.refresh()

    def _report(self, writer, sums, seconds, length):
        update, tokens = self.optimizer.update, max(1, sums["tokens"])
        speed = sums["tokens"] / seconds
        entropy, alignment = float(sums["entropy"]) / tokens, float(sums["alignment"]) / tokens
        rate = optimizer.rate(self.training, update, self.elapsed)
        minutes = self.training.minutes
        limit = f", minute {self.elapsed / 60:.1f} of {minutes:g}" if minutes else f"/{self.training.updates:,}"
        for name, value in (("loss", entropy), ("alignment", alignment), ("rate", rate), ("tokens per second", speed)):
            writer.add_scalar(f"train/{name}", value, update)
        print(
            f"update {update:,}{limit}  epoch {self.position[0] + 1}  loss {entropy:.4f}  "
            f"alignment {alignment:.3f}  gradient {float(length):.2f}  rate {rate:.2e}  {speed:,.0f} tokens/s",
            flush=True,
        )

    def _is_stale(self) -> bool:
        return self.optimizer.update - self.best.state["update"] >= self.training.patience * self.training.evaluate_every

    @torch.no_grad()
    def _measure(self, writer):
        """Development loss and greedy BLEU with the averaged weights, on the first lines of each set."""
        started = time.monotonic()
        update = self.optimizer.update
        current = self.weights.flat.detach().clone()
        if self.optimizer.average.numel():
            self.weights.flat.detach().copy_(self.optimizer.average)
            self.weights.refresh()
        dropout, self.network.dropout = self.network.dropout, 0.0
        if self.renew is not None:
            self.renew()
        translator = self.make_translator(self.weights.arrays())
        row = {"update": update, "seconds": round(self.seconds, 1), "processor_seconds": round(self.processor_seconds, 1)}
        total_loss = total_tokens = 0
        for name in self.config.data.development:
            pairs = corpus.read_parallel([self.config.data.folder / "development" / f"{name}.tsv"])
            pairs = pairs[: self.training.evaluate_lines]
            sources = self.pieces.source.encode([s for s, _ in pairs], add_eos=True)
            targets = self.pieces.target.encode([t for _, t in pairs], add_eos=True)
            loss, tokens = self.entropy(sources, targets)
            total_loss, total_tokens = total_loss + loss, total_tokens + tokens
            found = self.pieces.target.decode(translator.translate(sources))
            row[f"{name} loss"] = round(loss / tokens, 4)
            row[f"{name} BLEU"] = round(sacrebleu.corpus_bleu(found, [[t for _, t in pairs]]).score, 2)
        self.network.dropout = dropout
        self.weights.flat.detach().copy_(current)
        self.weights.refresh()
        if total_tokens:
            row["loss"] = round(total_loss / total_tokens, 4)
            scores = [value for key, value in row.items() if key.endswith(" BLEU")]
            self.best.take(update, row["loss"], sum(scores) / len(scores))
            selection.keep(self.folder, self.training, update, self.best, self._description(), self._found())
        for key, value in row.items():
            if key not in ("update", "seconds", "processor_seconds"):
                writer.add_scalar(f"development/{key}", value, update)
        with open(self.folder / "curve.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        scores = "  ".join(f"{k} {v}" for k, v in row.items() if k.endswith("BLEU"))
        print(f"development at {update:,}: loss {row.get('loss')}  {scores}  ({time.monotonic() - started:.0f} s)", flush=True)

    @torch.no_grad()
    def entropy(self, sources: list, targets: list) -> tuple[float, int]:
        """Cross-entropy of targets by the current weights, without label smoothing: the sum, and the number of pieces."""
        loss = tokens = 0
        operators = self.operators
        for start in range(0, len(sources), 32):
            batch = batches.pack(sources[start : start + 32], targets[start : start + 32]).to(self.device)
            source, target = operators.packing(batch.source_offsets), operators.packing(batch.target_offsets)
            with self._autocast():
                memory = self.network.encode(batch.source_ids, source)
                hidden, _ = self.network.decode(batch.input_ids, target, memory, source)
                loss += float(operators.output_loss(hidden, *self.network.output, batch.target_ids, 0.0))
            tokens += len(batch.target_ids)
        return loss, tokens
