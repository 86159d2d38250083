"""Interruptions, repetition and damage: nothing is lost, nothing changes."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy
import torch

from wanderwort_train import batches, checkpoint, config as configuration, optimizer
from wanderwort_train.cli import main
from wanderwort_train.files import previous


def weights(config):
    state = checkpoint.load(configuration.load(config).folder / "student" / "checkpoint.pt")
    return state["weights"], state["optimizer"]["average"], state["optimizer"]["update"]


def set_updates(config, number):
    text = config.read_text(encoding="utf-8")
    start = text.index("updates = ")
    config.write_text(text[:start] + f"updates = {number}" + text[text.index("\n", start) :], encoding="utf-8")


def test_an_interrupted_run_ends_with_the_same_bits(prepared, capsys):
    set_updates(prepared, 12)
    assert main(["student", "--config", str(prepared)]) == 0
    whole = weights(prepared)
    folder = configuration.load(prepared).folder / "student"
    folder.rename(folder.with_name("whole"))
    set_updates(prepared, 5)
    assert main(["student", "--config", str(prepared)]) == 0
    set_updates(prepared, 12)
    assert main(["student", "--config", str(prepared)]) == 0
    assert "going on from update 5" in capsys.readouterr().out
    parts = weights(prepared)
    assert parts[2] == whole[2] == 12
    assert torch.equal(whole[0], parts[0]) and torch.equal(whole[1], parts[1])


def test_a_run_ends_with_its_minutes(prepared, monkeypatch, capsys):
    """At the full rate, then falling to nothing over the last half, by the clock; a second run of the same command has nothing to do."""
    text = prepared.read_text(encoding="utf-8").replace("updates = 8", "updates = 1000000\nminutes = 0.05\ncooldown = 0.5")
    prepared.write_text(text.replace("warmup = 4", 'warmup = 1\nschedule = "constant"'), encoding="utf-8")
    rates, take = [], optimizer.Adam.step

    def spy(self):
        rates.append(optimizer.rate(self.training, self.update + 1, self.seconds))
        return take(self)

    monkeypatch.setattr(optimizer.Adam, "step", spy)
    assert main(["student", "--config", str(prepared)]) == 0
    assert rates[0] == 3e-3 and rates == sorted(rates, reverse=True) and 0 <= rates[-1] < 0.5e-3
    assert 0 < sum(rate < 3e-3 for rate in rates) < len(rates)
    assert "of 0.05" in capsys.readouterr().out and weights(prepared)[2] == len(rates)
    assert main(["student", "--config", str(prepared)]) == 0
    assert weights(prepared)[2] == len(rates)


def test_minutes_need_a_rate_that_they_can_end(prepared, capsys):
    prepared.write_text(prepared.read_text(encoding="utf-8").replace("updates = 8", "updates = 8\nminutes = 1\nschedule = \"linear\""))
    assert main(["student", "--config", str(prepared)]) == 1
    assert "minutes leave open which update is the last" in capsys.readouterr().err


def test_other_weights_apply_while_the_rate_falls(prepared, monkeypatch, capsys):
    """Of two corpora the second is left out at the end, also by a run that was interrupted there."""
    lines = (prepared.parent / "pairs.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (prepared.parent / "pairs.tsv").write_text("".join(lines[:100]), encoding="utf-8")
    (prepared.parent / "others.tsv").write_text("".join(lines[100:]), encoding="utf-8")
    plain = prepared.read_text(encoding="utf-8").replace('folder = "run"', 'folder = "other"').replace('"data"', '"both"')
    others = 'path = "pairs.tsv"\n[[data.corpora]]\npath = "others.tsv"\nfalling_weight = 0.0'
    plain = plain.replace('path = "pairs.tsv"', others).replace("updates = 8", "updates = 12\ncooldown = 0.5").replace("dropout = 0.1", "dropout = 0.0")
    prepared.write_text(plain, encoding="utf-8")
    assert main(["prepare", "--config", str(prepared)]) == 0
    drawn = []

    class Spy(batches.Stream):
        def next(self):
            prepared_batch = super().next()
            (epoch, number), (data, shares, *settings) = self.position, self._arguments
            pairs = batches.epoch_plan(data, shares, epoch, *settings)[number - 1]
            drawn.append((epoch, set(data.corpora[pairs].tolist())))
            return prepared_batch

    monkeypatch.setattr(batches, "Stream", Spy)
    assert main(["student", "--config", str(prepared)]) == 0
    whole = weights(prepared)
    assert len(drawn) == 12 and set.union(*(found for _, found in drawn[:6])) == {0, 1}
    assert drawn[5][0] < drawn[6][0] and all(found == {0} for _, found in drawn[6:])

    for place in (6, 8):
        folder = configuration.load(prepared).folder / "student"
        folder.rename(folder.with_name(f"before {place}"))
        take = optimizer.Adam.step

        def interrupted(self, place=place, take=take):
            if self.update == place:
                raise KeyboardInterrupt
            return take(self)

        monkeypatch.setattr(optimizer.Adam, "step", interrupted)
        assert main(["student", "--config", str(prepared)]) != 0
        monkeypatch.setattr(optimizer.Adam, "step", take)
        assert main(["student", "--config", str(prepared)]) == 0
        assert torch.equal(whole[0], weights(prepared)[0])

    prepared.write_text(plain.replace('path = "pairs.tsv"', 'path = "pairs.tsv"\nfalling_weight = 0.0'), encoding="utf-8")
    assert main(["student", "--config", str(prepared)]) == 1
    assert "falling_weight no corpus is left" in capsys.readouterr().err


def test_the_result_is_the_mean_over_the_ends_of_cycles(prepared, capsys):
    plain = prepared.read_text(encoding="utf-8")
    prepared.write_text(plain.replace("updates = 8", "updates = 12\ncooldown = 0.25\ncycles = [4, 8]"), encoding="utf-8")
    settings = configuration.load(prepared).training
    whole = settings.model_copy(update={"cooldown": 0.0})
    shares = [optimizer.rate(settings, update) / optimizer.rate(whole, update) for update in range(4, 13)]
    assert numpy.allclose(shares, [0, 1, 2 / 3, 1 / 3, 0, 1, 2 / 3, 1 / 3, 0])
    assert main(["student", "--config", str(prepared)]) == 0
    folder = configuration.load(prepared).folder / "student"
    ends = [checkpoint.load(folder / f"end-{update}.pt")["weights"] for update in (4, 8, 12)]
    assert not torch.equal(ends[0], ends[1])
    assert torch.allclose(weights(prepared)[1], sum(ends) / 3, atol=1e-6)
    # Given again, the command changes nothing.
    assert main(["student", "--config", str(prepared)]) == 0
    assert torch.allclose(weights(prepared)[1], sum(ends) / 3, atol=1e-6)

    prepared.write_text(plain.replace("updates = 8", "updates = 16\ncooldown = 0.1\ncycles = [12, 14]"), encoding="utf-8")
    (folder / "end-12.pt").unlink()
    assert main(["student", "--config", str(prepared)]) == 1
    assert "end-12.pt: missing" in capsys.readouterr().err
    prepared.write_text(plain.replace("updates = 8", "updates = 8\ncooldown = 0.1\ncycles = [9]"), encoding="utf-8")
    assert main(["student", "--config", str(prepared)]) == 1
    assert "must ascend" in capsys.readouterr().err


def test_a_request_to_end_saves_first(prepared):
    set_updates(prepared, 1_000_000)
    command = [sys.executable, "-m", "wanderwort_train.cli", "student", "--config", str(prepared)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    events = prepared.parent / "run" / "student" / "tensorboard"
    while not events.exists():
        time.sleep(0.2)
    time.sleep(2)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "run the same command to go on" in errors
    assert weights(prepared)[2] > 0


def test_a_damaged_checkpoint_falls_back_to_the_previous_one(prepared, capsys):
    assert main(["student", "--config", str(prepared)]) == 0
    set_updates(prepared, 10)
    assert main(["student", "--config", str(prepared)]) == 0
    path = configuration.load(prepared).folder / "student" / "checkpoint.pt"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert main(["student", "--config", str(prepared)]) == 0
    printed = capsys.readouterr().out
    assert "damaged checkpoint" in printed and "going on from update 8" in printed
    assert weights(prepared)[2] == 10

    for file in (path, previous(path)):
        file.write_bytes(file.read_bytes()[:1000])
    assert main(["student", "--config", str(prepared)]) == 1
    assert "no readable checkpoint is left" in capsys.readouterr().err


def test_a_full_disk_keeps_the_checkpoint(prepared):
    assert main(["student", "--config", str(prepared)]) == 0
    before = weights(prepared)
    set_updates(prepared, 10)

    def little_space():
        # Writing beyond this many bytes fails as on a full disk.
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    done = subprocess.run(
        [sys.executable, "-m", "wanderwort_train.cli", "student", "--config", str(prepared)],
        capture_output=True, text=True, preexec_fn=little_space,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "cannot write" in done.stderr and "nothing that was there is lost" in done.stderr
    after = weights(prepared)
    assert after[2] == before[2] and torch.equal(after[0], before[0])
    assert main(["student", "--config", str(prepared)]) == 0
    assert weights(prepared)[2] == 10


def test_a_kill_while_writing_leaves_a_whole_checkpoint(tmp_path):
    path = tmp_path / "checkpoint.pt"
    script = (
        "import torch, sys\n"
        "from pathlib import Path\n"
        "from wanderwort_train import checkpoint\n"
        "i = 0\n"
        "while True:\n"
        "    i += 1\n"
        f"    checkpoint.save(Path({str(path)!r}), {{'number': i, 'values': torch.full((1_000_000,), float(i))}})\n"
        "    print(i, flush=True)\n"
    )
    for delay in (0.0, 0.013, 0.029):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        for _ in range(3):
            process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.wait()
        state = checkpoint.load(path)
        assert state["number"] >= 3 and torch.all(state["values"] == state["number"])
    checkpoint.discard_partial(tmp_path)
    assert [name for name in os.listdir(tmp_path) if name.endswith(".partial")] == []


def test_plain_operations_learn_as_fused_ones(prepared):
    """What a GPU runs, here on the processor."""
    losses = []
    for extra in ("", 'kernels = "plain"\n'):
        folder = prepared.parent / "run" / "student"
        text = prepared.read_text(encoding="utf-8").replace("dropout = 0.1", "dropout = 0.0")
        prepared.write_text(text.replace("evaluate_every = 1000", "evaluate_every = 8") + extra, encoding="utf-8")
        assert main(["student", "--config", str(prepared)]) == 0
        losses.append(json.loads((folder / "curve.jsonl").read_text().splitlines()[-1])["loss"])
        folder.rename(folder.with_name(f"after-{len(losses)}"))
    assert abs(losses[0] - losses[1]) < 0.01 * losses[0]


def test_another_network_is_refused(prepared, capsys):
    assert main(["student", "--config", str(prepared)]) == 0
    text = prepared.read_text(encoding="utf-8")
    prepared.write_text(text.replace("feed_forward = 64", "feed_forward = 128"), encoding="utf-8")
    assert main(["student", "--config", str(prepared)]) == 1
    assert "another network" in capsys.readouterr().err


def test_a_student_starts_from_a_marian_model_with_its_vocabulary(prepared, tmp_path, capsys):
    assert main(["student", "--config", str(prepared)]) == 0
    assert main(["export", "--config", str(prepared)]) == 0
    first = configuration.load(prepared)
    exported = first.folder / "export"
    average = weights(prepared)[1]

    text = prepared.read_text(encoding="utf-8")
    text = text.replace('folder = "run"', f'folder = "second"\nstart = "{exported / "model.npz"}"')
    text = text.replace('folder = "data"', f'folder = "data2"\nvocabulary = "{first.data.folder / "vocabulary.spm"}"')
    second = tmp_path / "second.toml"
    second.write_text(text.replace("learning_rate = 3e-3", "learning_rate = 1e-9"), encoding="utf-8")
    assert main(["prepare", "--config", str(second)]) == 0
    assert main(["student", "--config", str(second)]) == 0
    assert torch.allclose(weights(second)[0], average, atol=1e-5)

    # A part of what it was stays in what it becomes.
    found = {}
    for share in (0.0, 0.25):
        lines = text.replace('"second"', f'"share-{share}"').replace("[training]", f"[training]\nstart_share = {share}")
        second.write_text(lines, encoding="utf-8")
        assert main(["student", "--config", str(second)]) == 0
        found[share] = weights(second)[1]
    assert (found[0.0] - average).norm() > 1e-3 * average.norm()
    assert torch.allclose(found[0.25], torch.lerp(found[0.0], average, 0.25), atol=1e-6)
    second.write_text(lines.replace(f'start = "{exported / "model.npz"}"', ""), encoding="utf-8")
    assert main(["student", "--config", str(second)]) == 1
    assert "start_share: this network starts from random weights" in capsys.readouterr().err

    # A wider student starts from it too, and where it stood.
    losses = {}
    for name, change in (("narrow", ("", "")), ("wide", ("dimension = 32\nfeed_forward = 64", "dimension = 64\nfeed_forward = 96"))):
        wider = text.replace('"second"', f'"{name}"').replace(*change).replace("learning_rate = 3e-3", "learning_rate = 1e-9")
        second.write_text(wider.replace("evaluate_every = 1000", "evaluate_every = 8"), encoding="utf-8")
        assert main(["student", "--config", str(second)]) == 0
        losses[name] = json.loads((tmp_path / name / "student" / "curve.jsonl").read_text().splitlines()[-1])["loss"]
    assert abs(losses["wide"] - losses["narrow"]) < 0.05 * losses["narrow"]

    for wrong, message in (
        ("heads = 1", "heads is 2, the configuration's model has 1"),
        ("feed_forward = 48", "at least as much"),
        ("encoder_layers = 2", "encoder_layers is 1"),
    ):
        key = wrong.split(" = ")[0]
        lines = [wrong if line.startswith(key) else line for line in text.splitlines()]
        lines = [line.replace('"second"', '"third"') for line in lines]
        second.write_text("\n".join(lines), encoding="utf-8")
        assert main(["student", "--config", str(second)]) == 1
        assert message in capsys.readouterr().err

    second.write_text(text.replace("vocabulary_size = 500", "vocabulary_size = 600"), encoding="utf-8")
    assert main(["prepare", "--config", str(second)]) == 1
    assert "500 pieces, but data.vocabulary_size is 600" in capsys.readouterr().err
