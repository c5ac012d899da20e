package exec_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// profiled runs a program of one output on ones.
func profiled(t *testing.T, y *graph.Node, runs int, opts ...exec.SessionOption) *exec.Profile {
	prog, err := exec.Compile(y.Graph(), exec.Outputs(y))
	require.NoError(t, err)
	feed := exec.Feed{}
	for _, n := range y.Graph().Inputs() {
		shape, count := []int{}, 1
		for _, d := range n.Shape() {
			size, err := d.Eval(func(string) (int64, bool) { return 512, true })
			require.NoError(t, err)
			shape, count = append(shape, int(size)), count*int(size)
		}
		switch n.DType() {
		case graph.Int64:
			feed[n] = exec.Array{Shape: shape, Data: make([]int64, count)}
		case graph.Float64:
			feed[n] = exec.Array{Shape: shape, Data: make([]float64, count)}
		default:
			feed[n] = exec.Array{Shape: shape, Data: make([]float32, count)}
		}
	}
	p, err := prog.NewSession(opts...).Profile(context.Background(), feed, runs)
	require.NoError(t, err)
	return p
}

// Bytes and operations are those that are known from the sizes, and shares those of a machine that
// copies and computes a billion a second.
func TestRooflineOfKnownKernels(t *testing.T) {
	const n = 512
	machine := exec.Machine{Threads: 1, Copy: 1e9, Float32: 1e9, Float64: 0.5e9}
	for name, c := range map[string]struct {
		build        func(g *graph.Graph, x *graph.Node) *graph.Node
		dtype        graph.DType
		bytes, flops int
	}{
		"copy": {func(_ *graph.Graph, x *graph.Node) *graph.Node { return ops.Copy(x) }, graph.Float32, 8 * n * n, 0},
		"product": {func(g *graph.Graph, x *graph.Node) *graph.Node {
			return ops.MatMul(x, g.Input("w", graph.Float32, n, 64))
		}, graph.Float32, 4 * (n*n + n*64 + n*64), 2 * n * n * 64},
		"product of elements of 8 bytes": {func(g *graph.Graph, x *graph.Node) *graph.Node {
			return ops.MatMul(x, g.Input("w", graph.Float64, n, 64))
		},
			graph.Float64, 8 * (n*n + n*64 + n*64), 2 * n * n * 64},
		"repeated operand": {func(g *graph.Graph, x *graph.Node) *graph.Node {
			return ops.Add(x, g.Input("b", graph.Float32, n))
		}, graph.Float32, 4 * (2*n*n + n), n * n},
		"sum": {func(_ *graph.Graph, x *graph.Node) *graph.Node { return ops.Sum(x, 1) }, graph.Float32, 4 * (n*n + n),
			n * n},
		"gather": {func(g *graph.Graph, x *graph.Node) *graph.Node {
			return ops.IndexSelect(x, 0, g.Input("i", graph.Int64, 16))
		}, graph.Float32, 8*16 + 2*4*16*n, 0},
	} {
		t.Run(name, func(t *testing.T) {
			g := graph.New("known")
			p := profiled(t, c.build(g, g.Input("x", c.dtype, g.Dim("n"), n)), 2)
			list := p.Roofline(machine)
			require.Len(t, list, 1)
			r := list[0]
			require.Equal(t, c.bytes, r.Bytes)
			require.Equal(t, c.flops, r.Flops)
			require.Equal(t, p.Kernels[0], r.Time)
			require.InDelta(t, 1, r.Share, 1e-9)
			seconds := r.Time.Seconds()
			require.InEpsilon(t, float64(c.bytes)/1e9/seconds, r.OfCopy, 1e-6)
			perSecond := 1e9
			if c.dtype == graph.Float64 {
				perSecond = 0.5e9
			}
			require.InDelta(t, float64(c.flops)/perSecond/seconds, r.OfPeak, 1e-6*math.Max(1, r.OfPeak))
			if c.flops > c.bytes {
				require.Equal(t, "arithmetic", r.Roof())
			} else {
				require.Equal(t, "memory", r.Roof())
			}
		})
	}
}

// Products that run together on one block of rows after another are measured as one, with the operations and bytes of
// all.
func TestRooflineOfProductsThatRunTogether(t *testing.T) {
	const batch, n, width = 16, 512, 64
	g := graph.New("together")
	q, k, v := g.Input("q", graph.Float32, batch, n, width), g.Input("k", graph.Float32, batch, n, width),
		g.Input("v", graph.Float32, batch, n, width)
	y := ops.MatMul(ops.Relu(ops.MatMul(q, ops.Transpose(k, 1, 2))), v)
	list := profiled(t, y, 2).Roofline(exec.Machine{Threads: 1, Copy: 1e9, Float32: 1e9, Float64: 0.5e9})
	require.Greater(t, len(list), 1)
	require.Equal(t, 1, list[0].Passes)
	require.Equal(t, 2*2*batch*n*n*width+batch*n*n, list[0].Flops)
	require.Equal(t, 4*4*batch*n*width, list[0].Bytes)
	for _, r := range list[1:] {
		require.Zero(t, r.Passes)
		require.Zero(t, r.Time)
	}
}

// A report has the rates and the lines of the ten kernels that take the most time.
func TestProfileReport(t *testing.T) {
	machine, err := exec.MeasureMachine(1)
	require.NoError(t, err)
	require.Greater(t, machine.Copy, 1e8)
	g := graph.New("chain")
	y := g.Input("x", graph.Float32, 16, 64)
	for i := range 12 {
		y = ops.MatMul(y, g.Input(fmt.Sprint("w", i), graph.Float32, 64, 64))
	}
	p := profiled(t, y, 3)
	report := p.Report(machine)
	require.Contains(t, report, `graph "chain": 12 kernels`)
	require.Contains(t, report, "of copy")
	require.Contains(t, report, "the 10 that take the most time\n")
	require.Regexp(t, `\n        roofline_test.go:\d+ \(MatMul\)  y = ops.MatMul\(y, g.Input`, report)
	require.Contains(t, (&exec.Profile{Runs: 1}).Report(machine), "not made by a session")
	require.Contains(t, (&exec.Profile{Runs: 1}).String(), "not made by a session")
	require.Nil(t, (&exec.Profile{Runs: 1}).Roofline(machine))
}

// event is an event of the trace event format.
type event struct {
	Name string
	Cat  string
	Ph   string
	Ts   *float64
	Dur  *float64
	Pid  *int
	Tid  *int
	Args map[string]any
}

// A trace is what the format says, and its events lie in each other: kernels in runs, parts of the
// caller in kernels, and parts of workers in the time of their kernel.
func TestTraceEvents(t *testing.T) {
	g := graph.New("traced")
	x, w := g.Input("x", graph.Float32, g.Dim("n"), 512), g.Input("w", graph.Float32, 512, 512)
	y := ops.Softmax(ops.MatMul(ops.Tanh(x), w), -1)
	const runs = 5
	p := profiled(t, y, runs, exec.Threads(3))
	var out bytes.Buffer
	require.NoError(t, p.WriteTrace(&out))
	var trace struct {
		DisplayTimeUnit string
		TraceEvents     []event
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &trace))
	require.Equal(t, "ns", trace.DisplayTimeUnit)

	threads, count := map[int]string{}, map[string]int{}
	open := map[int][]event{} // of each thread, the events in which the next one may lie
	last := map[int]float64{}
	var kernels []event
	for _, e := range trace.TraceEvents {
		require.NotNil(t, e.Pid)
		require.NotNil(t, e.Tid)
		switch e.Ph {
		case "M":
			if e.Name == "thread_name" {
				threads[*e.Tid] = e.Args["name"].(string)
			}
			continue
		case "X":
		default:
			t.Fatalf("there is no phase %q in %+v", e.Ph, e)
		}
		require.NotEmpty(t, threads[*e.Tid], "a thread is named before its events")
		require.GreaterOrEqual(t, *e.Dur, 0.0)
		require.GreaterOrEqual(t, *e.Ts, last[*e.Tid], "events of a thread are in the order in which they begin")
		last[*e.Tid] = *e.Ts
		stack := open[*e.Tid]
		for len(stack) > 0 && end(stack[len(stack)-1]) <= *e.Ts {
			stack = stack[:len(stack)-1]
		}
		inside := ""
		if len(stack) > 0 {
			require.LessOrEqual(t, end(e), end(stack[len(stack)-1])+1e-6,
				"%+v ends after the event in which it begins", e)
			inside = stack[len(stack)-1].Cat
		}
		open[*e.Tid] = append(stack, e)
		count[e.Cat]++
		switch {
		case e.Cat == "run":
			require.Empty(t, inside)
		case e.Cat == "kernel":
			require.Equal(t, "run", inside)
			kernels = append(kernels, e)
			require.NotEmpty(t, e.Args["lines"])
			require.Contains(t, fmt.Sprint(e.Args["lines"]), "roofline_test.go:")
			require.Contains(t, fmt.Sprint(e.Args["writes"]), "float32[512 512]")
			require.Positive(t, e.Args["bytes"])
		case *e.Tid == 0:
			require.Equal(t, "kernel", inside)
		default:
			require.Equal(t, "part", e.Cat)
			require.Empty(t, inside)
			of := false
			for _, k := range kernels {
				of = of || k.Args["kernel"] == e.Args["kernel"] && *k.Ts <= *e.Ts && end(e) <= end(k)+1e-6
			}
			require.True(t, of, "a worker's part lies in the time of the kernel")
		}
	}
	require.Equal(t, runs, count["run"])
	require.Equal(t, runs*len(p.Kernels), count["kernel"])
	require.Positive(t, count["part"], "512 by 512 by 512 is shared among threads")
	require.Equal(t, map[int]string{0: "run", 1: "worker 1", 2: "worker 2"}, threads)
}

func end(e event) float64 { return *e.Ts + *e.Dur }

// unwritable takes some bytes and then no more.
type unwritable struct{ room int }

var errFull = errors.New("the disk is full")

func (u *unwritable) Write(b []byte) (int, error) {
	if u.room -= len(b); u.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestTraceThatCannotBeWritten(t *testing.T) {
	g := graph.New("traced")
	p := profiled(t, ops.Exp(g.Input("x", graph.Float32, 4)), 40)
	for _, room := range []int{0, 5000} {
		require.ErrorIs(t, p.WriteTrace(&unwritable{room}), errFull)
	}
	require.ErrorContains(t, (&exec.Profile{Runs: 1}).WriteTrace(&bytes.Buffer{}), "not made by a session")
}
