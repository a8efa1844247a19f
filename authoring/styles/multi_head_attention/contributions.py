def sum_over_numbers(heads, w_output):
    blocks = w_output.reshape(heads.shape[1], 1, heads.shape[3], -1).double()
    return (heads.double().unsqueeze(-1) * blocks).sum(-2)


STYLES = {"heads.contributions": (sum_over_numbers,)}
