import numpy as np


def numpy_outer(num_heads, query_positions, key_positions):
    power = 2 ** int(np.log2(num_heads))
    steps = np.concatenate((np.arange(1, power + 1), np.arange(0.5, power, 1.0)))[:num_heads]
    distance = np.abs(np.subtract.outer(query_positions.numpy(), key_positions.numpy()))
    return np.multiply.outer(-(2.0 ** (-8 * steps / power)), distance)


STYLES = {"positions.alibi": (numpy_outer,)}
