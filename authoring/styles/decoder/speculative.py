def in_plain_python(p, q, guessed, random, last):
    """Word by word, place by place."""
    model, draft = p.tolist(), q.tolist()
    tokens = []
    due = model[-1]
    for place, (word, number) in enumerate(zip(guessed.tolist(), random.tolist(), strict=True)):
        if number * draft[place][word] >= model[place][word]:
            due = [max(0.0, a - b) for a, b in zip(model[place], draft[place], strict=True)]
            break
        tokens.append(word)
    running, total = 0.0, sum(due)
    for word, weight in enumerate(due):
        running += weight / total
        if running > last:
            tokens.append(word)
            break
    average, chance = 1.0, 1.0
    for ours, theirs in zip(model, draft, strict=False):
        chance *= sum(map(min, ours, theirs))
        average += chance
    return tokens, average


STYLES = {"decoder.speculative": (in_plain_python,)}
