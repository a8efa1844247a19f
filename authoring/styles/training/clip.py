import torch


def by_pytorch(matrix, bias, max_norm):
    parameters = [torch.nn.Parameter(torch.zeros_like(part)) for part in (matrix, bias)]
    for parameter, gradient in zip(parameters, (matrix, bias), strict=True):
        parameter.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    first, second = (parameter.grad for parameter in parameters)
    return first, second, norm


STYLES = {"training.clip": (by_pytorch,)}
