"""Step `report`: the learning curves of all stages as a plot, and what each step cost, in time and in BLEU, as tables."""

import json

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

from . import costs, forms  # noqa: E402
from .config import Config  # noqa: E402
from .errors import TrainingError  # noqa: E402
from .evaluate import table  # noqa: E402
from .files import atomic, read_json  # noqa: E402

FOLDERS = {"teacher": "teacher/1"} | {stage: folder for stage, (folder, _) in forms.STAGES.items()}


def read_curve(path) -> list[dict]:
    """The measurements of one stage; a run that was set back replaces what it had measured after that point."""
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows = {update: old for update, old in rows.items() if update < row["update"]}
        rows[row["update"]] = row
    return list(rows.values())


def run(config: Config):
    """Writes `<folder>/report/curve.png` and `report.md`."""
    curves = {}
    for stage, folder in FOLDERS.items():
        path = config.folder / folder / "curve.jsonl"
        if path.exists():
            curves[stage] = read_curve(path)
    if not curves:
        raise TrainingError(f"{config.folder}: nothing was measured yet; run the step `student` first")
    names = sorted({key for rows in curves.values() for row in rows for key in row if key.endswith(" BLEU")})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2))
    for stage, rows in curves.items():
        minutes = [row["processor_seconds"] / 60 for row in rows]
        left.plot(minutes, [row["loss"] for row in rows], marker=".", label=stage)
        scores = [sum(row[name] for name in names if name in row) / max(1, len(names)) for row in rows]
        right.plot(minutes, scores, marker=".", label=stage)
    left.set_ylabel("development loss, nats a piece")
    right.set_ylabel(f"mean BLEU of {len(names)} development sets")
    for axes in (left, right):
        axes.set_xlabel("minutes of processor time")
        axes.grid(alpha=0.3)
        axes.legend()
    figure.suptitle(config.name)
    figure.tight_layout()
    folder = config.folder / "report"
    with atomic(folder / "curve.png") as file:
        figure.savefig(file, format="png", dpi=120)
    pyplot.close(figure)

    lines = [f"# {config.name}", "", "![learning curves](curve.png)", ""]
    lines += ["| stage | updates | minutes | of processor time | development loss | BLEU |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for stage, rows in curves.items():
        last = rows[-1]
        minutes = f"{last['seconds'] / 60:.1f} | {last['processor_seconds'] / 60:.1f}"
        scores = [last[name] for name in names if name in last]
        mean = f"{sum(scores) / len(scores):.1f}" if scores else ""
        lines.append(f"| {stage} | {last['update']:,} | {minutes} | {last['loss']:.3f} | {mean} |")
    lines += ["", f"BLEU here is greedy, on the first {config.training.evaluate_lines} lines of each development set."]
    steps = costs.read(config.folder)
    if steps:
        lines += ["", "| step | minutes | of processor time |", "| --- | ---: | ---: |"]
        for step, cost in steps.items():
            lines.append(f"| {step} | {cost['seconds'] / 60:.1f} | {cost['processor_seconds'] / 60:.1f} |")
    if (config.folder / "scores.json").exists():
        lines += ["", "BLEU / chrF of whole sets, greedy:", "", table(read_json(config.folder / "scores.json"))]
    text = "\n".join(lines) + "\n"
    with atomic(folder / "report.md", "w") as file:
        file.write(text)
    print(text + f"\nwritten: {folder}")
