package hostile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	gostrings "strings"
	"time"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

const (
	maxTime   = 20 * time.Second // of one call and all that is made of it, on a busy machine
	maxMemory = 256 << 20
)

// attempt calls a function and judges what it gave; the text says what was wrong.
func attempt(fn reflect.Value, in []arg) (problem string) {
	defer func() {
		if p := recover(); p != nil {
			problem = fmt.Sprintf("panic: %v\n%s", p, stack())
		}
	}()
	begin, before := time.Now(), allocated()
	w := newWorld()
	out := call(fn, in, w)
	if problem == "" {
		problem = judge(w, nodesIn(out))
	}
	switch took, asked := time.Since(begin), allocated()-before; {
	case problem != "":
	case took > maxTime:
		problem = fmt.Sprintf("took %s", took)
	case asked > maxMemory:
		problem = fmt.Sprintf("allocated %d MB", asked>>20)
	}
	return problem
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// stack returns the lines of the library in the stack of a panic.
func stack() string {
	var lines []string
	for _, line := range gostrings.Split(string(debug.Stack()), "\n") {
		if gostrings.HasPrefix(line, "\t") && gostrings.Contains(line, "/") && !gostrings.Contains(line, "_test.go") &&
			!gostrings.Contains(line, "/src/") {
			lines = append(lines, line)
		}
	}
	return gostrings.Join(lines[:min(len(lines), 5)], "\n")
}

// nodesIn lists the nodes that a function gave.
func nodesIn(out []reflect.Value) (list []*graph.Node) {
	for _, v := range out {
		switch v := v.Interface().(type) {
		case *graph.Node:
			list = append(list, v)
		case []*graph.Node:
			list = append(list, v...)
		}
	}
	return slices.DeleteFunc(list, func(n *graph.Node) bool { return n == nil })
}

// judge checks, compiles and runs what was built: no step may refuse what the one before
// has accepted.
func judge(w *world, roots []*graph.Node) string {
	report := shapeinfer.Check(w.g)
	if text := badText(report.Err()); text != "" {
		return text
	}
	_ = w.g.String()
	if len(roots) == 0 {
		return ""
	}
	if roots = append(roots, gradients(w, roots)...); len(report.Errors) == 0 {
		report = shapeinfer.Check(w.g)
	}
	foreign := slices.ContainsFunc(roots, func(n *graph.Node) bool { return n.Graph() != w.g })
	var updates []*graph.Node
	for _, n := range roots {
		if n.Op() != nil && n.Op().Class == graph.Update {
			updates = append(updates, n)
		}
	}
	program, err := exec.Compile(w.g, exec.Outputs(roots...), exec.Updates(updates...), exec.OnWarning(nil))
	switch text := badText(err); {
	case text != "":
		return text
	case err != nil && len(report.Errors) == 0 && !foreign && !isOfProgram(err):
		return "accepted by the check and refused by Compile: " + err.Error()
	case err != nil:
		return ""
	case foreign:
		return "compiled with a node of no or another graph"
	}
	return run(w, program)
}

// isOfProgram reports whether an error is of the choice of outputs and updates, which the
// check of the graph does not know.
func isOfProgram(err error) bool {
	var report *shapeinfer.Report
	return errors.As(err, &report)
}

// gradients asks for those of the floating-point results, for all inputs.
func gradients(w *world, roots []*graph.Node) (grads []*graph.Node) {
	var wrt []*graph.Node
	for _, x := range slices.Concat(w.g.Inputs(), w.g.Params()) {
		if x.Judged() && x.DType().IsFloat() {
			wrt = append(wrt, x)
		}
	}
	for _, n := range roots {
		if n.Graph() == w.g && n.Judged() && n.DType().IsFloat() && n.Op().Class != graph.Update && len(wrt) > 0 {
			grads = append(grads, autodiff.Grad(ops.Sum(n), wrt, autodiff.ZeroForUnused())...)
		}
	}
	return slices.DeleteFunc(grads, func(n *graph.Node) bool { return n == nil })
}

// badText says what is wrong with an error that a user would read, or nothing.
func badText(err error) string {
	var bug *exec.BugError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &bug):
		return err.Error()
	}
	text := err.Error()
	for _, bad := range []string{"%!", "<nil>", "Refused(", "?: error", "runtime error", "panics at"} {
		if gostrings.Contains(text, bad) {
			return fmt.Sprintf("%q in the text of an error: %s", bad, text)
		}
	}
	return ""
}

// maxRun is the number of elements of a program's values up to which it is run.
const maxRun = 1 << 16

func run(w *world, p *exec.Program) string {
	const n = 4
	feed := exec.Feed{}
	for _, x := range w.g.Nodes() {
		count, err := x.Shape().NumElements().Eval(func(string) (int64, bool) { return n, true })
		if err != nil || count < 0 || count > maxRun { // the program may do without
			return ""
		}
		if x.IsInput() {
			feed[x] = exec.Array{Shape: sizesOf(x.Shape(), n), Data: zeros(x.DType(), int(count))}
		}
	}
	footprint, err := p.Footprint(map[string]int{"n": n})
	if text := badText(err); text != "" {
		return text
	}
	if err != nil || footprint.Arena > 8*maxRun {
		return ""
	}
	_, err = p.NewSession(exec.Size("n", n), exec.PrintTo(io.Discard)).Run(context.Background(), feed)
	return badText(err)
}

func sizesOf(shape graph.Shape, n int64) (sizes []int) {
	for _, d := range shape {
		v, _ := d.Eval(func(string) (int64, bool) { return n, true })
		sizes = append(sizes, int(v))
	}
	return sizes
}

func zeros(t graph.DType, count int) any {
	switch t {
	case graph.Bool:
		return make([]bool, count)
	case graph.Int32:
		return make([]int32, count)
	case graph.Int64:
		return make([]int64, count)
	case graph.Float32:
		return make([]float32, count)
	}
	return make([]float64, count)
}
