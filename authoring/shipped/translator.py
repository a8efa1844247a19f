"""The translator that the course ships: trained, rounded to 8 bits, scored, described.

``python -m authoring.shipped.translator train FOLDER DATA`` trains it in rounds, each from the
weights of the one before: four on the everyday sentences (over three hours on two idle cores), the
others on a mixture of what people type (``mixture``). The same command goes on after a stop. The
rounds after these are those of ``timed_round``.
``… battery`` tries the battery again, ``… battery FILE`` another one, as a second set.
``… score FOLDER DATA`` rounds it to 8 bits into the package, fits its doubt on validation text,
scores it, and writes the scores and the tables of the model card.
"""

import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch

from authoring import named
from authoring.shipped.mixture import ROUNDS, known_words, read, train_on, training_text
from authoring.shipped.typed_text import HELD_OUT_TALK
from transformer_lesson.palette import FIGURES
from transformer_lesson.translation import battery
from transformer_lesson.translation.commands import METRICS
from transformer_lesson.translation.corpora import Pair, load_corpus, load_natural
from transformer_lesson.translation.doubt import FILE, Calibration, translated_words
from transformer_lesson.translation.evaluation import score
from transformer_lesson.translation.export import to_ctranslate2
from transformer_lesson.translation.known_words import KnownWords
from transformer_lesson.translation.text_files import read_pairs
from transformer_lesson.translation.translator import SHIPPED, Translator

_ALL = {
    "corpus": "everyday",
    "processes": 2,
    "batches-per-step": 2,
    "batch-tokens": 1024,
    "dropout": 0.2,
    "precision": "bfloat16",
}
_SIZES = {"vocab-size": 6000, "d-model": 256, "d-ff": 1024, "num-layers": 3}
_ROUNDS: tuple[dict[str, float], ...] = (
    {"learning-rate": 0.0015, "steps": 6500, "warmup-steps": 500, "evaluate-every": 500},
    {"learning-rate": 0.0012, "steps": 8500, "warmup-steps": 300, "evaluate-every": 500},
    {"learning-rate": 0.001, "steps": 9000, "warmup-steps": 300, "evaluate-every": 1500},
    {"learning-rate": 0.001, "steps": 6000, "warmup-steps": 300, "evaluate-every": 1500},
)
_DOUBTED = ("captions",)  # beside everyday; their validation text
_HELD_OUT = ("everyday", "captions 2016")
_FRAMES = ("I live in {}.", "Do you know {}?", "{} is here.", "We saw {} yesterday.", "I like {}.")
CARD, SCORES = SHIPPED / "README.md", SHIPPED / "scores.json"
BEGIN, END = "<!-- scores -->\n", "<!-- end of scores -->\n"


def rounds(folder: str) -> list[str]:
    """Return the folder of each round on everyday sentences."""
    return [f"{folder}-{number}" for number in range(1, len(_ROUNDS) + 1)]


def commands(folder: str) -> list[list[str]]:
    """Return the command of each round, as typed after ``python``."""
    folders = rounds(folder)
    begun: list[dict[str, Any]] = [_SIZES, *({"start-from": one} for one in folders[:-1])]
    return [
        ["-m", "transformer_lesson.translation", "train"]
        + [
            word
            for name, value in {"out": out, **begin, **_ALL, **options}.items()
            for word in (f"--{name}", str(value))
        ]
        for out, begin, options in zip(folders, begun, _ROUNDS, strict=True)
    ]


def test_sets(data: Path) -> dict[str, Sequence[Pair]]:
    """Return what is scored. No setting was chosen on any of it; validation has other sentences."""
    everyday = load_corpus("everyday").test
    return {
        "everyday, short": [pair for pair in everyday if "short" in pair.phenomena],
        "everyday": everyday,
        "everyday, all capitals": [replace(p, english=p.english.upper()) for p in everyday],
        "everyday, no capitals": [replace(p, english=p.english.lower()) for p in everyday],
        "natural": load_natural(),
        "talk": read_pairs(HELD_OUT_TALK),
        "captions 2016": read(data, "captions", "test"),
        "newstest2014": read(data, "news", "test"),
    }


def scored(
    translator: Translator, weights: str, data: Path, beam: int, only: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Score a translator on each set, or only on some."""
    sets = {name: pairs for name, pairs in test_sets(data).items() if not only or name in only}
    for name, pairs in sets.items():
        began = time.process_time()
        english = [pair.english for pair in pairs]
        texts = translator.translate(english, beam_width=beam, progress=True)
        seconds = time.process_time() - began
        found = score(texts, [pair.french for pair in pairs])
        row = {"set": name, "pairs": len(pairs), "weights": weights, "beam": beam}
        print(row, found, flush=True)
        yield row | {
            "bleu": round(found.bleu, 1),
            "interval": round(found.interval, 1),
            "chrf": round(found.chrf, 1),
            "processor seconds": round(seconds, 1),
            "signature": found.signature,
        }


def compared(translator: Translator) -> dict[str, float]:
    """Return how often CTranslate2 writes the same text greedily, and how much faster it is."""
    import ctranslate2

    texts = [pair.english for pair in load_corpus("everyday").test[:500]]
    began = time.perf_counter()
    drafts = [draft for some in translator.drafts(texts) for draft in some]
    seconds = time.perf_counter() - began
    with tempfile.TemporaryDirectory() as folder:
        to_ctranslate2(translator, folder)
        other = ctranslate2.Translator(folder, inter_threads=1, intra_threads=1)
        parts = [translator.vocabulary.pieces(draft.read) for draft in drafts]
        began = time.perf_counter()
        written = other.translate_batch(parts, beam_size=1, max_batch_size=64)
        theirs = time.perf_counter() - began
    ids = {piece: number for number, piece in enumerate(translator.vocabulary.all_pieces())}
    decoded = (translator.vocabulary.decode(ids[p] for p in w.hypotheses[0]) for w in written)
    same = sum(d.french == own for d, own in zip(drafts, decoded, strict=True)) / len(drafts)
    return {"same": round(same, 3), "times faster": round(seconds / theirs, 1)}


def surely_known(
    translator: Translator, words: KnownWords, texts: Sequence[tuple[str, str]]
) -> KnownWords:
    """Return ``words`` without the names that French has alike and the model says otherwise.

    Such a name is copied like one that it has never read. ``texts`` are of training; what French
    writes with a small letter too is no name.
    """
    translator.vocabulary.words = words
    capitals = {form for form in words.forms.values() if form[0].isupper()}
    said, alike = Counter[str](), Counter[str]()
    for english, french in texts:
        for name in capitals & set(re.findall(r"\w+", english)):
            said[name] += 1
            alike[name] += bool(re.search(rf"\b{name}\b", french))
    common = {word for _, french in texts for word in re.findall(r"\w+", french)}
    names = sorted(n for n in said if 2 * alike[n] > said[n] and n.lower() not in common)
    asked = [frame.format(name) for name in names for frame in _FRAMES]
    answers = translator.translate(asked)
    wrong = {n for n, t in zip(np.repeat(names, len(_FRAMES)), answers, strict=True) if n not in t}
    print(f"copied, as they are not known surely: {', '.join(sorted(wrong))}")
    return KnownWords(form for form in words.forms.values() if form.removesuffix("'s") not in wrong)


def judged(translator: Translator, pairs: Sequence[Pair]) -> list[tuple[float, bool]]:
    """Return of each word that it writes the probability, and whether it is right."""
    written = translated_words(translator, [pair.english for pair in pairs])
    judgements = []
    for words, pair in zip(written, pairs, strict=True):
        right = right_words([word for word, _ in words], pair.french)
        judgements += [
            (probability, told)
            for (word, probability), told in zip(words, right, strict=True)
            if re.search(r"\w", word)
        ]
    return judgements


def right_words(words: Sequence[str], reference: str) -> list[bool]:
    """Return for each word whether the reference has it, as often; case and marks do not count."""
    left = Counter(map(_plain, reference.split()))
    right = []
    for word in map(_plain, words):
        right.append(left[word] > 0)
        left[word] -= 1
    return right


def _plain(word: str) -> str:
    return re.sub(r"^\W+|\W+$", "", word.casefold()) or word


def fitted(probabilities: Sequence[float], right: Sequence[bool]) -> Calibration:
    """Return the mean share in each of 20 bins of equally many words, never falling."""
    order = np.argsort(probabilities, kind="stable")
    cut = [np.asarray(values, float)[order] for values in (probabilities, right)]
    means = [[part.mean() for part in np.array_split(values, 20)] for values in cut]
    rising = np.maximum.accumulate(means[1])
    return Calibration(tuple(np.round(means[0], 4).tolist()), tuple(np.round(rising, 4).tolist()))


def tenths(calibration: Calibration, found: Sequence[tuple[float, bool]]) -> list[list[float]]:
    """Return for each tenth of the words, by rising share: the share told, and the share right."""
    rows = [
        (calibration.share(probability), right)
        for probability, right in sorted(found, key=_sureness)
    ]
    means = (np.mean(part, axis=0) for part in np.array_split(np.array(rows, float), 10))
    return [np.round(100 * mean, 1).tolist() for mean in means]


def _sureness(word: tuple[float, bool]) -> float:
    return word[0]  # and not whether it is right, which would sort words that are equally sure


def measure_doubt(translator: Translator, data: Path) -> dict[str, list[list[float]]]:
    """Fit the doubt on validation text, keep it beside the weights, and measure it on the tests."""
    valid = [load_corpus("everyday").validation, *(read(data, n, "valid") for n in _DOUBTED)]
    judgements = [judged(translator, pairs[:1000]) for pairs in valid]
    fewest = min(map(len, judgements))  # as many words of each, so that neither decides
    seen = [one for some in judgements for one in some[:fewest]]
    calibration = fitted([p for p, _ in seen], [right for _, right in seen])
    (SHIPPED / FILE).write_text(json.dumps(asdict(calibration)) + "\n", encoding="utf-8")
    sets = test_sets(data)
    found = {name: judged(translator, sets[name][:1000]) for name in _HELD_OUT}
    found["both"] = list(chain(*found.values()))
    return {name: tenths(calibration, one) for name, one in found.items()}


def describe(folder: Path, data: Path) -> dict[str, Any]:
    """Return everything that the card says in numbers."""
    shipped = Translator.shipped()
    trained = json.loads(SCORES.read_text(encoding="utf-8"))["training"]
    last = json.loads((folder / METRICS).read_text(encoding="utf-8"))
    if trained[-1] != last:  # else it is scored again
        trained.append(last)
    return {
        "commands": [" ".join(["python", *words]) for words in commands("runs/everyday")],
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), torch {torch.__version__}",
        "date": datetime.date.fromtimestamp((folder / METRICS).stat().st_mtime).isoformat(),
        "parameters": sum(weight.numel() for weight in shipped.model.parameters()),
        "bytes": sum(path.stat().st_size for path in SHIPPED.iterdir()),
        "training": trained,
        "scores": [
            *scored(shipped, "int8", data, 1),
            # With a beam, newspaper text takes half an hour.
            *scored(shipped, "int8", data, 4, only=set(test_sets(data)) - {"newstest2014"}),
            *scored(Translator.load(folder), "float32", data, 1, only=("everyday", "natural")),
        ],
        "ctranslate2": compared(shipped),
        "battery": kept(shipped, battery.DATA),
        "doubt": measure_doubt(shipped, data),
    }


def table(found: dict[str, Any]) -> str:
    """Return the scores, the battery and the doubt as tables."""
    columns = {
        "int8, greedy": ("int8", 1),
        "int8, beam 4": ("int8", 4),
        "float32, greedy": ("float32", 1),
    }
    cells = {(row["set"], row["weights"], row["beam"]): row for row in found["scores"]}
    lines = [table_row("test set", "pairs", *columns), table_row(*["---"] * 5)]
    for name in dict.fromkeys(row["set"] for row in found["scores"]):
        rows = [cells.get((name, *column)) for column in columns.values()]
        shown = [f"{r['bleu']} ± {r['interval']} ({r['chrf']})" if r else "" for r in rows]
        lines.append(table_row(name, f"{cells[name, 'int8', 1]['pairs']:,}", *shown))
    lines += ["", "What holds of the battery, in percent of each kind:", ""]
    lines += battery_table(found["battery"])
    if "unseen" in found:
        told = "Of a second set, by a hand that saw no rule; it was opened before these weights:"
        lines += ["", told, ""]
        lines += battery_table(found["unseen"])
    lines += ["", "Words in tenths by their share: share told / share right, in percent:", ""]
    lines += [table_row("test set", *map(str, range(1, 11))), table_row(*["---"] * 11)]
    for name, rows in found["doubt"].items():
        lines.append(table_row(name, *(f"{told:.0f} / {ok:.0f}" for told, ok in rows)))
    fast = found["ctranslate2"]
    told = f"CTranslate2 writes {fast['same']:.0%} of 500 texts alike, greedily, on one thread, "
    lines += ["", told + f"{fast['times faster']} times as fast as the course's decoder."]
    return "\n".join(lines) + "\n"


def kept(translator: Translator, path: Path) -> dict[str, Any]:
    """Return, greedily and with a beam of 4, the share of each kind that holds, and what fails."""
    return {
        str(width): {"shares": battery.shares(rows), "fails": battery.failures(rows)}
        for width, rows in battery.tried(translator, path).items()
    }


def battery_table(found: dict[str, Any]) -> list[str]:
    """Return the shares of what `kept` found as a table, and below it what fails greedily."""
    greedy, beam = found["1"]["shares"], found["4"]["shares"]
    lines = [table_row("kind", "greedy", "beam 4"), table_row(*["---"] * 3)]
    lines += [table_row(kind, f"{greedy[kind]:.0f}", f"{beam[kind]:.0f}") for kind in greedy]
    lines += ["", "<details><summary>What fails greedily</summary>", ""]
    for kind, fails in found["1"]["fails"].items():
        lines.append(f"- {kind}: " + "; ".join(literal(f"{e} → {f}") for e, f in fails))
    return [*lines, "", "</details>"]


def literal(text: str) -> str:
    """Return text as Markdown shows it sign by sign: two prices make no formula."""
    return re.sub(r"[$*_`<\[\\]", r"\\\g<0>", text)


def table_row(*cells: str) -> str:
    """Return a row of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"


def draw_doubt(doubt: dict[str, list[list[float]]]) -> None:
    """Draw the shares right above the shares told, beside the card."""
    figure, axes = plt.subplots(figsize=(5, 4.2), layout="constrained")
    axes.axline((0, 0), slope=1, color=FIGURES["grey"], linestyle=":")
    shown = ((FIGURES["blue"], (10, -3)), (FIGURES["orange"], (10, -6)), ("black", (-28, 5)))
    for (name, rows), (color, beside) in zip(doubt.items(), shown, strict=True):
        told, right = zip(*rows, strict=True)
        axes.plot(told, right, marker=".", color=color)
        where = (told[0], right[0])
        axes.annotate(name, where, beside, textcoords="offset points", color=color)
    axes.set(xlabel="share told, %", ylabel="share right, %", xlim=(0, 100), ylim=(0, 100))
    axes.set_title("Of words as sure as this one, so many are right")
    figure.savefig(SHIPPED / "doubt.png", dpi=100)


def keep_scores(found: dict[str, Any]) -> None:
    """Write the scores, and the card with them."""
    SCORES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_card(json.loads(SCORES.read_text(encoding="utf-8")))


def write_card(found: dict[str, Any]) -> None:
    """Put the numbers into the card."""
    *first, last = (
        f"{one['steps']:,} steps in {one['seconds'] / 60:.0f} minutes "
        f"({one['tokens_per_second']:,.0f} target tokens a second)"
        + (f" on an {one['device']}" if one.get("device") else "")
        + (f" in {one['runs']} runs at once" if one.get("runs", 1) > 1 else "")
        for one in found["training"]
    )
    spent = f"{', '.join(first)} and {last}"
    typed = "\n".join(found["commands"])
    facts = (
        f"{found['parameters']:,} weights, {found['bytes'] / 1e6:.1f} MB. Trained until "
        f"{found['date']} with {found['machine']} in {len(found['training'])} rounds: {spent}, "
        f"other work beside them, by\n\n```sh\n{typed}\n"
        "python -m authoring.shipped.translator train runs/everyday DATA\n"
        "python -m authoring.shipped.gpu_round train runs/gpu DATA 6  # as of commit 76b8824e\n"
        "python -m authoring.shipped.timed_round draw runs/drawn.xz DATA\n"
        "python -m authoring.shipped.timed_round train runs/gpu-2 runs/drawn.xz 3.2\n"
        "python -m authoring.shipped.timed_round load runs/8 runs/gpu-2\n"
        "python -m authoring.shipped.timed_round train runs/a runs/drawn.xz 33 runs/8 1 &\n"
        "python -m authoring.shipped.timed_round train runs/b runs/drawn.xz 33 runs/8 2\n"
        "python -m authoring.shipped.timed_round load runs/9 runs/gpu-2 runs/gpu-2 runs/a runs/b\n"
        "```\n\n"
        "BLEU ± half its 95 % interval, and chrF in brackets "
        f"({found['scores'][0]['signature']}):\n\n"
    )
    fill(CARD, facts + table(found))


def fill(card: Path, text: str) -> None:
    """Put ``text`` between the marks of a card; the words around them stay."""
    before, rest = card.read_text(encoding="utf-8").split(BEGIN)
    card.write_text(before + BEGIN + text + END + rest.split(END)[1], encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Train, or score; return the exit code."""
    match arguments:
        case ["train", folder, data]:
            for one in commands(folder):
                if code := subprocess.run([sys.executable, *one], check=False).returncode:
                    return code
            translator = everyday = Translator.load(rounds(folder)[-1])
            for number, part in enumerate(ROUNDS, len(_ROUNDS) + 1):
                out = Path(f"{folder}-{number}")
                translator = train_on(Path(data), translator, everyday, out, part)
            return 0
        case ["score", folder, data]:
            translator = Translator.load(folder)
            texts = training_text(Path(data))
            words = known_words(texts)
            translator.vocabulary.words = surely_known(translator, words, texts["everyday"])
            translator.save(folder)
            translator.save(SHIPPED, int8=True)
            found = describe(Path(folder), Path(data))
            keep_scores(found)
            draw_doubt(found["doubt"])
            return 0
        case ["battery", *files]:
            found = json.loads(SCORES.read_text(encoding="utf-8"))
            path = Path(files[0]) if files else battery.DATA
            found["unseen" if files else "battery"] = kept(Translator.shipped(), path)
            keep_scores(found)
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(named(__doc__)))
