"""Operations element by element."""

from base import *


@op
def unary():
    k = rng.choice([k for k in UNARY if k not in ("Trace", "Det", "LogDet", "SlogDet", "Inv", "MatrixExp", "SingularValues")])
    t = pick(*ALL)
    kind = rng.choice([None, "p", "u", "01", "s"])
    case(k, [values(t, sizes(), kind)], UNARY[k])


BINARY = {
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "Pow": torch.pow,
    "Maximum": torch.maximum,
    "Minimum": torch.minimum,
    "Fmax": torch.fmax,
    "Fmin": torch.fmin,
    "Fmod": torch.fmod,
    "Remainder": torch.remainder,
    "FloorDiv": torch.floor_divide,
    "Atan2": torch.atan2,
    "CopySign": torch.copysign,
    "NextAfter": torch.nextafter,
    "Hypot": torch.hypot,
    "LogAddExp": torch.logaddexp,
    "Heaviside": torch.heaviside,
    "XLogY": torch.xlogy,
    "XLog1PY": torch.special.xlog1py,
    "Gcd": torch.gcd,
    "Lcm": torch.lcm,
    "ShiftLeft": torch.bitwise_left_shift,
    "ShiftRight": torch.bitwise_right_shift,
    "BitAnd": torch.bitwise_and,
    "BitOr": torch.bitwise_or,
    "BitXor": torch.bitwise_xor,
    "And": torch.logical_and,
    "Or": torch.logical_or,
    "Xor": torch.logical_xor,
    "Equal": torch.eq,
    "NotEqual": torch.ne,
    "Less": torch.lt,
    "LessEqual": torch.le,
    "Greater": torch.gt,
    "GreaterEqual": torch.ge,
    "Ldexp": torch.ldexp,
}


@op
def binary():
    k = rng.choice(list(BINARY))
    t = pick(*ALL)
    u = t if chance(0.6) else pick(*ALL)
    _, one = pair()
    kind = rng.choice([None, "p", "s", "t"])
    case(k, [values(t, one(), kind), values(u, one(), kind)], BINARY[k])


@op
def ternary():
    k = pick("Where", "AddCDiv", "AddCMul", "Lerp", "IsClose", "MaskedFill")
    _, one = pair()
    t = pick(*ALL)
    u = t if chance(0.7) else pick(*ALL)
    if k == "Where":
        case(k, [values(torch.bool, one()), values(t, one()), values(u, one())], torch.where)
    elif k == "IsClose":
        r, a = pick(1e-5, 0.5, 0.0), pick(0.0, 1e-8, 1.0)
        case(k, [values(t, one()), values(t, one()), r, a], lambda x, y: torch.isclose(x, y, r, a))
    elif k == "MaskedFill":
        case(k, [values(t, base := sizes()), values(torch.bool, base), values(u if chance(0.3) else t, [])], lambda x, m, v: x.masked_fill(m, v))
    else:
        case(k, [values(t, one()), values(u, one()), values(t, one())], {"AddCDiv": torch.addcdiv, "AddCMul": torch.addcmul, "Lerp": torch.lerp}[k])


@op
def scalars():
    t = pick(*ALL)
    x = values(t, sizes())
    lo, hi = rng.choice([-1.0, 0.0, 0.5, 2.0]), rng.choice([0.0, 1.0, 1.5, 3.0])
    a = pick(0.5, 1.0, 2.0, -1.0)
    k = rng.choice(
        [
            "Clamp",
            "ClampMin",
            "ClampMax",
            "Celu",
            "Elu",
            "HardShrink",
            "SoftShrink",
            "HardTanh",
            "LeakyRelu",
            "Threshold",
            "NanToNum",
            "Polygamma",
            "MvLGamma",
        ]
    )
    f = {
        "Clamp": ([lo, hi], lambda x: torch.clamp(x, lo, hi)),
        "ClampMin": ([lo], lambda x: torch.clamp_min(x, lo)),
        "ClampMax": ([hi], lambda x: torch.clamp_max(x, hi)),
        "Celu": ([a], lambda x: F.celu(x, a)),
        "Elu": ([a], lambda x: F.elu(x, a)),
        "HardShrink": ([a], lambda x: F.hardshrink(x, a)),
        "SoftShrink": ([a], lambda x: F.softshrink(x, a)),
        "HardTanh": ([lo, hi], lambda x: F.hardtanh(x, lo, hi)),
        "LeakyRelu": ([a], lambda x: F.leaky_relu(x, a)),
        "Threshold": ([a, hi], lambda x: F.threshold(x, a, hi)),
        "NanToNum": ([a, hi, lo], lambda x: torch.nan_to_num(x, a, hi, lo)),
    }
    if k in ("Clamp", "ClampMin", "ClampMax", "HardTanh", "Threshold", "NanToNum") and not isf(t):
        lo, hi, a = float(rng.randint(-2, 2)), float(rng.randint(2, 4)), 1.0
    if k in ("Clamp", "ClampMin", "ClampMax", "HardTanh", "Threshold", "NanToNum") and not isf(t):
        l, h = int(lo), int(hi)
        f.update(
            {
                "Clamp": ([lo, hi], lambda x: torch.clamp(x, l, h)),
                "ClampMin": ([lo], lambda x: torch.clamp_min(x, l)),
                "ClampMax": ([hi], lambda x: torch.clamp_max(x, h)),
                "HardTanh": ([lo, hi], lambda x: F.hardtanh(x, l, h)),
                "Threshold": ([a, hi], lambda x: F.threshold(x, 1, h)),
                "NanToNum": ([a, hi, lo], lambda x: torch.nan_to_num(x, a, hi, lo)),
            }
        )
    if k == "Polygamma":
        n = pick(0, 1, 2, 3)
        case(k, [n, values(t, sizes(), pick("n", "p"))], lambda x: torch.special.polygamma(n, x), tol=1e-4 if t != f64 else 1e-7)
        return
    if k == "MvLGamma":
        p = pick(1, 2, 3)
        case(k, [values(t, sizes(), "p") + 3 if t != torch.bool else x, p], lambda x: torch.mvlgamma(x, p))
        return
    case(k, [x] + f[k][0], f[k][1])
