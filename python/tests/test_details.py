"""Scores and alignments."""

import numpy as np

TEXT = "Señor Müller 😀 said: the house is big. Where is the station?\n42\nI have a dog."


def test_shapes_and_places(translator):
    translation = translator.translate(TEXT, scores=True, alignment=True)
    assert translation.text == str(translation) == translator.translate(TEXT)
    assert len(translation.sentences) == 3
    with_tokens = [sentence for sentence in translation.sentences if len(sentence.tokens)]
    assert {TEXT[sentence.source] for sentence in with_tokens} >= {"Where is the station?", "I have a dog."}
    for sentence in translation.sentences:
        tokens, sources = len(sentence.tokens), len(sentence.source_tokens)
        assert sentence.tokens.shape == sentence.token_sources.shape == (tokens, 2)
        assert sentence.tokens.dtype == sentence.source_tokens.dtype == np.int64
        assert sentence.log_probabilities.shape == (tokens,) and sentence.log_probabilities.dtype == np.float32
        assert sentence.alignment.shape == (tokens, sources) and sentence.alignment.dtype == np.float32
    for sentence in with_tokens:
        target, source = sentence.target, sentence.source
        assert (sentence.tokens >= target.start).all() and (sentence.tokens <= target.stop).all()
        assert (sentence.source_tokens >= source.start).all() and (sentence.source_tokens <= source.stop).all()
        known = sentence.log_probabilities[~np.isnan(sentence.log_probabilities)]
        assert len(known) and (known <= 1e-5).all()
        sums = sentence.alignment.sum(axis=1)
        assert (np.isclose(sums, 1, atol=1e-3) | (sums == 0)).all() and (sums > 0).any()


def test_words_come_from_their_words(translator):
    source = "I have a dog."
    (sentence,) = translator.translate([source], alignment=True)[0].sentences
    text = translator.translate(source)
    (begin, end), = [place for place in sentence.tokens if "Hund" in text[slice(*place)]]
    row = [tuple(place) for place in sentence.tokens].index((begin, end))
    column = sentence.source_tokens[sentence.alignment[row].argmax()]
    assert "dog" in source[slice(*column)]
    assert tuple(column) == tuple(sentence.token_sources[row])


def test_only_what_was_asked_for(translator):
    (scored,) = translator.translate("I have a dog.", scores=True).sentences
    assert scored.log_probabilities is not None and scored.alignment is None and scored.source_tokens is None
    (aligned,) = translator.translate("I have a dog.", alignment=True).sentences
    assert aligned.log_probabilities is None and aligned.alignment is not None
