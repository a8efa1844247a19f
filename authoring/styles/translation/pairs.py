from itertools import zip_longest

import numpy as np


def by_columns(sources, targets, start_id, end_id, padding_id):
    """Columns first, then transposed."""
    columns = (
        zip_longest(*([*words, end_id] for words in sources), fillvalue=padding_id),
        zip_longest(*([start_id, *words] for words in targets), fillvalue=padding_id),
        zip_longest(*([*words, end_id] for words in targets), fillvalue=padding_id),
    )
    return tuple(np.array(list(part)).T for part in columns)


STYLES = {"translation.pairs": (by_columns,)}
