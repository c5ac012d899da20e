package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/loopop"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opRandomBits *graph.Op

func init() {
	opRandomBits = define(graph.Op{
		Name: "random_bits", Func: "randomBits", Doc: "64 random bits for a place of a stream: SplitMix64.",
		Class: graph.Elementwise, MinIn: 2, MaxIn: 2,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			for i := range 2 {
				if t := c.DType(i); t != graph.Int64 {
					rules.RefuseDType(c, "expected scalar type Long but found "+t.TorchName())
				}
			}
			return sameType(c)
		},
		Emit: emitRandomBits, Grad: noGradient, Random: true,
	})
	composed("Dropout", "0 with probability p, else x / (1-p).",
		named("", "torch.nn.functional.dropout", "", "Dropout", "Dropout",
			func(e *graph.Example) node { return Dropout(e.Of("x", "n"), 0.5, e.As(graph.Int64, "seed")) }))
	composed("Normal", "numbers of the normal distribution.",
		flat(noSlope, "numpy.random.standard_normal", "torch.randn, torch.normal, torch.distributions.Normal",
			"jax.random.normal", "RandomNormal", "GaussianRandomNode",
			func(e *graph.Example) node { return Normal(e.As(graph.Int64, "seed"), e.DType, e.Shape("n")...) }))
	composed("Uniform", "numbers that are evenly distributed from 0 up to and without 1.",
		flat(noSlope, "numpy.random.random", "torch.rand, torch.distributions.Uniform", "jax.random.uniform",
			"RandomUniform", "UniformRandomNode",
			func(e *graph.Example) node { return Uniform(e.As(graph.Int64, "seed"), e.DType, e.Shape("n")...) }))
}

// emitRandomBits is the output function of SplitMix64 (Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators, 2014) for a state that is as many steps from
// the stream's beginning as the place says. A stream begins where its number is mixed to.
func emitRandomBits(e graph.Emitter, n node, x []graph.Value) graph.Value {
	b := bits{arith{Emitter: e, t: n.DType()}}
	step := b.constant(0x9e3779b97f4a7c15)
	return b.mix(b.add(b.mix(b.mul(x[1], step)), b.mul(x[0], step)))
}

// bits writes arithmetic on 64 bits.
type bits struct{ arith }

// constant is a number that a float64 need not hold.
func (b bits) constant(v uint64) graph.Value {
	high, low := b.num(float64(v>>32)), b.num(float64(v&math.MaxUint32))
	return b.add(b.mul(high, b.num(1<<32)), low)
}

// shifted moves bits to the right; zeros come in.
func (b bits) shifted(x graph.Value, by int) graph.Value {
	x = b.Prim(graph.PrimFloorDiv, x, b.num(math.Ldexp(1, by)))
	return b.Prim(graph.PrimAnd, x, b.num(math.Ldexp(1, 64-by)-1))
}

func (b bits) mix(x graph.Value) graph.Value {
	x = b.mul(b.Prim(graph.PrimXor, x, b.shifted(x, 30)), b.constant(0xbf58476d1ce4e5b9))
	x = b.mul(b.Prim(graph.PrimXor, x, b.shifted(x, 27)), b.constant(0x94d049bb133111eb))
	return b.Prim(graph.PrimXor, x, b.shifted(x, 31))
}

// Uniform returns numbers of the given shape, uniformly distributed from 0 to 1 without 1, in a floating-point dtype.
// As in PyTorch, they are multiples of 2^-24 in Float32, 2^-53 in Float64, 2^-11 in Float16 and 2^-8 in BFloat16.
// They depend only on the seed, an Int64 scalar, on the position of this call among the nodes of the program, and on
// each number's index: the same seed gives the same numbers in each run and on each machine. Feed a different seed to
// each run.
func Uniform(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer building("Uniform", append([]any{seed, "graph." + t.GoName()}, shapeWords(shape)...)...)()
	call := refused("Uniform", seed).with(typeAndShape(t, shape)...)
	if bad := refusedSeed(call); bad != nil {
		return bad
	}
	if !t.IsFloat() || t.IsStorage() {
		return call.wrong(graph.CodeDType, "random numbers need a floating-point dtype, not %s", t)
	}
	g := seed.Graph()
	stream := Add(seed, num64(int64(len(g.Nodes()))<<32))
	places := flatIndex(g, make([]node, len(shape)), rowMajorSteps(shape), 0, shape)
	digits := map[graph.DType]int{graph.Float16: 11, graph.BFloat16: 8, graph.Float32: 24, graph.Float64: 53}[t]
	for r := g.Region(); r != nil; r = r.Parent() { // other numbers in each step of a loop
		stream = Add(stream, Mul(loopop.Step(g, r), num64(0x632be59bd9b4e019)))
	}
	random := Apply(opRandomBits, nil, places, stream)
	top := BitAnd(FloorDiv(random, num64(1<<(64-digits))), num64(1<<digits-1))
	return Mul(Cast(top, t), num(math.Ldexp(1, -digits)))
}

func typeAndShape(t graph.DType, shape graph.Shape) []any {
	return append([]any{"graph." + t.GoName()}, shapeWords(shape)...)
}

func num64(v int64) node { return graph.Num(v) }

// Normal returns numbers of the given shape from the normal distribution with mean 0 and variance 1, by the
// Box-Muller method. 16-bit dtypes are rounded. The seed is that of [Uniform].
func Normal(seed *graph.Node, t graph.DType, shape ...graph.Dim) *graph.Node {
	defer building("Normal", append([]any{seed, "graph." + t.GoName()}, shapeWords(shape)...)...)()
	wide := t
	if t.IsFloat() {
		wide = t.Computed()
	}
	radius := Sqrt(Mul(num(-2), Log1p(Neg(Uniform(seed, wide, shape...)))))
	y := Mul(radius, Cos(Mul(num(2*math.Pi), Uniform(seed, wide, shape...))))
	if wide != t {
		return Cast(y, t)
	}
	return y
}

// Dropout sets each element to 0 with probability p, and multiplies the others by 1/(1-p), which preserves the mean.
// The seed is that of [Uniform].
func Dropout(x *graph.Node, p float64, seed *graph.Node) *graph.Node {
	defer building("Dropout", x, p, seed)()
	switch {
	case x == nil || !x.Judged():
		return Neg(x) // its own mistake
	case !x.DType().IsFloat():
		return refusal(refused("Dropout", x).with(p), &graph.Mistake{Code: graph.CodeDType, Casts: oneFloat(x),
			Summary: fmt.Sprintf("dropout needs floating-point numbers, but %s has dtype %s", x.Called(), x.DType())})
	case !(p >= 0 && p <= 1): // NaN too
		return refusal(refused("Dropout", x).with(p), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("dropout probability has to be between 0 and 1, but got %v", p)})
	case p == 1:
		return Mul(x, num(0))
	}
	if seed == nil {
		return refusal(refused("Dropout", x).with(p, "nil"), noSeed("the seed is nil"))
	}
	keep := GreaterEqual(Uniform(seed, x.DType().Computed(), x.Shape()...), num(p))
	return Where(keep, Mul(x, num(1/(1-p))), num(0))
}

// refusedSeed refuses the seed that is a call's first operand, unless it is a scalar of a graph; nil where it is one.
// Its dtype is looked at where bits are drawn.
func refusedSeed(call refusedCall) node {
	seed := call.in[0]
	switch {
	case seed == nil:
		call.in, call.args.Before = call.in[1:], append(call.args.Before, "nil")
		return refusal(call, noSeed("the seed is nil"))
	case !seed.Judged():
		return refusal(call, nil)
	case seed.Graph() == nil:
		return refusal(call, noSeed("the seed is a number written in the program, but must be a value of a graph"))
	case seed.Rank() != 0:
		return call.wrong(graph.CodeRank, "a seed must be a scalar, but %s has shape %s", seed.Called(), seed.Shape())
	case seed.DType().IsFloat():
		return call.wrongDType(cast(seed, graph.Int64), "expected scalar type Long but found %s",
			seed.DType().TorchName())
	}
	return nil
}

// noSeed is the mistake of a wrong seed.
func noSeed(what string) *graph.Mistake {
	return &graph.Mistake{Code: graph.CodeOperand, Summary: what,
		Help: []string{
			"use an Int64 scalar, and feed a different number to each run: seed := g.Input(\"seed\", graph.Int64)"}}
}
