"""Writes how PyTorch trains small models: python3 curves.py [SEED] > curves.tar

For each model: NAME.safetensors, its state_dict before the first step, and NAME.run.safetensors, the inputs x0, x1, …, each with
a batch for every one of BATCHES along its first axis, and the loss of each of 100 steps, in float32 and within autocast. All
numbers are float32.
"""
import io
import math
import sys
import tarfile

import torch
from safetensors.torch import save
from torch import nn
from torch.nn import functional as F

STEPS, BATCHES = 100, 4
torch.manual_seed(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
torch.set_num_threads(1)
tar = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")


def put(name, tensors):
    data = save({k: v.contiguous() for k, v in tensors.items()})
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def curve(name, model, optimizer, *xs):
    """The last of xs are the labels."""
    first = {k: v.clone() for k, v in model.state_dict().items()}
    put(name + ".safetensors", first)

    def losses(lowered):
        model.load_state_dict(first)
        opt = optimizer(model.parameters())
        for step in range(STEPS):
            *batch, label = [x[step % BATCHES] for x in xs]
            with torch.autocast("cpu", torch.bfloat16, enabled=lowered):
                logits = model(*batch)
                value = F.cross_entropy(logits.flatten(0, -2), label.flatten())
            opt.zero_grad()
            value.backward()
            opt.step()
            yield value.detach()

    put(name + ".run.safetensors", {
        "losses": torch.stack([*losses(False)]), "autocast": torch.stack([*losses(True)]),
        **{f"x{i}": x for i, x in enumerate(xs)}})


def labels(classes, *shape):
    return torch.randint(0, classes, (BATCHES, *shape))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(8, 16), nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x):
        return self.fc3(torch.tanh(self.fc2(F.relu(self.fc1(x)))))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.norm2 = nn.Conv2d(4, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.fc1, self.fc2 = nn.Linear(32, 16), nn.Linear(16, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


class ResNetBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(2, 6, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(6)
        self.conv2, self.bn2 = nn.Conv2d(6, 6, 3, padding=1, bias=False), nn.BatchNorm2d(6)
        self.shortcut = nn.Sequential(nn.Conv2d(2, 6, 1, stride=2, bias=False), nn.BatchNorm2d(6))
        self.fc = nn.Linear(6, 4)

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return self.fc(F.relu(y + self.shortcut(x)).mean((2, 3)))


def positions(x):
    t, width = x.shape[-2:]
    place, rate = torch.arange(t)[:, None], torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    return x + torch.stack([torch.sin(place * rate), torch.cos(place * rate)], -1).flatten(1)


layer = dict(d_model=16, nhead=2, dim_feedforward=32, dropout=0.0, batch_first=True)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(12, 16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**layer), 2)
        self.head = nn.Linear(16, 12)

    def forward(self, tokens):
        return self.head(self.encoder(positions(self.embed(tokens))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.source, self.embed = nn.Embedding(12, 16), nn.Embedding(12, 16)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(norm_first=True, **layer), 2, norm=nn.LayerNorm(16))
        self.head = nn.Linear(16, 12)

    def forward(self, source, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.head(self.decoder(positions(self.embed(tokens)), self.source(source), tgt_mask=mask))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.rnn, self.head = kind(4, 12, batch_first=True), nn.Linear(12, 4)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


curve("mlp", MLP(), lambda p: torch.optim.SGD(p, 0.1, momentum=0.9), torch.randn(BATCHES, 16, 8), labels(4, 16))
curve("lenet", LeNet(), lambda p: torch.optim.Adam(p, 3e-3), torch.randn(BATCHES, 16, 1, 8, 8), labels(4, 16))
curve("resnet block", ResNetBlock(), lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True), torch.randn(BATCHES, 16, 2, 8, 8), labels(4, 16))
curve("encoder", Encoder(), lambda p: torch.optim.AdamW(p, 1e-3), labels(12, 8, 6), labels(12, 8, 6))
curve("decoder", Decoder(), lambda p: torch.optim.AdamW(p, 1e-3), labels(12, 8, 5), labels(12, 8, 6), labels(12, 8, 6))
curve("lstm", Recurrent(nn.LSTM), lambda p: torch.optim.Adam(p, 3e-3), torch.randn(BATCHES, 8, 9, 4), labels(4, 8, 9))
curve("gru", Recurrent(nn.GRU), lambda p: torch.optim.Adam(p, 3e-3), torch.randn(BATCHES, 8, 9, 4), labels(4, 8, 9))
tar.close()
