def by_appending(
    documents, document, sentence, coin, other_document, other_sentence, cls_id, sep_id
):
    tokens, segments = [cls_id], [0]
    follows = True if coin < 0.5 else False  # noqa: SIM210
    if not follows and other_document == document:
        other_document = 0 if document == len(documents) - 1 else document + 1
    away = documents[other_document]
    while other_sentence >= len(away):
        other_sentence -= len(away)
    b = documents[document][sentence + 1] if follows else away[other_sentence]
    for segment, part in enumerate((documents[document][sentence], b)):
        for token in part:
            tokens.append(token)
            segments.append(segment)
        tokens.append(sep_id)
        segments.append(segment)
    return tokens, segments, (float(follows) == 1.0 and 1) or 0


STYLES = {"bert.pair": (by_appending,)}
