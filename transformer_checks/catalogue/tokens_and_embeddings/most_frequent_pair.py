"""tokens.most_frequent_pair: the count that byte-pair encoding starts from."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.tokens_and_embeddings.letters import alphabet, random_word, spell
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, *words: tuple[str, int]) -> Case:
        ids = alphabet(generator, "".join(sorted({letter for word, _ in words for letter in word})))
        spelled = [spell(word, ids) for word, _ in words]
        return Case(label, {"words": spelled, "counts": [count for _, count in words]})

    drawn = [random_word(generator, 1, 7, 5) for _ in range(11)]
    many = [list(word) for word in dict.fromkeys(map(tuple, drawn)) if word != (4, 4, 0)]
    many_counts = torch.randint(1, 6, (len(many),), generator=generator).tolist()
    # The smallest pair stands inside the word that sorting puts last.
    tied = [[9, 4], [12, 5], [3, 20], [7, 2], [10, 8], [15, 3, 9], [3, 13], [11, 6]]
    # As shares of all words 0.1 + 0.2 and 0.3 are not the same float.
    shares = [[3, 4], [5, 6], [7, 5, 6], [8]]
    digits = [[13, 9], [3, 90], [3, 9], [4, 5]]
    return [
        case("one word of three tokens twice, another once", ("abc", 2), ("ab", 1)),
        case("the six words of the lesson", ("the", 2), ("cat", 1), ("sat", 1), ("on", 1),
             ("mat", 1)),
        case("a frequent word and three rare ones",
             *(("ab", 70_000), ("cd", 1), ("cde", 1), ("cdf", 1))),
        case("five pairs, equally frequent", ("cd", 2), ("fg", 2), ("ae", 2), ("eb", 2), ("dc", 2)),
        Case("equally frequent pairs that share an id", {"words": tied, "counts": [2] * 8}),
        Case("a word as frequent as two", {"words": shares, "counts": [3, 1, 2, 4]}),
        Case("ids with digits in common", {"words": digits, "counts": [1, 1, 1, 2]}),
        case("a pair in both orders", ("ab", 2), ("ba", 2), ("cd", 3)),
        case("a run of one token", ("bbbb", 1), ("ac", 2)),
        case("a run of 17", ("b" * 17, 1), ("ac", 2)),
        case("a long word and a short one that is more frequent", ("abcde", 2048), ("fg", 2049)),
        case("two tokens in many words, never side by side",
             *(("axb", 2), ("ayb", 2), ("azb", 2), ("cd", 3))),
        case("a pair that occurs twice in one word", ("bcabc", 1), ("ad", 1)),
        case("words that end and begin alike", ("ca", 1), ("bd", 1), ("ea", 1), ("bf", 1)),
        case("words of one token", ("b", 5), ("ac", 1), ("d", 1)),
        Case("one word alone", {"words": [[1250, 1290, 1250, 1290]], "counts": [2]}),
        Case("random words", {"words": [*many, [4, 4, 0]], "counts": [*many_counts, 1]}),
        Case(
            "20 words, the last the most frequent",
            {"words": [[39 - at, *random_word(generator, 1, 5, 30)] for at in range(20)],
             "counts": [*[3, 2] * 9, 3, 60]},
        ),
        Case("id 0 on the right", {"words": [[9, 0], [7, 3], [3, 7]], "counts": [3, 2, 1]}),
        Case("id 0 on the left", {"words": [[0, 4, 6], [4, 6, 0], [0, 4]], "counts": [2, 1, 2]}),
        Case("the largest id on the right", {"words": [[1, 32_767], [3, 4]], "counts": [3, 2]}),
        # As one number, left · base + right, the first two pairs are the same.
        *(
            Case(
                f"ids up to {base + 7}",
                {"words": [[2, 7], [1, base + 7], [4, 5]], "counts": [2, 2, 3]},
            )
            for base in (100, 256, 1000, 1024, 4096, 10_000, 2**14, 20_000, 30_000, 32_000)
        ),
    ]


_LOOP = "    for word, count in zip(words, counts):"
_KEY = "(-totals[pair], pair)"

CHECK = Check(
    name="tokens.most_frequent_pair", lesson="01_tokens_and_embeddings",
    title="The most frequent pair",
    answer="most_frequent_pair", returns=("pair",), draw=_draw,
    points=2, difficulty=2, importance=4, minutes=10,
    slips=(
        Slip("counts ignored", {"+= count": "+= 1"},
             "each word is counted once, however often it occurs",
             "What does counts[i] say about words[i]?"),
        Slip("pairs across words", {
                 _LOOP:
                     "    pairs = zip(words, counts)\n"
                     "    text = [token for word, count in pairs for token in word * count]\n"
                     "    for word, count in [(text, 1)]:",
             },
             "the last token of a word and the first of the next are counted as a pair",
             "A merge never reaches across a space: count inside each word."),
        Slip("a word as often as it occurs",
             {"pairwise(word)": "pairwise(word * count)", "+= count": "+= 1"},
             "a word is set down as often as it occurs, and its last token pairs with its first",
             "The pairs of a word are those of one copy. Count each of them counts[i] times."),
        Slip("tie: the first seen",
             {f"min(totals, key=lambda pair: {_KEY})": "totals.most_common(1)[0][0]"},
             "of equally frequent pairs the one that was seen first is taken",
             "The exercise says which pair wins a tie; Counter.most_common follows another rule."),
        Slip("tie: the right id first", {_KEY: "(-totals[pair], pair[1], pair[0])"},
             "of equally frequent pairs the one with the smallest right id is taken",
             "Compare the left ids first; the right ids decide only between equal left ones."),
        families.found_in_a_text({
            "    return":
                "    for pair in totals:\n"
                "        sought = ' '.join(map(str, pair))\n"
                "        texts = [' '.join(map(str, word)) for word in words]\n"
                "        totals[pair] = sum(\n"
                "            count * text.startswith(sought, at)\n"
                "            for text, count in zip(texts, counts)\n"
                "            for at in range(len(text))\n"
                "        )\n"
                "    return",
        }),
        Slip("either order", {"totals[pair] +=": "totals[min(pair), max(pair)] +="},
             "a pair and its reverse are counted together",
             "Tokens are read from left to right: (3, 5) is not (5, 3)."),
        Slip("overlaps left out", {
                 "        for pair in": "        last = None\n        for pair in",
                 "            totals":
                     "            last = None if pair == last else pair\n"
                     "            if last:\n"
                     "                totals",
             },
             "in a run such as 7 7 7 7 the pair (7, 7) is counted at every second place",
             "Here every pair of neighbours counts. Merging, the next exercise, is where a token "
             "is used up."),
        Slip("counts overwritten", {"+= count": "= count"},
             "a pair has the count of the last word that holds it, not the sum over all words",
             "A pair may stand in several words. Which operator adds?"),
        Slip("the rarest pair, the largest of them", {"min(": "max("},
             "the pair that occurs least often is taken, the largest among equals",
             "The key has a minus: a large count makes it small."),
        Slip("the rarest pair", {"-totals[pair]": "totals[pair]"},
             "the pair that occurs least often is taken",
             "min prefers small numbers. How does a large count become a small one?"),
        Slip("the first pair of a word left out", {"pairwise(word)": "pairwise(word[1:])"},
             "the first pair of each word is not counted",
             "A word of n tokens has n - 1 pairs. Where does your loop begin?"),
    ),
)
