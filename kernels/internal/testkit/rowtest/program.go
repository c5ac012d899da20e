package rowtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

var types = []rowprog.Type{rowprog.Bool, rowprog.I32, rowprog.I64, rowprog.F32, rowprog.F64}

// packed is the types for memory alone.
var packed = []rowprog.Type{rowprog.U8, rowprog.I8, rowprog.U16, rowprog.I16, rowprog.U32, rowprog.U64, rowprog.F16,
	rowprog.BF16, rowprog.F8E4M3, rowprog.F8E5M2}

// generator makes a program.
type generator struct {
	*rand.Rand
	b      *rowprog.Builder
	outer  int
	inputs []input
	// Usable values: those outside of the row and those of the current stage.
	outside, inside []rowprog.Value
	pending         []rowprog.Value // reductions, usable from the next stage on
	outputs         int
	picked          int // operands that are picked
	// A wide program has many operands of a single type, and cheap operations: more values than there are registers.
	wide bool
	only rowprog.Type // of a wide one
	// independent programs have no guards or picks for each element.
	independent bool
}

type input struct {
	operand int
	domain  rowprog.Domain
	inout   bool
	stored  bool
}

// Program makes a random program. It uses all types, domains, primitives, reductions and accesses. The same seed always
// gives the same program.
func Program(r *rand.Rand) *rowprog.Program { return program(&generator{Rand: r, outer: r.IntN(4)}) }

// Independent makes a random program that checks and picks nothing for each element of a row.
func Independent(r *rand.Rand) *rowprog.Program {
	return program(&generator{Rand: r, outer: 1 + r.IntN(3), independent: true})
}

func program(g *generator) *rowprog.Program {
	g.b = rowprog.NewBuilder("random", g.outer)
	inputs := 1 + g.IntN(4)
	if g.wide = g.IntN(4) == 0; g.wide {
		g.only = []rowprog.Type{rowprog.F32, rowprog.F64}[g.IntN(2)]
		inputs += g.IntN(12)
	}
	for range inputs {
		g.input()
	}
	for stage := range 1 + g.IntN(3) {
		if stage > 0 {
			g.b.NextStage()
			g.outside = append(g.outside, g.pending...)
			g.inside, g.pending = nil, nil
		}
		g.stage()
	}
	if g.IntN(2) == 0 || g.outputs == 0 {
		g.b.NextStage()
		g.outside = append(g.outside, g.pending...)
		g.inside = nil
		g.output()
	}
	p, err := g.b.Build()
	if err != nil {
		panic(fmt.Sprintf("rowtest: %v", err)) // the generator's own mistake
	}
	return p
}

func (g *generator) typ() rowprog.Type {
	if g.wide {
		return g.only
	}
	if g.IntN(2) == 0 {
		return rowprog.F32 // has the most special cases
	}
	return types[g.IntN(len(types))]
}

func (g *generator) input() {
	in := input{domain: rowprog.Vec}
	if g.IntN(3) == 0 {
		in.domain = rowprog.Uniform + rowprog.Domain(g.IntN(2))
	}
	name := fmt.Sprintf("x%d", len(g.inputs))
	t := g.typ()
	if !g.wide && g.IntN(3) == 0 {
		t = packed[g.IntN(len(packed))]
	}
	if in.inout = in.domain > rowprog.Uniform && g.IntN(4) == 0; in.inout {
		in.operand = g.b.InOut(name, t, in.domain)
	} else {
		in.operand = g.b.In(name, t, in.domain)
	}
	g.inputs = append(g.inputs, in)
}

// keep records a value by its domain.
func (g *generator) keep(v rowprog.Value, d rowprog.Domain) {
	if d == rowprog.Vec {
		g.inside = append(g.inside, v)
	} else {
		g.outside = append(g.outside, v)
	}
}

// stage makes the instructions of a stage.
func (g *generator) stage() {
	for i := range g.inputs {
		if in := &g.inputs[i]; len(g.inside) == 0 || g.IntN(3) > 0 {
			x := g.b.Load(in.operand)
			t := g.b.TypeOf(x)
			g.keep(g.b.Convert(x, t.Computed()), in.domain)
			if t.Computed() != t && g.IntN(4) == 0 {
				g.b.Store(g.b.Out(g.newOutput(), t, max(in.domain, rowprog.Row)), x)
			}
		}
	}
	if g.IntN(2) == 0 {
		g.constant()
	}
	if g.IntN(3) == 0 {
		axis := g.IntN(g.outer + 1)
		d := rowprog.Row
		if axis == g.outer {
			d = rowprog.Vec
		}
		g.keep(g.b.Iota(axis), d)
	}
	if g.IntN(4) == 0 && !(g.independent && len(g.outside) == 0) {
		g.pick()
	}
	primitives := 1 + g.IntN(8)
	if g.wide {
		primitives += g.IntN(24)
	}
	for range primitives {
		g.primitive()
		if g.IntN(4) == 0 {
			g.output()
		}
	}
	for range g.IntN(3) {
		if x := g.value(); x != rowprog.None {
			if kind := g.reduction(g.b.TypeOf(x), rowprog.MaxNumber); kind != rowprog.NoReduction {
				g.pending = append(g.pending, g.b.Reduce(kind, x))
			}
		}
	}
	for i := range g.inputs {
		if in := &g.inputs[i]; in.inout && (!in.stored || g.IntN(3) == 0) {
			g.update(in)
		}
	}
}

// pickable is the number of an operand's elements that can be picked.
const pickable = 8

// pick reads an operand at a computed place, mostly in range.
func (g *generator) pick() {
	t, by := []rowprog.Type{rowprog.I32, rowprog.F32, rowprog.I64, rowprog.F64}[g.IntN(4)],
		[]rowprog.Type{rowprog.I32, rowprog.I64}[g.IntN(2)]
	if g.wide {
		t = g.only
	}
	from := rowprog.Uniform + rowprog.Domain(g.IntN(3))
	index, d := g.valueOf(by)
	if g.independent {
		from = min(from, rowprog.Row)
		index, d = g.b.Convert(g.outside[g.IntN(len(g.outside))], by), rowprog.Row
	}
	if from == rowprog.Vec { // a row
		by = rowprog.I64
		index = g.b.ConstInt(by, int64(g.IntN(pickable)))
		if n := len(g.outside); n > 0 {
			index = g.b.Convert(g.outside[g.IntN(n)], by)
		}
	}
	if g.IntN(4) > 0 {
		index = g.b.Apply(rowprog.OpAnd, index, g.b.ConstInt(by, pickable-1))
	}
	g.picked++
	x := g.b.In(fmt.Sprintf("table%d", g.picked-1), t, from)
	g.keep(g.b.Pick(x, index, g.b.ConstInt(by, int64(g.IntN(pickable+1)))), max(d, from))
}

func (g *generator) constant() {
	t := g.typ()
	switch t {
	case rowprog.F32, rowprog.F64:
		g.keep(g.b.Const(t, floats[g.IntN(len(floats))]), rowprog.Const)
	case rowprog.Bool:
		g.keep(g.b.Const(t, float64(g.IntN(2))), rowprog.Const)
	default:
		g.keep(g.b.ConstInt(t, integers[g.IntN(len(integers))]), rowprog.Const)
	}
}

// value picks a usable value, preferably of the current stage.
func (g *generator) value() rowprog.Value {
	if n := len(g.inside); n > 0 && (len(g.outside) == 0 || g.IntN(4) > 0) {
		return g.inside[g.IntN(n)]
	}
	if n := len(g.outside); n > 0 {
		return g.outside[g.IntN(n)]
	}
	return rowprog.None
}

// valueOf makes a usable value of a type.
func (g *generator) valueOf(t rowprog.Type) (rowprog.Value, rowprog.Domain) {
	for range 4 {
		if v := g.value(); v != rowprog.None && g.b.TypeOf(v) == t {
			return v, g.domain(v)
		}
	}
	v := g.value()
	return g.b.Convert(v, t), g.domain(v)
}

func (g *generator) domain(v rowprog.Value) rowprog.Domain {
	if slices.Contains(g.inside, v) {
		return rowprog.Vec
	}
	return rowprog.Row
}

// primitive applies a random primitive to random values.
func (g *generator) primitive() {
	all := rowprog.Primitives()
	if g.wide {
		all = []rowprog.Op{rowprog.OpAdd, rowprog.OpSub, rowprog.OpMul, rowprog.OpNeg}
	}
	op := all[g.IntN(len(all))]
	t := g.typ()
	if op == rowprog.OpConvert {
		v, d := g.valueOf(t)
		g.keep(g.b.Convert(v, g.typ()), d)
		return
	}
	for !op.Accepts(t) {
		t = types[g.IntN(len(types))]
	}
	divides := op == rowprog.OpDiv || op == rowprog.OpRem || op == rowprog.OpFloorDiv
	if g.independent && divides {
		t = rowprog.F32 // integers have guards
	}
	args := make([]rowprog.Value, op.Arity())
	domain := rowprog.Uniform
	for i := range args {
		want := t
		if op == rowprog.OpSelect && i == 0 {
			want = rowprog.Bool
		}
		v, d := g.valueOf(want)
		args[i], domain = v, max(domain, d)
	}
	if divides && t != rowprog.F32 && t != rowprog.F64 && g.IntN(8) > 0 {
		args[1] = g.b.Apply(rowprog.OpOr, args[1], g.b.ConstInt(t, 1)) // seldom divide by zero
	}
	g.keep(g.b.Apply(op, args...), domain)
}

// reduction picks a reduction of type t up to last.
func (g *generator) reduction(t rowprog.Type, last rowprog.Reduction) rowprog.Reduction {
	if r := rowprog.Sum + rowprog.Reduction(g.IntN(int(last))); r.Accepts(t) {
		return r
	}
	return rowprog.NoReduction
}

// output makes an operand that is written, or a guard.
func (g *generator) output() {
	v := g.value()
	if v == rowprog.None {
		return
	}
	t, d := g.b.TypeOf(v), g.domain(v)
	if t == rowprog.Bool && g.IntN(4) == 0 && (!g.independent || d < rowprog.Vec && g.IntN(4) == 0) {
		culprit := v // whose bits are known: a NaN has any
		if other := g.value(); g.b.TypeOf(other).IsInt() {
			culprit = other
		}
		g.b.Guard(v, culprit, rowprog.FaultCode(g.outputs))
		return
	}
	if g.IntN(3) == 0 {
		d = rowprog.Vec // a value of the row can fill it, too
	}
	name := g.newOutput()
	if u := packed[g.IntN(len(packed))]; u.Computed() == t && g.IntN(2) == 0 {
		rounded := g.b.Convert(v, u)
		if g.IntN(2) == 0 {
			g.keep(g.b.Convert(rounded, t), g.domain(v))
		}
		g.b.Store(g.b.Out(name, u, d), rounded)
		return
	}
	if kind := g.reduction(t, rowprog.Min); kind != rowprog.NoReduction && g.IntN(2) == 0 &&
		(!g.independent || g.IntN(2) == 0) {
		over := rowprog.AxisSet(g.Uint32()) & (1<<g.outer - 1)
		g.b.Accumulate(g.b.Acc(name, t, d, over), kind, v)
		return
	}
	g.b.Store(g.b.Out(name, t, d), v)
}

// newOutput is a name for an operand that is written.
func (g *generator) newOutput() string {
	g.outputs++
	return fmt.Sprintf("y%d", g.outputs-1)
}

// update stores to an operand that is also loaded.
func (g *generator) update(in *input) {
	t := g.b.TypeOf(g.b.Load(in.operand))
	in.stored = true
	for range 4 {
		if v, d := g.valueOf(t.Computed()); d <= in.domain {
			g.b.Store(in.operand, g.b.Convert(v, t))
			return
		}
	}
	zero := g.b.Const(t, 0)
	g.b.Store(in.operand, zero)
}

var floats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -2.5, 3, 1e-3, 100, 1e30, -1e38, 1e-40,
	5e-324, math.Inf(1), math.Inf(-1), math.NaN(), 1 << 31, -1 << 63, 16777217}

var integers = []int64{0, 1, -1, 2, 3, -7, 31, 100, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64}
