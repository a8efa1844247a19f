def heads_as_an_axis(w_value, w_output, num_heads, kept):
    columns = w_value.unflatten(1, (num_heads, -1))[:, kept].flatten(1)
    return [columns, w_output.unflatten(0, (num_heads, -1))[kept].flatten(0, 1)]


STYLES = {"heads.prune": (heads_as_an_axis,)}
