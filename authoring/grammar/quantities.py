"""Numbers and quantities, the frequent ones first."""

from authoring.grammar.lexicon import Menu

NUMBERS = {
    "two": "deux",
    "three": "trois",
    "four": "quatre",
    "five": "cinq",
    "ten": "dix",
    "six": "six",
    "eight": "huit",
    "seven": "sept",
    "twelve": "douze",
    "twenty": "vingt",
    "nine": "neuf",
    "eleven": "onze",
    "fifteen": "quinze",
    "thirty": "trente",
    "fifty": "cinquante",
    "a hundred": "cent",
    "fourteen": "quatorze",
    "twenty-one": "vingt et un",
    "sixteen": "seize",
    "forty": "quarante",
    "eighty": "quatre-vingts",
    "seventy": "soixante-dix",
    "thirteen": "treize",
    "twenty-two": "vingt-deux",
    "ninety": "quatre-vingt-dix",
    "a thousand": "mille",
    "sixty": "soixante",
    "seventeen": "dix-sept",
    "thirty-one": "trente et un",
    "seventy-five": "soixante-quinze",
    "eighty-one": "quatre-vingt-un",
    "ninety-six": "quatre-vingt-seize",
}
NUMBER_MENU = Menu(list(NUMBERS.items()), 1.0)
QUANTITIES = Menu(
    [
        ("many", "beaucoup de"),
        ("several", "plusieurs"),
        ("a few", "quelques"),
        ("a lot of", "beaucoup de"),
        ("too many", "trop de"),
        ("enough", "assez de"),
    ],
    0.7,
)
LITTLE = Menu(
    [
        ("a little", "un peu de"),
        ("a lot of", "beaucoup de"),
        ("too much", "trop de"),
        ("enough", "assez de"),
    ],
    0.7,
)
SMALL = Menu(["two", "three", "four", "five", "six", "ten"], 1.0)
AGES = [number for number in NUMBERS.items() if not number[0].startswith("a ")]
