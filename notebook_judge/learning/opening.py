"""What JupyterLab's server does with a notebook that a learner opens."""

from typing import Any

from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import NoSuchKernel, get_kernel_spec
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

KERNEL = "python3"  # the one that the notebooks of the course name


class CourseContents(AsyncLargeFileManager):
    """Files on disk, but a notebook says from the start which kernel runs it.

    When the kernel starts, JupyterLab writes its name and Python's version into the notebook, and
    marks it as changed where others stood there. The notebooks of the course hold no version, since
    that differs from machine to machine; here it is filled in before JupyterLab sees them.
    """

    async def get(self, path: str, content: bool = True, *options: Any, **named: Any) -> Any:
        """Return the model of a file or folder."""
        model = await super().get(path, content, *options, **named)
        if content and model["type"] == "notebook":
            _name_kernel(model["content"]["metadata"])
        return model


def _name_kernel(metadata: dict[str, Any]) -> None:
    """Write into a notebook's metadata what JupyterLab writes there when the kernel has started."""
    if metadata.get("kernelspec", {}).get("name") != KERNEL:
        return
    try:
        spec = get_kernel_spec(KERNEL)
    except NoSuchKernel:
        return  # JupyterLab asks for another one
    metadata["kernelspec"] = {
        "name": KERNEL,
        "display_name": spec.display_name,
        "language": spec.language,
    }
    metadata["language_info"] = dict(IPythonKernel.language_info)
