package difftest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// firstStep is the number of the first step's value while a program grows; inputs have smaller numbers.
const firstStep = 1000

// gen grows a program. Every step is computed at all bindings as it is added, so that the program has values at all of
// them.
type gen struct {
	*rand.Rand
	p       *eager.Program
	at      []*eager.Machine  // one for each binding
	values  [][]*eager.Tensor // of each binding, by number
	used    map[int]bool      // values that steps read
	written map[any]int       // by the root of memory, the last write
	grid    bool              // inputs lie on a grid, where functions have their kinks
	float   eager.DType
	about   *subject
	room    int // the greatest number of elements of a value
}

// Generate draws a program from a seed.
func Generate(seed uint64) *eager.Program {
	for try := uint64(0); ; try++ {
		g := &gen{Rand: rand.New(rand.NewPCG(seed, try)), used: map[int]bool{}, written: map[any]int{},
			p: &eager.Program{Seed: seed}}
		if g.begin(); len(g.p.Inputs) == 0 {
			continue
		}
		for range 3 + g.IntN(g.about.steps) {
			for range 6 {
				if g.grow() {
					break
				}
			}
		}
		if g.finish() {
			return g.p
		}
	}
}

// oneOf draws from a list.
func oneOf[T any](g *gen, list ...T) T { return list[g.IntN(len(list))] }

// begin draws the names, the sizes of runs and the first inputs.
func (g *gen) begin() {
	g.about = &subjects[g.IntN(len(subjects))]
	if g.float = oneOf(g, eager.Float32, eager.Float64, eager.Float64); g.IntN(16) == 0 {
		g.float = oneOf(g, eager.Float16, eager.BFloat16)
	}
	g.grid = g.IntN(4) == 0
	g.room = oneOf(g, g.about.rooms...)
	g.p.Policy = oneOf(g, "numpy", "numpy", "unify", "strict")
	for _, name := range []string{"n", "m", "k"}[:1+g.IntN(3)] {
		g.p.Names = append(g.p.Names, eager.Name{Name: name, AtLeast: oneOf(g, 0, 0, 0, 1, 1, 2)})
	}
	if g.about.empty {
		g.p.Names[g.IntN(len(g.p.Names))].AtLeast = 0
	}
	g.bind()
	for range 1 + g.IntN(3) {
		t, kind := g.float, ""
		if g.about.whole && g.IntN(3) > 0 {
			t, kind = oneOf(g, g.whole(), eager.Uint8, eager.Int8, eager.Int16, eager.Bool), oneOf(g, "", "wide")
		}
		g.input(t, g.someShape(g.IntN(4)), kind)
	}
	if g.IntN(3) == 0 {
		g.input(g.whole(), g.someShape(g.IntN(3)), "")
	}
	for range oneOf(g, g.about.params...) {
		g.param(g.someConstants(1 + g.IntN(3)))
	}
}

// whole draws a dtype of whole numbers.
func (g *gen) whole() eager.DType {
	if g.IntN(3) > 0 {
		return oneOf(g, eager.Int64, eager.Int32)
	}
	return oneOf(g, eager.Uint8, eager.Int8, eager.Int16, eager.Uint8, eager.Int8, eager.Int16, eager.Uint16,
		eager.Uint32, eager.Uint64)
}

// bind draws the sizes of runs. The first two names may have equal ones, so that they can meet.
func (g *gen) bind() {
	together := len(g.p.Names) > 1 && (g.about.hidden || g.IntN(4) == 0)
	g.p.Equal = together && g.p.Policy == "strict"
	for k := range 5 {
		at := map[string]int{}
		for i, n := range g.p.Names {
			v := []int{3, 5, 2}[i]
			switch k {
			case 1, 2: // one name, or all, as small as they may be, or 1
				if v = oneOf(g, 3, 4, 6, 7); g.IntN(2) == 0 {
					v = k - 1
				}
				if g.about.empty && n.AtLeast == 0 && g.IntN(3) > 0 {
					v = 0
				}
			case 3:
				v = oneOf(g, 2, 4, 7, 8, 9, 11, 15, 16, 17)
			case 4:
				v = oneOf(g, g.about.sizes...)
			}
			at[n.Name] = max(v, n.AtLeast)
		}
		if together && (g.p.Policy != "numpy" || at["n"] != 1 && at["m"] != 1) {
			v := max(oneOf(g, at["n"], at["m"]), g.p.Names[0].AtLeast, g.p.Names[1].AtLeast)
			at["n"], at["m"] = v, v
		}
		g.p.Bindings = append(g.p.Bindings, at)
		g.at = append(g.at, &eager.Machine{At: at})
		g.values = append(g.values, make([]*eager.Tensor, firstStep))
	}
}

func (g *gen) someSize() eager.Size {
	if g.about.empty && g.IntN(12) == 0 {
		return eager.Whole(0)
	}
	name := []string{g.p.Names[g.IntN(len(g.p.Names))].Name}
	switch g.IntN(12) {
	case 0, 1, 2, 3, 4:
		return eager.Whole(oneOf(g, 1, 1, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17))
	case 5:
		return eager.Size{{Times: 2, Names: name}}
	case 6:
		return eager.Size{{Times: 1, Names: name}, {Times: oneOf(g, 1, 2, 3)}}
	}
	return eager.Size{{Times: 1, Names: name}}
}

func (g *gen) someShape(rank int) []eager.Size {
	s := make([]eager.Size, rank)
	for i := range s {
		s[i] = g.someSize()
	}
	return s
}

func (g *gen) someConstants(rank int) []eager.Size {
	s := make([]eager.Size, rank)
	for i := range s {
		s[i] = eager.Whole(1 + g.IntN(6))
	}
	return s
}

// input adds an input and returns its number, or -1 if it has too many elements.
func (g *gen) input(t eager.DType, shape []eager.Size, kind string) int {
	return g.declare(eager.Input{T: t, Shape: shape, Kind: kind, Mutable: t.IsFloat() && g.IntN(12) == 0})
}

func (g *gen) param(shape []eager.Size) int {
	return g.declare(eager.Input{T: g.float, Shape: shape, Param: true})
}

func (g *gen) declare(in eager.Input) int {
	if len(g.p.Inputs) > 40 || slices.ContainsFunc(in.Shape, func(s eager.Size) bool { return s == nil }) {
		return -1
	}
	if in.Kind == "" && g.grid {
		in.Kind = "grid"
	}
	for _, m := range g.at {
		if !g.canBe(in, m.At) {
			return -1
		}
	}
	id := len(g.p.Inputs)
	g.p.Inputs = append(g.p.Inputs, in)
	for k, m := range g.at {
		g.values[k][id] = m.Leaf(in, g.p.Draw(id, k), nil, nil)
	}
	return id
}

// canBe reports whether an input has a shape at some sizes, and not too many elements.
func (g *gen) canBe(in eager.Input, at map[string]int) bool {
	count := 1
	for _, s := range in.Shape {
		v := s.Eval(at)
		if v < 0 {
			return false
		}
		count *= v
	}
	return count <= g.room && (in.Below == nil || in.Below.Eval(at) > 0 || count == 0)
}

// count is the number of values of steps.
func (g *gen) count() int { return len(g.values[0]) - firstStep }

// v returns a value at the first binding, for its rank and dtype.
func (g *gen) v(id int) *eager.Tensor { return g.values[0][id] }

func (g *gen) rank(id int) int { return len(g.v(id).Shape) }

// pick draws a value that fits, preferably a late one.
func (g *gen) pick(fits func(x *eager.Tensor) bool) int {
	for range 12 {
		id := g.IntN(len(g.p.Inputs))
		if n := g.count(); n > 0 && g.IntN(3) > 0 {
			id = firstStep + max(g.IntN(n), g.IntN(n))
		}
		if x := g.v(id); !x.IsLiteral() && fits(x) {
			return id
		}
	}
	return -1
}

func anyValue(*eager.Tensor) bool     { return true }
func isFloat(x *eager.Tensor) bool    { return x.T.IsFloat() }
func isNumber(x *eager.Tensor) bool   { return x.T != eager.Bool }
func hasAxes(x *eager.Tensor) bool    { return len(x.Shape) > 0 }
func floatAxes(x *eager.Tensor) bool  { return x.T.IsFloat() && len(x.Shape) > 0 }
func isWhole(x *eager.Tensor) bool    { return !x.T.IsFloat() }
func numberAxes(x *eager.Tensor) bool { return x.T != eager.Bool && len(x.Shape) > 0 }

// axis draws an axis of a value, counted from either end.
func (g *gen) axis(id int) int {
	rank := g.rank(id)
	return g.IntN(max(1, 2*rank)) - rank
}

// sizeOf returns the size of an axis as a formula, or nil.
func (g *gen) sizeOf(id, axis int) eager.Size {
	if axis < 0 {
		axis += g.rank(id)
	}
	sizes := make([]int, len(g.at))
	for k := range g.at {
		sizes[k] = g.values[k][id].Shape[axis]
	}
	return g.formula(sizes)
}

func (g *gen) shapeOf(id int) []eager.Size {
	s := make([]eager.Size, g.rank(id))
	for i := range s {
		s[i] = g.sizeOf(id, i)
	}
	return s
}

// formula finds a size that has these values at the bindings.
func (g *gen) formula(sizes []int) eager.Size {
	fits := func(s eager.Size) bool {
		for k, m := range g.at {
			if s.Eval(m.At) != sizes[k] {
				return false
			}
		}
		return true
	}
	if s := eager.Whole(sizes[0]); fits(s) {
		return s
	}
	for _, n := range g.p.Names {
		for times := 1; times <= 6; times++ {
			for _, more := range []int{0, 1, 2, 3, 4, -1, -2, 6} {
				s := eager.Size{{Times: times, Names: []string{n.Name}}}
				if more != 0 {
					s = append(s, eager.Term{Times: more})
				}
				if fits(s) {
					return s
				}
			}
			for _, m := range g.p.Names {
				s := eager.Size{{Times: times, Names: []string{n.Name, m.Name}}}
				if fits(s) {
					return s
				}
				if s = (eager.Size{{Times: times, Names: []string{n.Name}}, {Times: 1, Names: []string{m.Name}}}); fits(
					s) {
					return s
				}
			}
		}
	}
	return nil
}

// do adds a step and returns the number of its first value, or -1 if no value is fit.
func (g *gen) do(s eager.Step) int {
	if slices.ContainsFunc(s.In[:min(len(s.In), required(s.Op))], func(k int) bool { return k < 0 }) ||
		slices.ContainsFunc(s.S, func(d eager.Size) bool { return d == nil }) {
		return -1
	}
	made := make([][]*eager.Tensor, len(g.at))
	for k, m := range g.at {
		out, err := m.Do(&s, g.values[k])
		if err != nil || len(out) == 0 || len(out) != len(made[0]) && k > 0 {
			return -1
		}
		made[k] = out
		for _, x := range out {
			if x.Err() != nil || !g.isFit(x, m.At) {
				return -1
			}
		}
	}
	s.N = len(made[0])
	id := len(g.values[0])
	for k := range g.at {
		g.values[k] = append(g.values[k], made[k]...)
	}
	for _, k := range s.In {
		g.used[k] = true
	}
	g.p.Steps = append(g.p.Steps, s)
	return id
}

// isFit reports whether a value is not too large. Values that are not finite are accepted if a run has values without
// elements.
func (g *gen) isFit(x *eager.Tensor, at map[string]int) bool {
	count := 1
	for _, d := range x.Shape {
		count *= d
	}
	if count > g.room || len(x.Shape) > 5 {
		return false
	}
	empty := false
	for _, v := range at {
		empty = empty || v <= 1
	}
	for _, c := range x.Cells() {
		if !x.T.IsFloat() && (c.I > 1<<40 || c.I < -1<<40) {
			return false
		}
		if math.Abs(c.V) > 1e4 && !math.IsInf(c.V, 0) || !empty && (math.IsNaN(c.V) || math.IsInf(c.V, 0)) {
			return false
		}
	}
	return true
}

// num adds a number of the program.
func (g *gen) num(v float64, t eager.DType) int {
	return g.do(eager.Step{Op: "Num", F: []float64{v}, T: t})
}

// required returns how many operands of an operation cannot be omitted.
func required(op string) int {
	switch op {
	case "LayerNorm", "LayerNormOver", "RMSNorm", "BatchNorm", "GroupNorm":
		return 1
	case "Linear", "Conv1D", "Conv2D", "Conv3D", "ConvTranspose1D", "ConvTranspose2D", "ConvTranspose3D":
		return 2
	case "BatchNormInference":
		return 3
	case "EmbeddingBag":
		return 2
	case "STFT":
		return 1
	}
	return 1 << 20
}
