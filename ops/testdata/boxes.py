"""Writes boxes.json: torchvision 0.21's functions of boxes on random operands, in float64, and the gradients of the sum of the first
result's elements times 1, 2, … 7, 1, … with respect to floating-point operands. It needs torch and torchvision:
python3 boxes.py > boxes.json. With two numbers, a seed and a count, that many random cases of each function are written."""
import json, math, random, sys
import torch
from torchvision import ops

seed, count = (int(a) for a in (sys.argv[1:] + ["7", "2"][len(sys.argv) - 1 :]))
rng = random.Random(seed)
torch.manual_seed(seed)
torch.set_default_dtype(torch.float64)
cases = []


def text(t):
    """A tensor with words for what JSON lacks."""
    flat = t.detach().reshape(-1).tolist()
    return {"shape": list(t.shape), "whole": not t.is_floating_point(), "data": [v if not isinstance(v, float) or math.isfinite(v) else str(v).replace("inf", "Inf").replace("nan", "NaN") for v in flat]}


def case(call, f, operands, grads=True, **args):
    operands = [o.clone().requires_grad_(grads and o.is_floating_point()) for o in operands]
    try:
        out = f(*operands)
    except ValueError:  # an aligned box that is turned round has fewer samples than none
        return
    row = {"call": call, "args": args, "in": [text(o) for o in operands], "out": text(out)}
    if grads:
        w = (torch.arange(out.numel()) % 7 + 1).to(out.dtype).reshape(out.shape)
        g = torch.autograd.grad((out * w).sum(), [o for o in operands if o.requires_grad], allow_unused=True)
        row["grads"] = [text(torch.zeros(0) if v is None else v) for v in g]
    cases.append(row)


def boxes(n, size=4.0, odd=0.15):
    b = torch.rand(n, 4) * size
    b[:, 2:] = b[:, :2] + torch.rand(n, 2) * size * 0.8
    for i in range(n):
        if rng.random() < odd:
            k = rng.randrange(4)
            if k == 0:
                b[i, 2:] = b[i, :2]  # empty
            elif k == 1:
                b[i] = b[i, [2, 3, 0, 1]]  # turned round
            elif k == 2:
                b[i] = torch.round(b[i])
            else:
                b[i, rng.randrange(4)] = rng.choice([float("nan"), -3.0, 20.0])
    return b


def pick(*of):
    return rng.choice(of)


for _ in range(count):
    n, m = pick(1, 2, 3, 4), pick(1, 2, 3)
    for name in ["box_iou", "generalized_box_iou", "distance_box_iou", "complete_box_iou"]:
        case(name, getattr(ops, name), [boxes(n), boxes(m)])
    for name in ["generalized_box_iou_loss", "distance_box_iou_loss", "complete_box_iou_loss"]:
        red = pick("none", "sum", "mean")
        case(name, lambda a, b: getattr(ops, name)(a, b, reduction=red), [boxes(n), boxes(n)], reduction=red)
    case("box_area", ops.box_area, [boxes(n)])
    for a in ["xyxy", "xywh", "cxcywh"]:
        b = pick("xyxy", "xywh", "cxcywh")
        case("box_convert", lambda x: ops.box_convert(x, a, b), [boxes(n)], **{"from": a, "to": b})
    h, w = rng.randint(0, 5), rng.randint(0, 5)
    case("clip_boxes_to_image", lambda x: ops.clip_boxes_to_image(x, (h, w)), [boxes(n)], height=h, width=w)
    n = pick(0, 1, 2, 5, 20)
    scores = torch.rand(n) if rng.random() < 0.7 else torch.randint(0, 4, (n,)) / 4.0
    for t in (0.0, 0.3, 0.5, 1.0):
        b = boxes(n, odd=0.1)
        case("nms", lambda x, s: ops.nms(x, s, t), [b, scores], False, threshold=t)
        c = torch.randint(0, 3, (n,))
        case("batched_nms", lambda x, s, c: ops.boxes._batched_nms_vanilla(x, s, c, t) if n else ops.batched_nms(x, s, c, t), [b, torch.rand(n), c], False, threshold=t)
    images, channels, h, w, k = pick(1, 2), pick(1, 3), rng.randint(1, 6), rng.randint(1, 6), pick(0, 1, 3)
    for name in ["roi_align", "roi_align", "roi_align", "roi_pool"]:
        x = torch.randn(images, channels, h, w)
        if name == "roi_pool" and rng.random() < 0.3:
            x = torch.round(x)
        scale, ph, pw, samples, aligned = pick(1.0, 0.5, 1.3), rng.randint(1, 3), rng.randint(1, 3), pick(0, 0, 1, 2, 3), rng.random() < 0.5
        b = boxes(k, 6.0, 0.3)
        b = torch.where(torch.isnan(b), torch.zeros(()), b)
        if name == "roi_pool":
            b = pick(b, torch.round(b * 2) / 2 / scale)
        batch = torch.randint(0, images, (k,))
        rois = lambda b, i: torch.cat([i[:, None].to(b.dtype), b], 1)
        if name == "roi_align":
            case(name, lambda x, b, i: ops.roi_align(x, rois(b, i), (ph, pw), scale, samples or -1, aligned), [x, b, batch], height=ph, width=pw, scale=scale, samples=samples, aligned=aligned)
        else:
            case(name, lambda x, b, i: ops.roi_pool(x, rois(b, i), (ph, pw), scale), [x, b, batch], height=ph, width=pw, scale=scale)
for samples, aligned in [(0, False), (0, True), (40, True)]:  # boxes of which little lies in the image
    x, b = torch.randn(2, 2, 5, 4), torch.tensor([[-60.0, -1.5, 90.0, 3.2], [1.2, -200.0, 2.4, 3.0], [2.0, 3.0, 150.0, 77.7]])
    if samples:
        b[0] = b[0, [2, 3, 0, 1]]
    batch = torch.randint(0, 2, (3,))
    case("roi_align", lambda x, b, i: ops.roi_align(x, torch.cat([i[:, None].to(b.dtype), b], 1), (2, 3), 1.0, samples or -1, aligned), [x, b, batch], height=2, width=3, scale=1.0, samples=samples, aligned=aligned)
print("[" + ",\n".join(json.dumps(c) for c in cases) + "]")
