import numpy as np


def with_numpy(output, d_output, axis=-1):
    products = output.numpy().astype(np.float64) * d_output.numpy()
    return np.add.reduce(products, axis=axis).astype(np.float32)


STYLES = {"flash.row_term": (with_numpy,)}
