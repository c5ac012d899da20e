package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// TestRandomWrites makes programs of views and writes and runs them on memory with strides,
// statement by statement, as PyTorch does. The graph must refuse exactly the writes whose
// result depends on the order of elements, and give the same values otherwise.
// BROADLOOM_RANDOM is the number of programs.
func TestRandomWrites(t *testing.T) {
	programs := 300
	if n, err := strconv.Atoi(os.Getenv("BROADLOOM_RANDOM")); err == nil {
		programs = n
	}
	refused, writes := 0, 0
	for seed := range programs {
		count, overlaps := writesAgree(t, uint64(seed))
		writes += count
		if overlaps {
			refused++
		}
	}
	t.Logf("%d writes, %d programs refused", writes, refused)
	require.NotZero(t, refused)
}

// FuzzRandomWrites is [TestRandomWrites] for any seed.
func FuzzRandomWrites(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { writesAgree(t, seed) })
}

// writesAgree compares one program; overlaps says that it is to be refused.
func writesAgree(t *testing.T, seed uint64) (writes int, overlaps bool) {
	t.Helper()
	p := newWritesProgram(seed)
	overlaps = p.run(t)
	report := shapeinfer.Check(p.v.g)
	about := fmt.Sprintf("seed %d: %s", seed, describe(p.steps))
	if overlaps {
		require.Error(t, report.Err(), about)
		code := report.Errors[0].Code
		require.True(t, code == graph.CodeSelfOverlap || code == graph.CodeOperandOverlap, "%s\n%v", about, report)
		return p.writes, true
	}
	require.NoError(t, report.Err(), about)
	values, _ := p.v.results()
	var outputs []*graph.Node
	for _, name := range p.v.names {
		outputs = append(outputs, values[name])
	}
	got, err := compute(p.v.g, outputs, p.v.fed)
	require.NoError(t, err, about)
	for i, name := range p.v.names {
		m := p.memory[name]
		require.NoError(t, got[i].want(name, m.shape, m.elements(), tolerance{relative: 1e-12}), about)
	}
	return p.writes, false
}

// TestGradientsOfRandomWrites compares the gradients of the same kind of programs with
// central differences of what the statements compute. A write that destroys what a
// gradient needs may be refused.
func TestGradientsOfRandomWrites(t *testing.T) {
	programs := 200
	if n, err := strconv.Atoi(os.Getenv("BROADLOOM_RANDOM")); err == nil {
		programs = n
	}
	given, refused := 0, 0
	for seed := range programs {
		p := newWritesProgram(uint64(seed))
		p.differentiable = true
		if p.run(t) {
			continue
		}
		y := p.v.names[3+p.rng.IntN(len(p.v.names)-3)]
		about := fmt.Sprintf("seed %d: %s; backward(%s)", seed, describe(p.steps), y)
		s := step{Op: "backward", In: []string{y}}
		require.NoError(t, p.v.step(&s), about)
		_, grads := p.v.results()
		if report := shapeinfer.Check(p.v.g); report.Err() != nil {
			code := report.Errors[0].Code
			require.True(t, code == graph.CodeOrder ||
				code == graph.CodeGradient && len(grads) == 0, "%s\n%v", about, report)
			refused++
			continue
		}
		given++
		for name, dx := range grads {
			got, err := compute(p.v.g, []*graph.Node{dx}, p.v.fed)
			require.NoError(t, err, about)
			want := p.differences(name, y)
			require.NoError(t, got[0].want(name, p.memory[name].shape, want, tolerance{relative: 1e-5, absolute: 1e-4}),
				about)
		}
	}
	t.Logf("%d programs differentiated, %d refused", given, refused)
	require.Greater(t, given, 4*refused)
}

// differences returns the central differences of the sum of y with respect to a leaf.
func (p *writesProgram) differences(leaf, y string) []float64 {
	const h = 1e-3
	data := p.leaves[leaf]
	list := make([]float64, len(data))
	side := func(i int, at float64) (sum float64) {
		old := data[i]
		data[i] = at
		for _, v := range p.simulate(p.leaves)[y].elements() {
			sum += v
		}
		data[i] = old
		return sum
	}
	for i, v := range data {
		list[i] = (side(i, v+h) - side(i, v-h)) / (2 * h)
	}
	return list
}

func newWritesProgram(seed uint64) *writesProgram {
	return &writesProgram{rng: rand.New(rand.NewPCG(seed, 12)), v: newVariables(graph.RefuseAlias),
		memory: map[string]*strided{}, leaves: map[string][]float64{}}
}

// writesProgram is a program that is made up and run at the same time.
type writesProgram struct {
	rng    *rand.Rand
	v      *variables
	memory map[string]*strided
	steps  []step
	count  int
	writes int
	// differentiable programs write copies of their leaves only.
	differentiable bool
	leaves         map[string][]float64
	replay         []func(memory map[string]*strided) // the steps after the leaves
}

// simulate runs the steps on other values of the leaves.
func (p *writesProgram) simulate(leaves map[string][]float64) map[string]*strided {
	memory := map[string]*strided{}
	for name, data := range leaves {
		memory[name] = dense(p.memory[name].shape, slices.Clone(data))
	}
	for _, do := range p.replay {
		do(memory)
	}
	return memory
}

// run makes and runs the program; it gives true where it ends at a write whose result
// depends on the order of elements.
func (p *writesProgram) run(t *testing.T) (overlap bool) {
	do := func(s step) {
		p.steps = append(p.steps, s)
		require.NoError(t, p.v.step(&s), describe(p.steps))
	}
	for i, shape := range [][]int{{3, 4}, {4}, {2, 3, 2}} {
		data := make([]float64, shape[0]*max(1, product(shape[1:])))
		for k := range data {
			data[k] = float64(p.rng.IntN(9) + 1)
		}
		name := fmt.Sprintf("x%d", i)
		do(step{Op: "leaf", Out: names{name}, Shape: sizes(graph.MakeShape(shape...)), DType: "float64", Data: data,
			RequiresGrad: p.differentiable})
		p.memory[name] = dense(shape, slices.Clone(data))
		p.leaves[name] = data
	}
	free := 0
	if p.differentiable {
		free = len(p.v.names)
		for _, name := range p.v.names[:free] {
			s := step{Op: "clone", In: []string{name}, Out: names{"c" + name}}
			p.note(s, p.memory[name], true)
			do(s)
		}
	}
	for range 4 + p.rng.IntN(8) {
		name := p.v.names[free+p.rng.IntN(len(p.v.names)-free)]
		if p.rng.IntN(2) == 0 {
			if s, m := p.view(name); m != nil {
				p.note(s, m, s.Op == "clone")
				do(s)
			}
			continue
		}
		s, overlaps, fits := p.write(name)
		if !fits {
			continue
		}
		p.writes++
		do(s)
		if overlaps {
			return true
		}
	}
	return false
}

// note records which of its operand's memory a view or a copy shows.
func (p *writesProgram) note(s step, m *strided, isCopy bool) {
	show := func(memory map[string]*strided) {
		x := memory[s.In[0]]
		if isCopy {
			memory[s.Out[0]] = dense(x.shape, x.elements())
			return
		}
		memory[s.Out[0]] = &strided{x.cells, m.shape, m.strides, m.offset}
	}
	p.replay = append(p.replay, show)
	show(p.memory)
}

func product(list []int) int {
	n := 1
	for _, d := range list {
		n *= d
	}
	return n
}

func (p *writesProgram) attrs(pairs ...any) map[string]json.RawMessage {
	raw := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		raw[pairs[i].(string)], _ = json.Marshal(pairs[i+1])
	}
	return raw
}

// view draws a view, or a new value, of a value.
func (p *writesProgram) view(name string) (s step, m *strided) {
	x := p.memory[name]
	rank := len(x.shape)
	p.count++
	s = step{In: []string{name}, Out: names{fmt.Sprintf("v%d", p.count)}}
	if rank == 0 {
		return s, nil
	}
	axis := p.rng.IntN(rank)
	drop := func(list []int) []int { return slices.Delete(slices.Clone(list), axis, axis+1) }
	switch p.rng.IntN(7) {
	case 0:
		at := p.rng.IntN(x.shape[axis])
		s.Op, s.Attrs = "select", p.attrs("dim", axis, "index", at)
		m = x.view(drop(x.shape), drop(x.strides), x.offset+at*x.strides[axis])
	case 1:
		start, step := p.rng.IntN(x.shape[axis]), 1+p.rng.IntN(2)
		stop := start + 1 + p.rng.IntN(x.shape[axis]-start)
		s.Op, s.Attrs = "slice", p.attrs("dim", axis, "start", start, "stop", stop, "step", step)
		m = x.view(slices.Clone(x.shape), slices.Clone(x.strides), x.offset+start*x.strides[axis])
		m.shape[axis], m.strides[axis] = (stop-start+step-1)/step, x.strides[axis]*step
	case 2:
		other := p.rng.IntN(rank)
		s.Op, s.Attrs = "transpose", p.attrs("dim0", axis, "dim1", other)
		m = x.view(slices.Clone(x.shape), slices.Clone(x.strides), x.offset)
		m.shape[axis], m.shape[other] = m.shape[other], m.shape[axis]
		m.strides[axis], m.strides[other] = m.strides[other], m.strides[axis]
	case 3:
		s.Op, s.Attrs = "unsqueeze", p.attrs("dim", axis)
		m = x.view(slices.Insert(slices.Clone(x.shape), axis, 1), slices.Insert(slices.Clone(x.strides), axis, 0),
			x.offset)
	case 4:
		s.Op, s.Attrs = "expand", p.attrs("size", append([]int{2}, x.shape...))
		m = x.broadcast(append([]int{2}, x.shape...))
	case 5:
		if rank < 2 || x.shape[0] != x.shape[1] {
			return s, nil
		}
		s.Op, s.Attrs = "diagonal", p.attrs()
		m = x.view(append(slices.Clone(x.shape[2:]), x.shape[0]),
			append(slices.Clone(x.strides[2:]), x.strides[0]+x.strides[1]), x.offset)
	default:
		s.Op = "clone"
		m = dense(slices.Clone(x.shape), x.elements())
	}
	return s, m
}

// write draws a change of a value by a number or by another value that fits; overlaps says
// that its result depends on the order of elements.
func (p *writesProgram) write(name string) (s step, overlaps, fits bool) {
	dest := p.memory[name]
	ops := map[string]func(x, y float64) float64{
		"add_":  func(x, y float64) float64 { return x + y },
		"mul_":  func(x, y float64) float64 { return x * y },
		"copy_": func(_, y float64) float64 { return y },
	}
	s.Op = []string{"add_", "mul_", "copy_", "fill_"}[p.rng.IntN(4)]
	s.In = []string{name}
	places := dest.places()
	change := func(f func(x, y float64) float64, operand string) {
		do := func(memory map[string]*strided) {
			dest := memory[name]
			values := []float64{7}
			if operand != "" {
				values = memory[operand].broadcast(dest.shape).elements()
			}
			for i, at := range dest.places() {
				dest.cells[at] = f(dest.cells[at], values[i%len(values)])
			}
		}
		p.replay = append(p.replay, do)
		do(p.memory)
	}
	if s.Op == "fill_" {
		s.Attrs = p.attrs("value", 7)
		change(ops["copy_"], "")
		return s, false, true
	}
	other := p.v.names[p.rng.IntN(len(p.v.names))]
	x := p.memory[other]
	if !fitsInto(x.shape, dest.shape) {
		return s, false, false
	}
	s.In = append(s.In, other)
	from := x.broadcast(dest.shape)
	written := map[int]int{}
	for i, at := range places {
		if _, twice := written[at]; twice && (s.Op != "copy_" || len(x.shape) > 0 || dest.shares(x)) {
			return s, true, true // one number in all elements has no order
		}
		written[at] = i
	}
	if dest.shares(x) {
		for i, at := range from.places() {
			if k, is := written[at]; is && k != i {
				return s, true, true
			}
		}
	}
	change(ops[s.Op], other)
	return s, false, true
}
