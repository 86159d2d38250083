"""What users type and pages contain that clean corpora lack: other cases, lost punctuation, odd spaces, items to copy.

Every alteration takes a pair and returns an altered pair, or None where it does not apply. A target is altered along
with its source where a translator should carry the property over (capitals, a missing full stop), and left clean where
it should repair it (odd spaces, lower-case questions typed in a hurry).
"""

import random
import re
import string

_WORD = re.compile(r"[^\W\d_]+")
_FINAL = re.compile(r"[.!?…]+$")
_EMOJI = "😀😂😊😍😎😢😡👍👎🙏👏💪🎉🎂🎁🔥⭐✨💡📌📎📅📧📞💻📱🔒🔑🔍⚠✅❌❤💙💚➡⬅⬆⬇☀☁☔⚽🏆🚀🚗✈🏠🌍🍕🍺☕"
#: Characters every vocabulary must contain besides those of the text: ASCII, quotes, dashes, currencies, common emoji.
REQUIRED_CHARACTERS = string.printable[:95].replace(" ", "") + "„“”‚‘’«»–—…•·°§€£©®™×÷±→←↑↓✓äöüÄÖÜßéèàçñ" + _EMOJI


def lower_case(source, target, rng):
    """Source in lower case, target as it is: capitals are restored."""
    return None if source == source.lower() else (source.lower(), target)


def upper_case(source, target, rng):
    """Both sides in capitals."""
    return (source.upper(), target.upper()) if len(source) < 200 else None


def title_case(source, target, rng):
    """English-style headline: every source word capitalised, target without its final punctuation."""
    titled = _WORD.sub(lambda m: m.group()[0].upper() + m.group()[1:], source)
    return None if titled == source or len(source) > 120 else (titled, _FINAL.sub("", target))


def punctuation(source, target, rng):
    """The final mark goes missing on both sides, or commas on the source side."""
    if rng.random() < 0.5 and "," in source:
        return source.replace(",", ""), target
    cut = _FINAL.sub("", source), _FINAL.sub("", target)
    return cut if cut[0] != source and cut[1] and cut[0] else None


def typography(source, target, rng):
    """Straight quotes and dashes become typographic on the source side, or the other way round."""
    if any(c in source for c in "“”’–…"):
        return source.translate(str.maketrans({"“": '"', "”": '"', "’": "'", "–": "-", "…": "..."})), target
    curled = re.sub(r'"([^"]*)"', r"“\1”", source).replace("'", "’").replace(" - ", " – ").replace("...", "…")
    return None if curled == source else (curled, target)


def spacing(source, target, rng):
    """Spaces before marks, or none after them, in the source."""
    if rng.random() < 0.5:
        spaced = re.sub(r"(\w)([,.!?;:])(?=\s|$)", r"\1 \2", source)
    else:
        spaced = re.sub(r"([,;:!?]) (?=\w)", r"\1", source)
    return None if spaced == source else (spaced, target)


def _identifier(rng):
    parts = [rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 4))]
    style = rng.randrange(5)
    if style == 0:
        return "_".join(parts)
    if style == 1:
        return parts[0] + "".join(p.capitalize() for p in parts[1:])
    if style == 2:
        return ".".join(parts) + "()"
    if style == 3:
        return "-".join(parts)
    return "".join(p.capitalize() for p in parts) + str(rng.randint(0, 99))


_SYLLABLES = "get set user name file path list item data node text init load save key id max min add log test run map url \
time size type view page form input build html json http code path render cache index value count start stop".split()


def _item(rng):
    kind = rng.randrange(9)
    if kind == 0:
        tail = "/".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(0, 3)))
        return f"https://{rng.choice(['www.', ''])}{rng.choice(_SYLLABLES)}{rng.choice(_SYLLABLES)}.{rng.choice(['com', 'org', 'de', 'net', 'io'])}/{tail}"
    if kind == 1:
        return f"{rng.choice(_SYLLABLES)}.{rng.choice(_SYLLABLES)}@{rng.choice(_SYLLABLES)}.{rng.choice(['com', 'org', 'de'])}"
    if kind == 2:
        return rng.choice(["%s", "%d", "%1$s", "{name}", "{0}", "{{count}}", "$USER", "%(title)s", "<b>", "&nbsp;", "${path}"])
    if kind == 3:
        return str(rng.randint(0, 10 ** rng.randint(1, 6)))
    if kind == 4:
        return f"{rng.randint(0, 20)}.{rng.randint(0, 20)}.{rng.randint(0, 40)}"
    if kind == 5:
        return rng.choice(_EMOJI)
    if kind == 6:
        return "--" + "-".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(1, 2)))
    if kind == 7:
        return "".join(rng.choice(string.ascii_letters + string.digits) for _ in range(rng.randint(4, 12)))
    return _identifier(rng)


def copied_items(source, target, rng):
    """A URL, an address, a placeholder, a number, a name from code or an emoji on both sides, or such an item alone."""
    item = _item(rng)
    place = rng.randrange(10)
    if place == 0:
        return item, item
    if place < 4:
        return f"{source} {item}", f"{target} {item}"
    if place < 6:
        return f"{item} {source}", f"{item} {target}"
    if place < 8:
        return f"{source} ({item})", f"{target} ({item})"
    return f"{item}: {source}", f"{item}: {target}"


def target_copy(source, target, rng):
    """Text that is already in the target language stays as it is."""
    return target, target


KINDS = {
    "lower_case": lower_case,
    "upper_case": upper_case,
    "title_case": title_case,
    "punctuation": punctuation,
    "typography": typography,
    "spacing": spacing,
    "copied_items": copied_items,
    "target_copy": target_copy,
}


def altered_copies(source: str, target: str, shares: dict[str, float], rng: random.Random):
    """Yields altered copies of a pair, each kind with its own probability."""
    for kind, share in shares.items():
        if share > 0 and rng.random() < share:
            pair = KINDS[kind](source, target, rng)
            if pair is not None:
                yield pair
