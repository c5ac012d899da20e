package language

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest"
)

const (
	bindings = 4
	// patience is the time limit of a run.
	patience = 20 * time.Second
	// wholly is the most values that a program returns besides its outputs if all are stored.
	wholly = 200
)

// Functions returns the number of functions. As many programs with consecutive seeds call all of them.
func Functions() int { return len(calls()) }

// Calls returns the functions that a program calls.
func Calls(seed uint64) []string { return draw(seed, true).calls }

// Text prints a program.
func Text(seed uint64) string { return draw(seed, true).g.String() }

// Check draws a program from a seed, runs it on one thread and more, and compares its results with those when all
// intermediate values are outputs too.
func Check(seed uint64) (v difftest.Verdict) {
	v.Seed = seed
	var p *program
	defer func() {
		if r := recover(); r != nil {
			v.Fault, v.Detail = "panic: "+fmt.Sprint(r), string(debug.Stack())
		}
		if v.Fault != "" && p != nil {
			v.Fault = strings.Join(p.calls, " ") + ": " + v.Fault
		}
	}()
	p = draw(seed, true)
	if p.g.Err() != nil { // where no gradient flows, say
		p = draw(seed, false)
	}
	fused, whole, ok := p.compile(&v)
	if !ok {
		return v
	}
	c := &checker{p: p, v: &v}
	hash := fnv.New64a()
	for k := range bindings {
		v.Binding = k
		if !c.run(fused, whole, uint64(k)) {
			return v
		}
		for _, x := range c.answer {
			hash.Write(binary.LittleEndian.AppendUint64(nil, x))
		}
	}
	v.Binding, v.Hash = 0, hash.Sum64()
	return v
}

// compile compiles a program, and once more with all values as outputs, except views. The memory layout of a kernel's
// results decides how long its rows are, and so the order of its sums: the results are compared up to rounding.
func (p *program) compile(v *difftest.Verdict) (fused, whole *exec.Program, ok bool) {
	outputs := slices.Clone(p.outputs)
	for _, n := range p.g.Nodes() {
		if n.Judged() && n.Region() == nil && !n.IsInput() && !n.IsConst() && !n.IsView() &&
			n.Op().Class != graph.Loop && len(outputs) < wholly {
			outputs = append(outputs, n)
		}
	}
	for i, list := range [][]*graph.Node{p.outputs, outputs} {
		prog, err := exec.Compile(p.g, exec.Outputs(list...), exec.OnWarning(nil))
		var mistake *graph.Mistake
		switch {
		case errors.As(err, &mistake):
			v.Refused, v.Detail = string(mistake.Code), err.Error()
			return nil, nil, false
		case err != nil:
			v.Fault, v.Detail = "compile", err.Error()
			return nil, nil, false
		case i == 0:
			fused = prog
		default:
			whole = prog
		}
	}
	return fused, whole, true
}

type checker struct {
	p      *program
	v      *difftest.Verdict
	answer []uint64     // of the last run
	arrays []exec.Array // the same
}

// run runs both programs on one binding's elements and reports whether all agree.
func (c *checker) run(fused, whole *exec.Program, k uint64) bool {
	feed, at, err := c.p.feeds(rand.New(rand.NewPCG(c.v.Seed, k)))
	if err != nil {
		c.v.Refused, c.v.Detail = "sizes", err.Error()
		return true
	}
	var first error
	c.answer = nil
	for i, threads := range []int{1, 2, 3, 1} {
		prog, how := fused, fmt.Sprintf("%d threads", threads)
		if i == 3 {
			prog, how = whole, "all values stored"
		}
		got, arrays, err := c.once(prog, threads, feed, at)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			c.v.Fault, c.v.Detail = "it does not end", fmt.Sprint(at)
			return false
		case i == 0:
			c.answer, c.arrays, first = got, arrays, err
		case i == 3 && err != nil && first == nil: // values that no output needs may have none, for these sizes
			return true
		case (err == nil) != (first == nil):
			c.v.Fault, c.v.Detail = how+": an error, or none", fmt.Sprintf("%v: %v, not %v", at, err, first)
			return i == 3
		case i == 3 && nearly(arrays, c.arrays):
		case !slices.Equal(got, c.answer):
			c.v.Fault, c.v.Detail = how+": other bits",
				fmt.Sprintf("%v: element %s of %s", at, differs(got, c.answer), c.p.g)
			return false
		}
		c.v.Runs++
	}
	if first != nil {
		c.v.Failed++
		c.v.Detail = first.Error()
	}
	if isBug(first) {
		c.v.Fault = "run"
		return false
	}
	return true
}

// isBug reports whether an error is the library's fault.
func isBug(err error) bool {
	var b *exec.BugError
	return errors.As(err, &b)
}

func differs(x, y []uint64) string {
	for i := range x {
		if i < len(y) && x[i] != y[i] {
			return fmt.Sprintf("%d, %x and %x,", i, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d or %d", len(x), len(y))
}

// once runs a program and returns the bits of its outputs.
func (c *checker) once(prog *exec.Program, threads int, feed exec.Feed, at map[string]int64) (list []uint64,
	arrays []exec.Array, err error) {
	opts := []exec.SessionOption{exec.Threads(threads), exec.Seed(c.v.Seed), exec.PrintTo(io.Discard)}
	for _, name := range c.p.g.DimNames() {
		opts = append(opts, exec.Size(name, int(at[name])))
	}
	ctx, end := context.WithTimeout(context.Background(), patience)
	defer end()
	r, err := prog.NewSession(opts...).Run(ctx, feed)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range c.p.outputs {
		a, err := r.Array(n)
		if err != nil {
			return nil, nil, err
		}
		list, arrays = append(append(list, uint64(len(a.Shape))), bits(a)...), append(arrays, a.Clone())
	}
	return list, arrays, nil
}
