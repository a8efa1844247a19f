def nested_lists(real, num_heads, queries):
    rows = [[not token for token in sentence] for sentence in real.tolist()]
    return [[row] * queries for row in rows for _ in range(num_heads)]


STYLES = {"heads.pytorch_mask": (nested_lists,)}
