package exec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The kernels of a loop's body are profiled like others: how often a run came to them, their time in
// all steps, which is within that of the loop, bytes, operations and lines; also in a loop in a loop.
func TestProfileOfLoops(t *testing.T) {
	const n, steps, inner, runs = 64, 5, 3, 4
	g := graph.New("loops")
	x, w, v := g.Input("x", graph.Float32, steps, n, n), g.Input("w", graph.Float32, n, n),
		g.Input("v", graph.Float64, inner, n)
	final, _ := ops.Scan(
		ops.Loop{Carry: nodes{ops.Zeros(g, graph.Float32, n, n), ops.Zeros(g, graph.Float64, n)}, Over: nodes{x}},
		func(carry, x nodes) (next, out nodes) {
			h := ops.Tanh(ops.Add(ops.MatMul(carry[0], w), x[0]))
			sums, _ := ops.Scan(ops.Loop{Carry: carry[1:], Over: nodes{v}}, func(carry, v nodes) (next, out nodes) {
				return nodes{ops.Add(ops.Sin(carry[0]), v[0])}, nil
			})
			return nodes{h, sums[0]}, nil
		})
	p := profiled(t, ops.Add(ops.Sum(final[0]), ops.Sum(final[1])), runs, exec.Threads(2))

	machine := exec.Machine{Threads: 1, Copy: 1e9, Float32: 1e9, Float64: 1e9}
	passes, times, flops := map[string]int{}, map[string]time.Duration{}, map[string]int{}
	var visit func(list []exec.KernelRoofline, within string, limit time.Duration, of int)
	visit = func(list []exec.KernelRoofline, within string, limit time.Duration, of int) {
		sum := time.Duration(0)
		for i, r := range list {
			require.Equal(t, i, r.Kernel)
			require.Equal(t, fmt.Sprint(within, i), r.Number)
			if within == "" && r.Passes == 0 {
				require.Zero(t, r.Time, "its results are kept from run to run")
				continue
			}
			require.Equal(t, of, r.Passes, r.Number)
			require.Positive(t, r.Bytes)
			name := strings.ReplaceAll(r.Operations, ", ", " ")
			passes[name], times[name], flops[name] = r.Passes, r.Time, r.Flops
			sum += r.Time
			if len(r.Body) > 0 {
				visit(r.Body, r.Number+".", r.Time, of*[]int{steps, inner}[strings.Count(r.Number, ".")])
			}
		}
		require.LessOrEqual(t, sum, limit)
	}
	visit(p.Roofline(machine), "", 1<<62, 1)
	require.Equal(t, steps, passes["matmul"])
	require.Equal(t, steps*2*n*n*n, flops["matmul"])
	require.Equal(t, steps*2*n*n, flops["add tanh"])
	require.Equal(t, steps*inner, passes["sin add"])
	require.Equal(t, steps*inner*2*n, flops["sin add"])
	require.Equal(t, steps*(2*n*n*n+2*n*n+inner*2*n), flops["loop loop"], "what comes out is two values")
	require.Positive(t, times["sin add"])
	for _, text := range []string{p.String(), p.Report(machine)} {
		require.Regexp(t, `\n\d+\.\d+\.0 +15 .* sin, add`, text)
		require.Regexp(t, `\n\d+\.\d+ +5 .* matmul`, text)
	}
	require.Regexp(t, `kernel \d+\.\d+: matmul\n        loopprofile_test.go:\d+ \(MatMul\)  h := ops.Tanh\(`,
		p.Report(machine))

	var out bytes.Buffer
	require.NoError(t, p.WriteTrace(&out))
	var trace struct{ TraceEvents []event }
	require.NoError(t, json.Unmarshal(out.Bytes(), &trace))
	count, open := map[string]int{}, []event{}
	for _, e := range trace.TraceEvents {
		if e.Cat != "kernel" {
			continue
		}
		for len(open) > 0 && end(open[len(open)-1]) <= *e.Ts {
			open = open[:len(open)-1]
		}
		number := e.Args["kernel"].(string)
		if within := strings.LastIndex(number, "."); within >= 0 {
			require.NotEmpty(t, open)
			require.Equal(t, number[:within], open[len(open)-1].Args["kernel"])
		}
		open = append(open, e)
		count[strings.ReplaceAll(e.Name, ", ", " ")]++
	}
	require.Equal(t, runs*steps, count["matmul"])
	require.Equal(t, runs*steps*inner, count["sin add"])
}

// A profile shows how many steps a loop took that ended early, and no time for a case that was not chosen.
func TestProfileOfStepsTaken(t *testing.T) {
	g := graph.New("while")
	x := g.Input("x", graph.Float32, 8)
	final, _ := ops.While(100, nodes{x},
		func(carry nodes) *graph.Node { return ops.Less(ops.Sum(carry[0]), graph.Num(20)) },
		func(_ *graph.Node, carry nodes) nodes { return nodes{ops.Add(carry[0], graph.Num(1))} })
	list := profiled(t, final[0], 2).Roofline(exec.Machine{})
	at := 0
	for list[at].Body == nil {
		at++
	}
	for _, r := range list[at].Body {
		require.Equal(t, 3, r.Passes, "8, 16, 24")
		require.LessOrEqual(t, r.Flops, 3*3*8, "of which that before is of one sum")
	}
}
