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

// TestRandomSymbolicPrograms makes programs over named sizes and tries them for every size
// on a small grid with whole numbers, whose rules the files have confirmed. The judgement
// before sizes are known must fit: what is valid for some size is not refused, what fails
// for some size is not accepted, and binding says of each size what the numbers say.
// BROADLOOM_RANDOM is the number of programs.
func TestRandomSymbolicPrograms(t *testing.T) {
	programs := 200
	if n, err := strconv.Atoi(os.Getenv("BROADLOOM_RANDOM")); err == nil {
		programs = n
	}
	verdicts := map[string]int{}
	for seed := range programs {
		p := randomProgram{rng: rand.New(rand.NewPCG(uint64(seed), 11)), least: map[string]int64{}}
		row := p.row()
		row.ID = fmt.Sprint("seed ", seed)
		require.NoError(t, row.try())
		j := judgement{verdict: row.Verdict}
		require.NoError(t, guarded(func() error { return row.run(&j) }), "seed %d", seed)
		verdicts[row.Verdict+" "+j.ours]++
	}
	t.Log(verdicts)
	require.NotZero(t, verdicts["always proved"])
	require.NotZero(t, verdicts["never refused"])
	require.NotZero(t, verdicts["sometimes deferred"])
}

// randomProgram is a program that is made up.
type randomProgram struct {
	rng   *rand.Rand
	least map[string]int64
	steps []step
	names []string
	count int
}

// expressions over the two names; plain numbers and single names are drawn more often.
var expressions = []string{"n", "n", "n", "m", "m", "1", "2", "3", "n+1", "n+2", "2*n", "m+1", "n-1", "n+m", "n*m",
	"n//2", "(n+1)//2", "3*m", "2*n-1"}

func (p *randomProgram) size() graph.Dim {
	d, err := graph.ParseDim(expressions[p.rng.IntN(len(expressions))])
	if err != nil {
		panic(err)
	}
	return d
}

func (p *randomProgram) name() string {
	p.count++
	return fmt.Sprintf("v%d", p.count)
}

func (p *randomProgram) input(s graph.Shape) string {
	name := p.name()
	p.steps = append(p.steps, step{Op: "input", Out: names{name}, Shape: sizes(s)})
	return name
}

func (p *randomProgram) row() *symbolicRow {
	p.least["n"], p.least["m"] = int64(p.rng.IntN(3)), int64(p.rng.IntN(3))
	first := graph.Shape{}
	if p.rng.IntN(3) == 0 {
		first = graph.Shape{1, 2} // an image
	}
	for range 1 + len(first)/2 + p.rng.IntN(3-len(first)) {
		first = append(first, p.size())
	}
	p.names = append(p.names, p.input(first))
	for range 1 + p.rng.IntN(3) {
		p.grow()
	}
	return &symbolicRow{Group: "random", Program: p.steps, Least: p.least}
}

// shapeOf returns the shape that a value has so far; nil where a rule refuses the program.
func (p *randomProgram) shapeOf(name string) graph.Shape {
	built, err := (&symbolicRow{Program: p.steps, Least: p.least}).build(graph.Numpy)
	if err != nil || built.g.Err() != nil {
		return nil
	}
	return built.values[name].Shape()
}

// grow adds an operation on the last value, with another operand that nearly fits.
func (p *randomProgram) grow() {
	x := p.names[len(p.names)-1]
	s := p.shapeOf(x)
	if s == nil {
		return
	}
	raw := func(v any) json.RawMessage {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return text
	}
	out := step{In: []string{x}, Attrs: map[string]json.RawMessage{}}
	axis := p.rng.IntN(max(len(s), 1))
	kind := p.rng.IntN(14)
	if len(s) == 4 && p.rng.IntN(3) > 0 {
		kind = 14 + p.rng.IntN(2)
	}
	switch {
	case kind < 4:
		out.Op = []string{"add", "mul", "add_", "sub"}[kind]
		if out.writes() && slices.ContainsFunc(p.steps, func(s step) bool { return s.Op == "expand" }) {
			out.Op = "add" // repeated elements cannot be written, whatever their number
		}
		out.In = append(out.In, p.input(p.near(s)))
	case kind == 4:
		out.Op = "addcmul"
		out.In = append(out.In, p.input(p.near(s)), p.input(p.near(s)))
	case kind == 5 && len(s) > 0:
		out.Op, out.Attrs["dim"] = "concat", raw(axis)
		t := append(graph.Shape{}, s...)
		t[axis] = p.size()
		out.In = append(out.In, p.input(t))
	case kind == 6 && len(s) > 1:
		out.Op = "matmul"
		out.In = append(out.In, p.input(graph.Shape{p.nearly(s[len(s)-1]), p.size()}))
	case kind == 7 && len(s) > 1:
		out.Op, out.Attrs["dim0"], out.Attrs["dim1"] = "transpose", raw(0), raw(-1)
	case kind == 8 && len(s) > 0:
		out.Op, out.Attrs["dim"], out.Attrs["keepdim"] = "sum", raw(axis), raw(p.rng.IntN(2) == 0)
	case kind == 9:
		out.Op, out.Attrs["dim"] = "unsqueeze", raw(axis)
	case kind == 10 && len(s) > 0:
		out.Op = "reshape"
		to := []any{-1, s[axis].String()}
		if p.rng.IntN(2) == 0 {
			to = []any{s.NumElements().String(), p.size().String()}
		}
		out.Attrs["shape"] = raw(to)
	case kind == 11 && len(s) > 0:
		out.Op, out.Attrs["dim"] = "amax", raw([]int{axis})
	case kind == 12:
		out.Op, out.Attrs["dim"] = "stack", raw(axis)
		t := append(graph.Shape{}, s...)
		if len(t) > 0 {
			t[axis] = p.nearly(t[axis])
		}
		out.In = append(out.In, p.input(t))
	case kind == 13 && len(s) > 0:
		out.Op = "expand"
		to := []any{p.size().String()}
		for _, d := range s {
			to = append(to, p.nearly(d).String())
		}
		out.Attrs["size"] = raw(to)
	case kind == 14:
		k := graph.Dim(1 + p.rng.IntN(3))
		out.Op, out.Attrs["stride"], out.Attrs["padding"] = "conv2d", raw(1+p.rng.IntN(2)), raw(p.rng.IntN(2))
		out.In = append(out.In, p.input(graph.Shape{2, p.nearly(s[1]), k, k}))
	case kind == 15:
		out.Op = []string{"avg_pool2d", "max_pool2d"}[p.rng.IntN(2)]
		out.Attrs["kernel_size"], out.Attrs["stride"] = raw(2), raw(1+p.rng.IntN(2))
	default:
		return
	}
	if out.writes() {
		p.steps = append(p.steps, out)
		return
	}
	name := p.name()
	out.Out = names{name}
	p.steps = append(p.steps, out)
	p.names = append(p.names, name)
}

// near returns a shape that broadcasts with another one, or nearly.
func (p *randomProgram) near(s graph.Shape) graph.Shape {
	t := append(graph.Shape{}, s...)
	for i := range t {
		t[i] = p.nearly(t[i])
	}
	return t[p.rng.IntN(len(t)+1):]
}

func (p *randomProgram) nearly(d graph.Dim) graph.Dim {
	switch p.rng.IntN(8) {
	case 0:
		return 1
	case 1:
		return p.size()
	}
	return d
}

// gridTop is the number of values of each name that are tried.
const gridTop = 6

// try fills in the verdict and the samples by building the program with numbers.
func (row *symbolicRow) try() error {
	valid, tried := 0, 0
	for n := range int64(gridTop) {
		for m := range int64(gridTop) {
			dims := map[string]int64{"n": row.Least["n"] + n, "m": row.Least["m"] + m}
			ok, shape, known, err := row.static(dims)
			if err != nil {
				return err
			}
			if !known {
				continue
			}
			if tried++; ok {
				valid++
			}
			row.Samples = append(row.Samples, sample{Dims: dims, OK: ok, Result: shape})
		}
	}
	row.Verdict = "sometimes"
	switch valid {
	case 0:
		row.Verdict = "never"
	case tried:
		row.Verdict = "always"
	}
	return nil
}

// static builds the program for one choice of sizes; known is false where a size would be
// negative.
func (row *symbolicRow) static(dims map[string]int64) (ok bool, shape []int, known bool, err error) {
	number := func(d graph.Dim) graph.Dim {
		v, _ := d.Eval(func(name string) (int64, bool) { return dims[name], true })
		return graph.Dim(v)
	}
	fixed := &symbolicRow{}
	for _, s := range row.Program {
		s.Shape = append(sizes{}, s.Shape...)
		for i, d := range s.Shape {
			if s.Shape[i] = number(d); s.Shape[i] < 0 {
				return false, nil, false, nil
			}
		}
		for _, name := range []string{"shape", "size"} {
			to := s.Attrs[name]
			if to == nil {
				continue
			}
			var list sizes
			if err := json.Unmarshal(to, &list); err != nil {
				return false, nil, false, err
			}
			s.Attrs = map[string]json.RawMessage{}
			for i := range list {
				if list[i] == -1 {
					continue
				}
				if list[i] = number(list[i]); list[i] < 0 {
					return false, nil, false, nil // -1 would be found from the others
				}
			}
			if s.Attrs[name], err = json.Marshal([]graph.Dim(list)); err != nil {
				return false, nil, false, err
			}
		}
		fixed.Program = append(fixed.Program, s)
	}
	p, err := fixed.build(graph.Numpy)
	if err != nil {
		return false, nil, false, err
	}
	if shapeinfer.Check(p.g).Err() != nil {
		return false, nil, true, nil
	}
	shape, _ = p.last.Shape().Ints()
	return true, shape, true, nil
}
