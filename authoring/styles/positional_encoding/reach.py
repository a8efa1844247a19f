def text_by_text(correct, trained, num_words):
    rows = [row[trained:] for row in correct.tolist()]
    shares = [sum(place) / len(rows) for place in zip(*rows, strict=True)]
    chance = 1 / num_words
    bar, length = chance + 2 * (chance * (1 - chance) / len(rows)) ** 0.5, trained
    while length - trained < len(shares) and shares[length - trained] > bar:
        length += 1
    return sum(shares) / len(shares), length


STYLES = {"positions.reach": (text_by_text,)}
