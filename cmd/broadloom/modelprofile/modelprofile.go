// Package modelprofile is the part of "broadloom profile" that runs inside the programs that it builds. It runs a model
// on random inputs and measures its kernels.
package modelprofile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/broadloom/broadloom/cmd/broadloom/modelprogram"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// Args are the arguments of [Profile].
type Args struct {
	Sizes   map[string]int64 // named sizes; others get usual ones
	Runs    int
	Threads int
	Trace   bool // a trace is asked for
}

// Result is the result of [Profile].
type Result struct {
	Report string
	Usual  []string // the named sizes that Args leaves open, as "batch = 32"
	Dims   []string // the named sizes of the model
	Trace  []byte   // in the trace event format
}

// DimsOf reads the named sizes of a model from a [Result].
func DimsOf(result json.RawMessage) (dims []string, err error) {
	var r Result
	err = json.Unmarshal(result, &r)
	return r.Dims, err
}

// machine measures the machine once for all models of a package.
var machine struct {
	sync.Mutex
	exec.Machine
}

func measured(threads int) (exec.Machine, error) {
	machine.Lock()
	defer machine.Unlock()
	var err error
	if machine.Threads == 0 {
		machine.Machine, err = exec.MeasureMachine(threads)
	}
	return machine.Machine, err
}

// Profile runs a graph and measures its kernels.
func Profile(g *graph.Graph, args json.RawMessage) (any, error) {
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if shapeinfer.Check(g).Err() != nil {
		return nil, modelprogram.ErrMistakes
	}
	prog, err := modelprogram.Compile(g)
	if err != nil {
		return nil, err
	}
	r := &Result{Dims: g.DimNames()}
	sizes, options := prog.UsualSizes(), []exec.SessionOption{exec.Threads(a.Threads)}
	for _, name := range g.DimNames() {
		if n, given := a.Sizes[name]; given {
			sizes[name] = int(n)
		} else {
			r.Usual = append(r.Usual, fmt.Sprintf("%s = %d", name, sizes[name]))
		}
	}
	if _, err := prog.Footprint(sizes); err != nil { // before there are data
		return nil, fmt.Errorf("%w%s", modelprogram.Unbound(err), r.openSizes())
	}
	feed := exec.Feed{}
	random := rand.New(rand.NewPCG(1, 2))
	for _, in := range g.Inputs() {
		if feed[in], err = values(in, sizes, random); err != nil {
			return nil, err
		}
	}
	for name, n := range sizes {
		if !inInputs(g, name) {
			options = append(options, exec.Size(name, n))
		}
	}
	p, err := prog.NewSession(options...).Profile(context.Background(), feed, a.Runs)
	if err != nil {
		return nil, err
	}
	m, err := measured(a.Threads)
	if err != nil {
		return nil, err
	}
	r.Report = p.Report(m)
	if a.Trace {
		var b bytes.Buffer
		if err := p.WriteTrace(&b); err != nil {
			return nil, err
		}
		r.Trace = b.Bytes()
	}
	return r, nil
}

// openSizes reports which sizes were chosen for the user, if they do not fit together.
func (r *Result) openSizes() string {
	if len(r.Usual) == 0 {
		return ""
	}
	return fmt.Sprintf(" (no -size gives %s)", strings.Join(r.Usual, ", "))
}

// inInputs reports whether a size is that of an axis of some input.
func inInputs(g *graph.Graph, name string) bool {
	for _, in := range g.Inputs() {
		for _, d := range in.Shape() {
			if d.String() == name {
				return true
			}
		}
	}
	return false
}

// mostElements bounds an input that is made: 16 GiB of float32.
const mostElements = 4 << 30

// values makes an input: normally distributed numbers, zeros for integers, which are usually indices, and booleans that
// alternate.
func values(in *graph.Node, sizes map[string]int, random *rand.Rand) (a exec.Array, err error) {
	count := int64(1)
	a.Shape = make([]int, in.Rank())
	for axis, d := range in.Shape() {
		n, err := d.Eval(func(name string) (int64, bool) { v, known := sizes[name]; return int64(v), known })
		if err != nil {
			return a, fmt.Errorf("input %s: the size %s: %w", in.Label(), d, err)
		}
		if n > 0 && count > mostElements/n {
			return a, fmt.Errorf("input %s %v has too many elements: set smaller sizes with -size", in.Label(),
				in.Shape())
		}
		a.Shape[axis], count = int(n), count*n
	}
	a.Data = in.DType().MakeSlice(int(count))
	for i := range int(count) {
		switch t := in.DType(); {
		case t.IsFloat():
			graph.SetNumberAt(a.Data, i, random.NormFloat64(), 0)
		case t == graph.Bool:
			graph.SetNumberAt(a.Data, i, float64((i+1)%2), 0)
		}
	}
	return a, nil
}
