"""tokens.merge: one merge of byte-pair encoding."""

import torch
from torch import Generator

from transformer_checks.catalogue import families
from transformer_checks.catalogue.tokens_and_embeddings.letters import alphabet, random_word, spell
from transformer_checks.checks.cases import Case
from transformer_checks.checks.exercise import Check, Slip


def _draw(generator: Generator) -> list[Case]:
    def case(label: str, word: str, pair: str) -> Case:
        letters = "".join(sorted({*word, *pair}))
        ids = alphabet(generator, letters)
        left, right = spell(pair, ids)
        new_id = 40 + int(torch.randint(20, (1,), generator=generator))
        return Case(label,
                    {"ids": spell(word, ids), "left": left, "right": right, "new_id": new_id})

    return [
        case("the pair at the end", "cat", "at"),
        case("the pair at the beginning", "atlas", "at"),
        case("the pair twice", "theothe", "th"),
        case("the two tokens in the wrong order too", "baabba", "ab"),
        case("both tokens, but never side by side", "axbxa", "ab"),
        case("a run of three", "baaac", "aa"),
        case("a run of four", "aaaa", "aa"),
        case("a run of five", "caaaaab", "aa"),
        case("one token", "a", "aa"),
        case("no token", "", "ab"),
        case("the pair alone", "ab", "ab"),
        Case("twenty random tokens",
             {"ids": random_word(generator, 20, 20, 3), "left": 1, "right": 1, "new_id": 3}),
        Case("a new id below the others",
             {"ids": [21, 5, 7, 21, 5], "left": 21, "right": 5, "new_id": 3}),
        Case("ids of two digits that hold the digits of the pair",
             {"ids": [21, 5, 1, 52, 1, 5], "left": 1, "right": 5, "new_id": 60}),
        Case("token 0 at both ends, and beside itself",
             {"ids": [0, 7, 0, 0, 7, 0], "left": 0, "right": 0, "new_id": 8}),
        Case("ids of a large vocabulary",
             {"ids": [128_000, 340, 127_999], "left": 340, "right": 127_999, "new_id": 128_001}),
        Case("the new id 0", {"ids": [4, 9, 2, 4, 9], "left": 4, "right": 9, "new_id": 0}),
        Case("neither token of the pair", {"ids": [4, 9, 4], "left": 5, "right": 7, "new_id": 8}),
        Case("a run of 301", {"ids": [5] * 301, "left": 5, "right": 5, "new_id": 6}),
    ]


_FOUND = "ids[at : at + 2] == [left, right]"
_APPENDED = "        merged.append(new_id if found else ids[at])\n"
_STEP = "at += 2 if found else 1"

CHECK = Check(
    name="tokens.merge", lesson="01_tokens_and_embeddings", title="One merge",
    answer="merge", returns=("ids",), draw=_draw,
    points=1, difficulty=2, importance=4, minutes=8,
    slips=(
        families.found_in_a_text({
            "    return merged":
                "    text = ' '.join(map(str, ids)).replace(f'{left} {right}', str(new_id))\n"
                "    return [int(token) for token in text.split()]",
        }),
        Slip("a token used twice", {
                 _APPENDED:
                     "        if found or ids[at - 1 : at + 1] != [left, right]:\n"
                     f"    {_APPENDED}",
                 _STEP: "at += 1",
             },
             "in a run of three the middle token is used for two merges",
             "After a merge, go on after the token that was used up."),
        Slip("from the right", {
                 "    merged, at":
                     "    ids, left, right = ids[::-1], right, left\n    merged, at",
                 "return merged": "return merged[::-1]",
             },
             "a run is merged from the right: 7 7 7 becomes 7 and the new token",
             "Read from left to right, and merge as soon as you see the pair."),
        Slip("only the first", {_FOUND: f"{_FOUND} and new_id not in merged"},
             "only the first occurrence is merged", "A merge applies wherever the pair occurs."),
        Slip("either order", {"== [left, right]": "in ([left, right], [right, left])"},
             "the reverse of the pair is merged too", "(left, right) is a pair in this order."),
        Slip("the last token lost", {"len(ids)": "len(ids) - 1"},
             "a last token that is not merged is lost",
             "How far does your loop run? The last token has no right neighbour, "
             "but it belongs to the result."),
        Slip("the last token always added",
             {"len(ids)": "len(ids) - 1", "return merged": "return merged + ids[-1:]"},
             "the last token is added always, also where a merge has used it up",
             "If the word ends in the pair, what is left behind the new token?"),
        Slip("the right token kept", {_STEP: "at += 1"},
             "the left token is replaced, and the right one is still there",
             "The new token stands for both."),
        Slip("neighbours not required", {
                 _FOUND: "ids[at] == left",
                 _STEP: "at += 1",
                 "return merged": "return [token for token in merged if token != right]",
             },
             "tokens that do not stand side by side are replaced",
             "Look at two places at once: at and at + 1."),
        Slip("a whole run at once", {
                 _STEP:
                     f"{_STEP}\n"
                     "        while found and ids[at : at + 1] == [left] == [right]:\n"
                     "            at += 1",
             },
             "a run of equal tokens becomes one token, however long it is",
             "One merge makes one token of two; four equal tokens become two."),
    ),
)
