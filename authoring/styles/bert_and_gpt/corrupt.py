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


STYLES = {"bert.corrupt": (token_by_token,)}
