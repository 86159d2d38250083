"""Which pairs are distilled, what is chosen among the candidates, and text without a translation."""

import json
from types import SimpleNamespace

import numpy
import pytest

from test_teacher import teaching
from wanderwort_train import batches, config as configuration, distil, marian, vocabulary
from wanderwort_train.cli import main


def test_pairs_are_drawn_in_proportion_to_their_weights():
    corpora = numpy.repeat([0, 1, 2], [20_000, 20_000, 100])
    data = SimpleNamespace(pairs=len(corpora), corpora=corpora)
    found = batches.drawn(data, [3.0, 1.0, 0.0], 2000, seed=1)
    assert len(found) == len(set(found.tolist())) == 2000 and (numpy.diff(found) > 0).all()
    counts = numpy.bincount(corpora[found], minlength=3)
    assert 1400 < counts[0] < 1600 and counts[2] == 0
    assert (batches.drawn(data, [3.0, 1.0, 0.0], 2000, seed=1) == found).all()
    assert (batches.drawn(data, [3.0, 1.0, 0.0], 2000, seed=2) != found).any()
    # What is never seen is not translated either, even if more is asked for than there is.
    assert len(batches.drawn(data, [3.0, 1.0, 0.0], 40_050, seed=1)) == 40_000
    assert len(batches.drawn(data, [3.0, 1.0, 0.0], 0, seed=1)) == len(corpora)


def test_a_reference_stays_where_no_candidate_is_near():
    candidates = ["Das ist ein kleiner Hund.", "Dies ist eine kleine Katze.", "Dies ist eine kleine Katze."]
    assert distil.closest(candidates, "Dies ist eine sehr kleine Katze.") == 1
    assert distil.closest(candidates, "Dies ist eine sehr kleine Katze.", 99.0) == distil.REFERENCE
    assert distil.closest(candidates, candidates[0], 99.0) == 0


@pytest.mark.parametrize("shortlist", [False, True])
def test_text_without_a_translation_is_distilled_too(prepared, tmp_path, shortlist):
    """References stay where candidates must be perfect; English alone gets the best candidate, as a corpus of its own."""
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    model = configuration.load(prepared).folder / "export" / "model.npz"
    path = teaching(prepared, model, decoder="engine", products="int8", lines=20, least=100, keep_others=True, shard_lines=9)
    (tmp_path / "english.txt").write_text("A house.\nThe red car is here.\n\n", encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    english = '[[data.monolingual]]\npath = "english.txt"\nweight = 2\ndropped_words = 0.1\n[data.development]'
    path.write_text(text.replace("[data.development]", english), encoding="utf-8")
    if shortlist:
        assert main(["shortlist", "--config", str(path)]) == 0
    assert main(["distil", "--config", str(path)]) == 0
    config = configuration.load(path)
    folder = config.folder / "distilled"
    assert any(name.name.startswith("lex") for name in (folder / "teacher").iterdir()) == shortlist
    rows = [json.loads(line) for part in sorted((folder / "shards").iterdir()) for line in part.read_text().splitlines()]
    assert [row["corpus"] for row in rows] == [0] * 20 + [1] * 2
    assert {row["rank"] for row in rows[:20]} == {distil.REFERENCE} and {row["rank"] for row in rows[20:]} == {0}
    pieces = vocabulary.load(config.data.folder / "vocabulary.spm")
    assert [pieces.decode(row["source"]) for row in rows[20:]] == ["A house.", "The red car is here."]
    source, data = batches.Prepared(config.data.folder), batches.Prepared(folder)
    references = {(tuple(source.source(i)), tuple(source.target(i))) for i in range(source.pairs)}
    assert all((tuple(row["source"]), tuple(row["target"])) in references for row in rows[:20])
    assert all(row["score"] < 0 for row in rows)
    # The student trains on all of it.
    assert data.pairs >= source.pairs
    assert main(["student", "--config", str(path)]) == 0


def test_what_a_teacher_is_unsure_of_may_be_left_out():
    monolingual = [SimpleNamespace(likeliest=0.5), SimpleNamespace(likeliest=1.0)]
    config = SimpleNamespace(data=SimpleNamespace(corpora=[None], monolingual=monolingual))
    # A score of 0: translated in parts.
    scores = [(0, -9.0), (1, -0.3), (1, -0.1), (1, 0.0), (1, -0.2), (2, -5.0), (2, 0.0)]
    rows = [{"corpus": corpus, "score": score} for corpus, score in scores]
    assert distil._sure(config, rows) == [rows[i] for i in (0, 2, 4, 5, 6)]
    monolingual[0].likeliest = 0.01
    assert [row for row in distil._sure(config, rows) if row["corpus"] == 1] == [rows[2]]
    assert distil._sure(config, []) == []


@pytest.mark.parametrize("keep_others", [False, True])
def test_a_corpus_may_keep_its_own_translations(prepared, tmp_path, keep_others):
    for step in ("student", "export"):
        assert main([step, "--config", str(prepared)]) == 0
    first = configuration.load(prepared)
    model = tmp_path / "teacher.npz"
    arrays = marian.read_npz(first.folder / "export" / "model.npz")[0]
    # After so few updates it says nothing: it gets a word of its own.
    pieces = vocabulary.load(first.data.folder / "vocabulary.spm")
    arrays["decoder_ff_logit_out_b"][0, [vocabulary.END, pieces.piece_to_id("▁the")]] = -50, 50
    marian.write_npz(model, arrays, first.model)
    path = teaching(prepared, model, decoder="engine", products="int8", lines=0, keep_others=keep_others)
    # The corpus in two parts: the teacher translates the first alone.
    lines = (tmp_path / "pairs.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "second.tsv").write_text("".join(lines[100:]), encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("".join(lines[:100]), encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    second = '[[data.corpora]]\npath = "second.tsv"\ndistilled = false\n[data.development]'
    path.write_text(text.replace("[data.development]", second), encoding="utf-8")
    for step in ("prepare", "distil"):
        assert main([step, "--config", str(path)]) == 0
    config = configuration.load(path)
    source, data = batches.Prepared(config.data.folder), batches.Prepared(config.folder / "distilled")

    def targets(found, corpus):
        return [found.target(i).tolist() for i in numpy.flatnonzero(found.corpora == corpus)]

    assert targets(data, 1) == targets(source, 1) and len(targets(data, 1)) > 50
    assert len(targets(data, 0)) > 50 and all("the the" in pieces.decode(target) for target in targets(data, 0))
