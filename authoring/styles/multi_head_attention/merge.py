import numpy as np


def merge_in_numpy(heads):
    return np.concatenate(list(heads.numpy().swapaxes(0, 1)), axis=-1)


STYLES = {"heads.merge": (merge_in_numpy,)}
