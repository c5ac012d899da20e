"""Writes vision models with random weights as ONNX files, for onnxfiles and broadloom check: FOLDER/MODEL/model.onnx.

usage: python3 export_timm.py FOLDER [MODEL ...]

Needs torch, timm and onnx. Without names it takes one small model of each family of timm. The size of the batch has the
name batch. What torch.onnx cannot export is reported and left out.
"""
import contextlib
import io
import os
import pathlib
import sys
import warnings

import timm
import torch

# Small variants come first.
SMALL = ["tiny", "nano", "pico", "femto", "atto", "micro", "xxs", "xx_small", "xs", "x_small", "small", "_s", "mini", "b0",
         "18", "21", "50", "26"]
MOST_WEIGHTS = 40_000_000


def families():
    """One model of each family: the first one that is small and has a small name."""
    of = {}
    for name in timm.list_models():
        of.setdefault(timm.models._registry._model_to_module[name], []).append(name)

    def rank(name):
        return next((i for i, part in enumerate(SMALL) if part in name), len(SMALL)), len(name)

    return [min(names, key=rank) for names in of.values()]


@contextlib.contextmanager
def silence():
    """Drops what is written to standard output: whole graphs, where an export fails."""
    saved = os.dup(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    try:
        yield
    finally:
        os.dup2(saved, 1)
        os.close(saved)


def export(name, folder):
    """Writes a model. Batch normalization gets statistics of its own, so that it does something."""
    with torch.device("meta"):
        if sum(p.numel() for p in timm.create_model(name).parameters()) > MOST_WEIGHTS:
            raise ValueError("more than 40 million weights")
    torch.manual_seed(0)
    model = timm.create_model(name).eval()
    for module in model.modules():
        if getattr(module, "running_var", None) is not None:
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.7, 1.3)
    config = model.pretrained_cfg
    size = config.get("input_size", (3, 224, 224))
    if size[1] > 256 and not config.get("fixed_input_size", False):
        size = (3, 224, 224)
    file = io.BytesIO()
    with torch.no_grad(), silence():
        torch.onnx.export(model, (torch.randn(2, *size),), file, input_names=["image"], output_names=["logits"],
                          dynamic_axes={"image": {0: "batch"}}, opset_version=17)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(file.getvalue())


def main(to, *names):
    warnings.filterwarnings("ignore")
    for name in names or families():
        try:
            export(name, pathlib.Path(to, name))
        except Exception as error:
            print(f"{name} is left out: {str(error).strip().splitlines()[0][:120]}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
