from functools import partial

import torch


def token_by_token(tokens, choose, how, replacements, mask_id, first_word, padding_id):
    reads, asked = tokens.clone(), torch.full_like(tokens, padding_id)
    for row in range(tokens.shape[0]):
        for place in range(tokens.shape[1]):
            token = int(tokens[row, place])
            if token < first_word or choose[row, place] >= 0.15:
                continue
            asked[row, place] = token
            if how[row, place] < 0.8:
                reads[row, place] = mask_id
            elif how[row, place] < 0.9:
                reads[row, place] = replacements[row, place]
    return reads, asked


def by_masked_fill(tokens, choose, how, replacements, mask_id, first_word, padding_id):
    special = tokens.lt(first_word)
    left_alone = torch.logical_or(special, choose.ge(0.15))
    masked = how.lt(0.8).logical_and(~left_alone)
    kept = left_alone | how.ge(0.9)
    reads = torch.where(kept, tokens, replacements).masked_fill(masked, mask_id)
    return reads, tokens.masked_fill(left_alone, padding_id)


def _by_arithmetic(shares, tokens, choose, how, replacements, mask_id, first_word, padding_id):
    chosen = ((choose < 0.15) * (tokens >= first_word)).long()
    masked = chosen * (how < shares[0])
    replaced = chosen * (how < sum(shares)) - masked
    reads = tokens + masked * (mask_id - tokens) + replaced * (replacements - tokens)
    return [reads, chosen * tokens + (1 - chosen) * padding_id]


STYLES = {"bert.corrupt": (token_by_token, by_masked_fill, partial(_by_arithmetic, (0.8, 0.1)))}
