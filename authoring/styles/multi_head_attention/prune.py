import torch


def heads_as_an_axis(w_value, w_output, num_heads, kept):
    columns = w_value.unflatten(1, (num_heads, -1))[:, kept].flatten(1)
    return [columns, w_output.unflatten(0, (num_heads, -1))[kept].flatten(0, 1)]


def by_selecting_matrix(w_value, w_output, num_heads, kept):
    chosen = torch.eye(num_heads)[kept]
    select = torch.kron(chosen, torch.eye(w_value.shape[1] // num_heads))
    return w_value @ select.T, select @ w_output


def column_by_column(w_value, w_output, num_heads, kept):
    columns, rows = [], []
    width = len(w_output) // num_heads
    for head in kept:
        for number in range(width):
            columns.append(w_value[:, head * width + number])
            rows.append(w_output[head * width + number])
    return torch.stack(columns, dim=1), torch.stack(rows)


STYLES = {"heads.prune": (heads_as_an_axis, by_selecting_matrix, column_by_column)}
