"""tokens.most_frequent_pair: the count that byte-pair encoding starts from."""

import torch
from torch import Generator

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
        case(
            "the six words of the lesson", ("the", 2), ("cat", 1), ("sat", 1), ("on", 1), ("mat", 1)
        ),
        case("a frequent word and three rare ones", ("ab", 5), ("cd", 1), ("cde", 1), ("cdf", 1)),
        case("five pairs, equally frequent", ("cd", 2), ("fg", 2), ("ae", 2), ("eb", 2), ("dc", 2)),
        Case("equally frequent pairs that share an id", {"words": tied, "counts": [2] * 8}),
        Case("a word as frequent as two", {"words": shares, "counts": [3, 1, 2, 4]}),
        Case("ids with digits in common", {"words": digits, "counts": [1, 1, 1, 2]}),
        case("a pair in both orders", ("ab", 2), ("ba", 2), ("cd", 3)),
        case("a run of one token", ("bbbb", 1), ("ac", 2)),
        case("a run of seven", ("bbbbbbb", 1), ("ac", 2)),
        case("a long word and a short one that is more frequent", ("abcde", 2048), ("fg", 2049)),
        case(
            "two tokens in many words, never side by side",
            *(("axb", 2), ("ayb", 2), ("azb", 2), ("cd", 3)),
        ),
        case("a pair that occurs twice in one word", ("bcabc", 1), ("ad", 1)),
        case("words that end and begin alike", ("ca", 1), ("bd", 1), ("ea", 1), ("bf", 1)),
        case("words of one token", ("b", 5), ("ac", 1), ("d", 1)),
        Case("one word alone", {"words": [[1250, 1290, 1250, 1290]], "counts": [2]}),
        Case("random words", {"words": [*many, [4, 4, 0]], "counts": [*many_counts, 1]}),
        Case(
            "20 words, the last the most frequent",
            {
                "words": [[39 - at, *random_word(generator, 1, 5, 30)] for at in range(20)],
                "counts": [*[3, 2] * 9, 3, 60],
            },
        ),
        Case("id 0 on the right", {"words": [[9, 0], [7, 3], [3, 7]], "counts": [3, 2, 1]}),
        Case("id 0 on the left", {"words": [[0, 4, 6], [4, 6, 0], [0, 4]], "counts": [2, 1, 2]}),
    ]


_LOOP = "    for word, count in zip(words, counts):"
_KEY = "(-totals[pair], pair)"

# fmt: off
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
        Slip("tie: the first in sorted words", {
                 "zip(words, counts)": "sorted(zip(words, counts))",
                 f"min(totals, key=lambda pair: {_KEY})": "totals.most_common(1)[0][0]",
             },
             "of equally frequent pairs the one that is seen first in the sorted words is taken",
             "Sorting the words does not sort the pairs: a small one may stand inside a word."),
        Slip("tie: the last seen",
             {f"min(totals, key=lambda pair: {_KEY})": "max(reversed(totals), key=totals.get)"},
             "of equally frequent pairs the one that was seen last is taken",
             "The exercise says which pair wins a tie. Does >= stand where > should?"),
        Slip("tie: the largest", {"min(": "max(", "-totals": "totals"},
             "of equally frequent pairs the largest is taken",
             "max on (count, pair) prefers large ids. How do you make a large count come first "
             "and a small pair too?"),
        Slip("tie: the right id first", {_KEY: "(-totals[pair], pair[1], pair[0])"},
             "of equally frequent pairs the one with the smallest right id is taken",
             "Compare the left ids first; the right ids decide only between equal left ones."),
        Slip("tie: the left id alone", {_KEY: "(-totals[pair], pair[0])"},
             "of equally frequent pairs with the same left id the first seen is taken",
             "Between equal left ids the smallest right id wins."),
        Slip("tie: as texts", {_KEY: "(-totals[pair], str(pair))"},
             "of equally frequent pairs the first in the order of texts is taken: 10 before 9",
             "Ids are numbers: 9 is smaller than 10, and as texts it is the other way round."),
        Slip("found in a text", {
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
             },
             "pairs are sought in a text of digits, and found inside longer numbers too",
             "Ids are numbers: compare those, and no number is part of another."),
        Slip("shares instead of counts", {"+= count": "+= count / sum(counts)"},
             "shares of all words are added, and rounding breaks a tie: 0.1 + 0.2 is not 0.3",
             "Counts are whole numbers, and sums of them are exact. Add those."),
        Slip("either order", {"totals[pair] +=": "totals[min(pair), max(pair)] +="},
             "a pair and its reverse are counted together",
             "Tokens are read from left to right: (3, 5) is not (5, 3)."),
        Slip("once a word", {"pairwise(word)": "set(pairwise(word))"},
             "a pair that occurs twice in one word is counted once",
             "Count occurrences, not words that hold the pair."),
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
        Slip("equal neighbours left out",
             {"            totals": "            if pair[0] != pair[1]:\n                totals"},
             "a token beside its like is not counted as a pair",
             "(7, 7) is a pair like any other: a merge can make one token of it."),
        Slip("counts overwritten", {"+= count": "= count"},
             "a pair has the count of the last word that holds it, not the sum over all words",
             "A pair may stand in several words. Which operator adds?"),
        Slip("the largest count of a word",
             {"totals[pair] += count": "totals[pair] = max(totals[pair], count)"},
             "a pair has its count in the word that is most frequent, not the sum over all words",
             "A pair may stand in several words. Add them up."),
        Slip("the rarest pair, the largest of them", {"min(": "max("},
             "the pair that occurs least often is taken, the largest among equals",
             "The key has a minus: a large count makes it small."),
        Slip("the rarest pair", {"-totals[pair]": "totals[pair]"},
             "the pair that occurs least often is taken",
             "min prefers small numbers. How does a large count become a small one?"),
        Slip("the last pair of a word left out", {"pairwise(word)": "pairwise(word[:-1])"},
             "the last pair of each word is not counted",
             "A word of n tokens has n - 1 pairs. How far does your loop run?"),
        Slip("the first pair of a word left out", {"pairwise(word)": "pairwise(word[1:])"},
             "the first pair of each word is not counted",
             "A word of n tokens has n - 1 pairs. Where does your loop begin?"),
        Slip("the last token before the first", {"pairwise(word)": "zip(word[-1:] + word, word)"},
             "the last token of a word is counted as the left neighbour of its first",
             "word[i - 1] is the last token where i is 0. Where does your loop begin?"),
        Slip("the last token of longer words before the first",
             {"pairwise(word)": "zip(word[-1:] + word, word if word[1:] else [])"},
             "the last token of a word is counted as the left neighbour of its first",
             "word[i - 1] is the last token where i is 0. Where does your loop begin?"),
        Slip("neighbours not required", {
                 "pairwise(word)": "combinations(word, 2)",
                 "def most": "from itertools import combinations\n\n\ndef most",
             },
             "any two tokens of a word are counted as a pair, not only neighbours",
             "A merge joins tokens that stand side by side."),
        Slip("every second pair", {"pairwise(word)": "zip(word[::2], word[1::2])"},
             "only the pairs at even places are counted: (0, 1), (2, 3), …",
             "A word of n tokens has n - 1 pairs."),
        Slip("id 0 left out",
             {"            totals": "            if all(pair):\n                totals"},
             "pairs that hold the id 0 are not counted",
             "0 is an id like any other. Is it what you mark the end of a word with?"),
    ),
    hints=(
        "Two loops: over the words with their counts, and over the neighbours in a word.",
        "`zip(word, word[1:])` gives all neighbours of a word. A Counter can add counts[i] to "
        "each.",
        "min with a key decides ties as well: `key=lambda pair: (-totals[pair], pair)`.",
    ),
)
