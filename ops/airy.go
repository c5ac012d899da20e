package ops

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops/internal/chebyshev"
)

var opAiryAi, opAiryAiSlope *graph.Op

// Where the forms of Airy's function meet. They are those of Abramowitz and Stegun, Handbook of Mathematical Functions,
// 10.4.59 to 10.4.62.
const (
	airyBelow = -6
	airyAbove = 2
)

// airyTables are the coefficients of Airy's function, or of its slope.
type airyTables struct{ low, near, far, p, q []float64 }

// airy is Airy's function, or its slope: two series in the middle, a decay above, and a wave below.
func (m arith) airy(x graph.Value, c airyTables, slope bool) graph.Value {
	z := m.Prim(graph.PrimMax, m.abs(x), m.num(airyAbove))
	root := m.sqrt(z)
	quarter := m.sqrt(root) // the slope grows with it, and the function falls
	zeta := m.mul(m.mul(m.num(2.0/3), z), root)
	u := m.div(m.num(1), zeta)
	scaled := func(y graph.Value) graph.Value {
		if slope {
			return m.mul(m.mul(y, m.num(1/math.SqrtPi)), quarter)
		}
		return m.div(m.mul(y, m.num(1/math.SqrtPi)), quarter)
	}
	decay := m.chebyshev(c.far, u, 0, 3/(4*math.Sqrt2))
	above := scaled(m.mul(m.mul(m.num(0.5), decay), m.exp(m.neg(zeta))))

	t := m.least(m.mul(u, u), 1.0/96)
	along, across := m.chebyshev(c.p, t, 0, 1.0/96), m.mul(u, m.chebyshev(c.q, t, 0, 1.0/96))
	// cosine and sine of ζ - π/4, times sqrt(2)
	sine, cosine := m.Prim(graph.PrimSin, zeta), m.Prim(graph.PrimCos, zeta)
	sine, cosine = m.sub(sine, cosine), m.add(sine, cosine)
	wave := m.add(m.mul(along, cosine), m.mul(across, sine))
	if slope {
		wave = m.sub(m.mul(along, sine), m.mul(across, cosine))
	}
	below := scaled(m.mul(wave, m.num(math.Sqrt2/2)))

	middle := m.Prim(graph.PrimMax, m.least(x, airyAbove), m.num(airyBelow))
	series := m.pick(m.less(x, 0), m.chebyshev(c.low, m.least(middle, 0), airyBelow, 0),
		m.chebyshev(c.near, m.Prim(graph.PrimMax, middle, m.num(0)), 0, airyAbove))
	y := m.pick(m.above(x, airyAbove), above, m.pick(m.less(x, airyBelow), below, series))
	y = m.pick(m.equals(x, inf), m.num(0), y)
	return m.pick(m.equals(x, -inf), m.num(map[bool]float64{false: 0, true: math.NaN()}[slope]), y)
}

func init() {
	opAiryAi = special("airy_ai", "AiryAi", "Airy's function Ai, a solution of y″ = x y.",
		func(m arith, x graph.Value) graph.Value {
			return m.airy(x, airyTables{chebyshev.AiryLow, chebyshev.AiryNear, chebyshev.AiryFar, chebyshev.AiryP,
				chebyshev.AiryQ}, false)
		},
		func(y, x, dy node) node { return Mul(dy, AiryAiSlope(x)) })
	opAiryAiSlope = special("airy_ai_slope", "AiryAiSlope", "the derivative of Airy's function Ai.",
		func(m arith, x graph.Value) graph.Value {
			return m.airy(x, airyTables{chebyshev.AirySlopeLow, chebyshev.AirySlopeNear, chebyshev.AirySlopeFar,
				chebyshev.AirySlopeP, chebyshev.AirySlopeQ}, true)
		},
		func(y, x, dy node) node { return Mul(dy, Mul(x, AiryAi(x))) })
	opAiryAi.Ref = named("", "torch.special.airy_ai", "", "", "")
	opAiryAiSlope.Ref = named("", "", "", "", "")
}

// AiryAi returns the Airy function Ai. The error is at most 1e-15 for x up to 2. For large |x| it is about
// 1e-16·|x|^1.5, relative to the value or, for negative x, to the amplitude.
func AiryAi(x *graph.Node) *graph.Node { return Apply(opAiryAi, nil, x) }

// AiryAiSlope returns the derivative of [AiryAi], with about the same accuracy.
func AiryAiSlope(x *graph.Node) *graph.Node { return Apply(opAiryAiSlope, nil, x) }
