def sentence_by_sentence(before, other, patched):
    shares = []
    for leads in patched.tolist():
        gone = whole = 0.0
        for start, end, now in zip(before.tolist(), other.tolist(), leads, strict=True):
            if end > start:
                gone, whole = gone + now - start, whole + end - start
            elif end < start:
                gone, whole = gone + start - now, whole + start - end
        shares.append(gone / whole)
    return shares


STYLES = {"inside.share_carried": (sentence_by_sentence,)}
