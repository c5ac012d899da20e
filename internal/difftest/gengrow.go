package difftest

import (
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// move is a way to grow a program: it draws a step and reports whether it was added.
type move struct {
	weight int
	draw   func(g *gen) bool
}

// subject is what programs are about.
type subject struct {
	moves   []move
	steps   int   // a program has at least 3 and at most 2 more
	rooms   []int // the greatest number of elements of a value is one of them
	sizes   []int // that names may have in the fourth and fifth run
	params  []int // how many parameters there may be at first
	empty   bool  // names may be 0, and are so in two runs
	hidden  bool  // gradients are asked for, mostly alone: what sizes must be, only the value says
	descent bool  // parameters are lowered by their gradients
	whole   bool  // inputs are whole numbers mostly, of all bits
}

// alone is in how many of four programs with gradients nothing else is an output.
func (s *subject) alone() int {
	if s.hidden {
		return 3
	}
	return 1
}

var few = []int{0, 0, 1, 2}

var subjects = []subject{
	{moves: moves, steps: 12, rooms: []int{200, 200, 400, 2500},
		sizes: []int{1, 2, 6, 8, 12, 16, 19, 31, 33, 48, 64, 65, 130}, params: few},
	{moves: moves, steps: 5, rooms: []int{200, 1000}, sizes: []int{1, 2, 7, 8, 17, 33}, params: few},
	{moves: []move{{4, (*gen).unary}, {10, (*gen).binary}, {8, (*gen).reduce}, {12, (*gen).arrange},
		{4, (*gen).product}, {4, (*gen).rows},
		{2, (*gen).join}, {4, (*gen).gather}, {10, (*gen).scatter}, {8, (*gen).sort}, {4, (*gen).write},
		{1, (*gen).source}}, steps: 7, rooms: []int{300, 1000}, sizes: []int{1, 2, 3, 7, 9}, params: few, empty: true},
	{moves: []move{{5, (*gen).unary}, {6, (*gen).binary}, {4, (*gen).reduce}, {4, (*gen).arrange}, {14, (*gen).product},
		{3, (*gen).einsum},
		{2, (*gen).rows}, {2, (*gen).normalize}, {2, (*gen).write}}, steps: 5, rooms: []int{1500, 6000},
		sizes: []int{1, 2, 3, 8, 9, 17, 33}, params: few, empty: true},
	{moves: []move{{4, (*gen).unary}, {3, (*gen).binary}, {2, (*gen).reduce}, {2, (*gen).arrange}, {10, (*gen).conv},
		{6, (*gen).pool},
		{4, (*gen).normalize}, {2, (*gen).loss}, {1, (*gen).write}}, steps: 5, rooms: []int{400, 2000},
		sizes: []int{1, 2, 3, 8, 9, 17}, params: few, empty: true},
	{moves: []move{{12, (*gen).around}, {6, (*gen).write}, {4, (*gen).unary}, {3, (*gen).binary}, {3, (*gen).reduce},
		{3, (*gen).arrange},
		{2, (*gen).join}, {2, (*gen).gather}, {6, (*gen).scatter}, {5, (*gen).sort}}, steps: 5, rooms: []int{300, 1000},
		sizes: []int{1, 2, 3, 7, 9}, params: []int{1, 1, 2}, empty: true},
	{moves: []move{{6, (*gen).meet}, {5, (*gen).diagonal}, {4, (*gen).unary}, {3, (*gen).binary}, {3, (*gen).reduce},
		{4, (*gen).arrange},
		{2, (*gen).product}, {1, (*gen).join}, {1, (*gen).einsum}}, steps: 4, rooms: []int{300, 1000},
		sizes: []int{1, 2, 4, 6, 8, 9}, params: few, hidden: true},
	{moves: []move{{5, (*gen).unary}, {6, (*gen).binary}, {2, (*gen).reduce}, {4, (*gen).arrange}, {5, (*gen).product},
		{2, (*gen).einsum},
		{2, (*gen).normalize}, {5, (*gen).loss}, {2, (*gen).gather}, {2, (*gen).write}, {2, (*gen).meet},
		{1, (*gen).conv}}, steps: 5, rooms: []int{300, 1000},
		sizes: []int{1, 2, 3, 8, 9, 17}, params: []int{1, 2, 3}, descent: true},
	{moves: []move{{4, (*gen).unary}, {4, (*gen).binary}, {3, (*gen).reduce}, {5, (*gen).arrange}, {2, (*gen).gather},
		{2, (*gen).scatter}, {2, (*gen).compare},
		{6, (*gen).segments}, {6, (*gen).united}, {6, (*gen).tuples}, {5, (*gen).masked}, {5, (*gen).bags},
		{5, (*gen).places}, {2, (*gen).write}, {1, (*gen).loop}},
		steps: 5, rooms: []int{300, 1000}, sizes: []int{1, 2, 3, 8, 9, 17}, params: few, empty: true},
	{moves: []move{{4, (*gen).unary}, {4, (*gen).binary}, {3, (*gen).reduce}, {5, (*gen).arrange}, {2, (*gen).write},
		{8, (*gen).outside}, {10, (*gen).putOutside}, {6, (*gen).putInPlace}, {6, (*gen).put}, {1, (*gen).loop}},
		steps: 5, rooms: []int{300, 1000}, sizes: []int{1, 2, 3, 8, 9, 17}, params: []int{0, 1, 2}, empty: true},
	{moves: []move{{4, (*gen).unary}, {4, (*gen).binary}, {3, (*gen).reduce}, {5, (*gen).arrange}, {3, (*gen).product},
		{12, (*gen).matrix}, {16, (*gen).signal},
		{10, (*gen).volumes}, {2, (*gen).gather}, {2, (*gen).write}, {1, (*gen).loop}}, steps: 4,
		rooms: []int{400, 1500}, sizes: []int{1, 2, 3, 5, 8, 9}, params: few, empty: true},
	{moves: []move{{6, (*gen).unary}, {2, (*gen).shaped}, {8, (*gen).binary}, {5, (*gen).compare}, {5, (*gen).choose},
		{2, (*gen).three}, {10, (*gen).bits}, {8, (*gen).cast},
		{6, (*gen).reduce}, {6, (*gen).arrange}, {2, (*gen).join}, {4, (*gen).gather}, {4, (*gen).scatter},
		{2, (*gen).segments}, {3, (*gen).sort}, {2, (*gen).united}, {1, (*gen).loop}},
		steps: 8, rooms: []int{300, 1000}, sizes: []int{1, 2, 3, 9, 17, 33}, params: few, whole: true},
	{moves: []move{{8, (*gen).loop}, {3, (*gen).unary}, {3, (*gen).binary}, {2, (*gen).reduce}, {4, (*gen).arrange},
		{2, (*gen).product}, {1, (*gen).write}},
		steps: 4, rooms: []int{300, 1000}, sizes: []int{1, 2, 3, 8, 9, 17, 40}, params: few, empty: true},
}

var moves = []move{
	{8, (*gen).unary}, {3, (*gen).shaped}, {12, (*gen).binary}, {2, (*gen).compare}, {2, (*gen).choose},
	{1, (*gen).three},
	{2, (*gen).bits}, {3, (*gen).cast}, {9, (*gen).reduce}, {3, (*gen).rows}, {16, (*gen).arrange}, {4, (*gen).join},
	{4, (*gen).part}, {5, (*gen).gather}, {6, (*gen).product}, {2, (*gen).einsum}, {3, (*gen).conv}, {2, (*gen).pool},
	{4, (*gen).normalize}, {3, (*gen).loss}, {2, (*gen).source}, {5, (*gen).write}, {1, (*gen).around},
	{2, (*gen).meet}, {1, (*gen).diagonal}, {2, (*gen).loop},
	{1, (*gen).segments}, {1, (*gen).united}, {1, (*gen).tuples}, {1, (*gen).masked}, {1, (*gen).bags},
	{1, (*gen).places}, {1, (*gen).outside}, {1, (*gen).putOutside}, {1, (*gen).putInPlace}, {1, (*gen).put},
}

func (g *gen) grow() bool {
	total := 0
	for _, m := range g.about.moves {
		total += m.weight
	}
	at := g.IntN(total)
	for _, m := range g.about.moves {
		if at -= m.weight; at < 0 {
			return m.draw(g)
		}
	}
	return false
}

func (g *gen) did(s eager.Step) bool { return g.do(s) >= 0 }

var (
	functions = []string{"Exp", "Log", "Sin", "Cos", "Tan", "Tanh", "Sqrt", "Erf", "Sigmoid", "Asin", "Acos", "Atan",
		"Asinh", "Acosh", "Atanh",
		"Sinh", "Cosh", "Log1p", "Expm1", "Reciprocal", "Softplus", "Exp2", "Log2", "Log10", "Rsqrt", "Silu", "Mish",
		"Gelu", "GeluTanh",
		"LogSigmoid", "Softsign", "TanhShrink", "HardSigmoid", "HardSwish", "Relu6", "Selu", "Frac", "Neg", "Abs",
		"Square", "Relu", "Sign",
		"Floor", "Ceil", "Round", "Trunc", "LGamma", "Digamma", "Gamma", "Cbrt", "Erfc", "Erfinv", "Ndtr", "LogNdtr",
		"Sinc", "J0", "J1", "Entr", "Deg2Rad", "Rad2Deg", "Logit", "Copy", "IsFinite", "IsNaN", "IsInf", "StopGradient",
		"ZerosLike"}
	positive = []string{"Log", "Sqrt", "Log2", "Log10", "Rsqrt", "Log1p", "Reciprocal", "Acosh", "LGamma", "Digamma",
		"Gamma", "Cbrt", "Entr"}
	common     = []string{"Exp", "Sin", "Tanh", "Sigmoid", "Relu", "Abs", "Square", "Neg", "Copy"}
	arithmetic = []string{"Add", "Add", "Sub", "Sub", "Mul", "Mul", "Mul", "Div", "Maximum", "Minimum", "AtLeast",
		"AtMost", "Pow", "FloorDiv", "Remainder",
		"Fmod", "Atan2", "Hypot", "LogAddExp", "XLogY", "Fmax", "Fmin", "CopySign", "Heaviside", "XLog1PY"}
)

func (g *gen) unary() bool {
	op, x := oneOf(g, functions...), g.pick(isNumber)
	if g.IntN(2) == 0 {
		op = oneOf(g, common...)
	}
	if x < 0 {
		return false
	}
	whole := slices.Contains(
		[]string{"LGamma", "Digamma", "Gamma", "Cbrt", "Erfc", "Erfinv", "Ndtr", "LogNdtr", "Sinc", "J0", "J1", "Entr",
			"Deg2Rad", "Rad2Deg", "Logit", "Frac", "Softsign", "TanhShrink", "HardSigmoid", "HardSwish", "Relu6",
			"Selu", "IsFinite", "IsNaN", "IsInf",
			"StopGradient", "Silu", "Mish", "Gelu", "GeluTanh", "Softplus", "LogSigmoid"}, op)
	if whole && !g.v(x).T.IsFloat() {
		return false
	}
	if slices.Contains(positive, op) && g.v(x).T.IsFloat() {
		x = g.positive(x)
	}
	if x >= 0 && slices.Contains([]string{"Asin", "Acos", "Atanh"}, op) {
		x = g.do(eager.Step{Op: "Tanh", In: []int{x}})
	}
	if x >= 0 && op == "Erfinv" {
		x = g.do(eager.Step{Op: "Sin", In: []int{x}})
	}
	if x >= 0 && op == "Logit" {
		x = g.do(eager.Step{Op: "Sigmoid", In: []int{x}})
	}
	return x >= 0 && g.did(eager.Step{Op: op, In: []int{x}})
}

// positive returns a value above 0 computed from another.
func (g *gen) positive(x int) int {
	if x = g.do(eager.Step{Op: oneOf(g, "Abs", "Square"), In: []int{x}}); x < 0 {
		return -1
	}
	return g.do(eager.Step{Op: "Add", In: []int{x, g.num(oneOf(g, 0.5, 1.5), "")}})
}

func (g *gen) shaped() bool {
	x := g.pick(isFloat)
	if x < 0 {
		return false
	}
	s := eager.Step{Op: oneOf(g, "Clamp", "ClampMin", "ClampMax", "HardTanh", "LeakyRelu", "Elu", "Celu", "HardShrink",
		"SoftShrink", "FullLike", "Threshold", "Softcap", "Squareplus"), In: []int{x}}
	switch s.Op {
	case "Clamp", "HardTanh", "Threshold":
		s.F = []float64{oneOf(g, -1, -0.5, 0), oneOf(g, 0.5, 1, 1.3)}
	case "ClampMin", "ClampMax":
		s.F = []float64{oneOf(g, -0.5, 0, 0.7)}
	default:
		s.F = []float64{oneOf(g, 0.25, 0.5, 1.5)}
	}
	return g.did(s)
}

// partner returns a value that broadcasts with x: an existing one, a number, or a new input.
func (g *gen) partner(x int) int {
	switch g.IntN(6) {
	case 0:
		return g.num(oneOf(g, 2, 0.5, -1.5, 3), "")
	case 1:
		return g.num(oneOf(g, 2., 3, -3), eager.Int64)
	case 2, 3:
		shape := g.shapeOf(x)
		shape = shape[g.IntN(2)*g.IntN(len(shape)+1):]
		for i := range shape {
			if g.IntN(4) == 0 {
				shape[i] = eager.Whole(1)
			}
		}
		return g.input(g.v(x).T, shape, oneOf(g, "", "positive"))
	}
	return g.pick(isNumber)
}

func (g *gen) pair() (x, y int) {
	if x = g.pick(isNumber); x < 0 {
		return -1, -1
	}
	if y = g.partner(x); y >= 0 && g.IntN(4) == 0 {
		x, y = y, x
	}
	return x, y
}

func (g *gen) binary() bool {
	x, y := g.pair()
	if x < 0 || y < 0 {
		return false
	}
	return g.did(eager.Step{Op: oneOf(g, arithmetic...), In: []int{x, y}})
}

func (g *gen) compare() bool {
	x, y := g.pair()
	if x < 0 || y < 0 {
		return false
	}
	return g.did(eager.Step{Op: oneOf(g, "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"),
		In: []int{x, y}})
}

// mask returns booleans that broadcast with x.
func (g *gen) mask(x int) int {
	if c := g.pick(func(v *eager.Tensor) bool { return v.T == eager.Bool }); c >= 0 && g.IntN(2) == 0 {
		return c
	}
	y := g.partner(x)
	if y < 0 {
		return -1
	}
	return g.do(eager.Step{Op: oneOf(g, "Less", "GreaterEqual", "Equal"), In: []int{x, y}})
}

func (g *gen) choose() bool {
	x, y := g.pair()
	if x < 0 || y < 0 {
		return false
	}
	if g.v(x).IsLiteral() {
		x, y = y, x
	}
	c := g.mask(x)
	if c < 0 {
		return false
	}
	if g.IntN(3) == 0 {
		return g.did(eager.Step{Op: "MaskedFill", In: []int{x, c, g.num(oneOf(g, 0., 1, -2), "")}})
	}
	return g.did(eager.Step{Op: "Where", In: []int{c, x, y}})
}

func (g *gen) three() bool {
	x := g.pick(isFloat)
	if x < 0 {
		return false
	}
	y, z := g.partner(x), g.partner(x)
	if y < 0 || z < 0 || g.v(y).IsLiteral() && g.v(z).IsLiteral() {
		return false
	}
	return g.did(eager.Step{Op: oneOf(g, "Lerp", "AddCMul", "AddCDiv"), In: []int{x, y, z}})
}

func (g *gen) bits() bool {
	x, y := g.pick(isWhole), g.pick(isWhole)
	switch {
	case x < 0 || y < 0:
		return g.input(oneOf(g, eager.Bool, g.whole(), g.whole()), g.someShape(g.IntN(3)), "") < 0
	case g.IntN(4) == 0:
		return g.did(eager.Step{Op: oneOf(g, "Not", "BitNot"), In: []int{x}})
	case g.IntN(2) == 0:
		return g.did(eager.Step{Op: oneOf(g, "And", "Or", "Xor"), In: []int{g.pick(anyValue), x}})
	}
	return g.did(eager.Step{Op: oneOf(g, "BitAnd", "BitOr", "BitXor"), In: []int{x, y}})
}

func (g *gen) cast() bool {
	x := g.pick(anyValue)
	t := oneOf(g, eager.Float32, eager.Float64, eager.Float64, g.whole(), g.whole(), eager.Bool)
	if g.IntN(20) == 0 {
		t = oneOf(g, eager.Float16, eager.BFloat16)
	}
	return x >= 0 && g.v(x).T != t && g.did(eager.Step{Op: "Cast", In: []int{x}, T: t})
}

func (g *gen) reduce() bool {
	s := eager.Step{Op: oneOf(g, "Sum", "Sum", "Sum", "Mean", "Mean", "Prod", "Max", "Min", "ArgMax", "ArgMin", "Any",
		"All", "Var", "Std", "LogSumExp", "Norm",
		"MaxIndex", "MinIndex"), Keep: g.IntN(3) == 0}
	fits := numberAxes
	switch s.Op {
	case "Any", "All":
		fits = hasAxes
	case "Mean", "Var", "Std", "LogSumExp", "Norm":
		fits = floatAxes
	}
	x := g.pick(fits)
	if x < 0 {
		return false
	}
	s.In = []int{x}
	switch s.Op {
	case "Var", "Std":
		s.F = []float64{float64(g.IntN(2))}
	case "Norm":
		s.F = []float64{oneOf(g, 1., 2, 2, 3)}
	}
	s.I = []int{g.axis(x)}
	switch {
	case s.Op == "MaxIndex" || s.Op == "MinIndex":
	case g.IntN(4) == 0:
		s.I = nil
	case g.IntN(4) == 0 && s.Op[:2] != "Ar":
		s.I = append(s.I, g.axis(x))
	}
	return g.did(s)
}

func (g *gen) rows() bool {
	x := g.pick(floatAxes)
	if x < 0 {
		return false
	}
	return g.did(eager.Step{Op: oneOf(g, "Softmax", "LogSoftmax", "CumSum", "CumProd"), In: []int{x},
		I: []int{g.axis(x)}})
}

func (g *gen) source() bool {
	like := g.pick(hasAxes)
	if like < 0 {
		return false
	}
	shape := g.shapeOf(like)
	switch g.IntN(4) {
	case 0:
		return g.did(eager.Step{Op: "Full", T: oneOf(g, g.float, eager.Int64, eager.Bool),
			F: []float64{oneOf(g, 0., 1, 3)}, S: shape})
	case 1:
		return g.did(eager.Step{Op: "Size", T: oneOf(g, g.float, eager.Int64), S: []eager.Size{g.someSize()}})
	}
	x := g.do(eager.Step{Op: "Iota", I: []int{g.IntN(len(shape))}, S: shape})
	if x < 0 || g.IntN(3) == 0 {
		return x >= 0
	}
	if x = g.do(eager.Step{Op: "Cast", In: []int{x}, T: g.float}); x < 0 {
		return false
	}
	return g.did(eager.Step{Op: oneOf(g, "Add", "Mul"), In: []int{like, x}})
}
