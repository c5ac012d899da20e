package exec_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/allocs"
)

// formProgram compiles a program of loops, with gradients of the inputs that need them.
func formProgram(t *testing.T, name string, dt graph.DType, length graph.Dim, unrolled bool,
	add func(outputs, inputs nodes) nodes) (*exec.Program, nodes) {
	g := graph.New(name)
	T := length
	if length < 0 {
		T = g.Dim("T", graph.AtLeast(0))
	}
	l := compiledLoops(g, dt)
	if unrolled {
		l = unrolledLoops(g, dt)
	}
	outputs := loopForms[name](l, T)
	if add != nil {
		outputs = add(outputs, slices.DeleteFunc(slices.Clone(g.Inputs()), func(n *graph.Node) bool {
			return n.DType() != dt
		}))
	}
	p, err := exec.Compile(g, exec.Outputs(outputs...), exec.OnWarning(nil))
	require.NoError(t, err, name)
	return p, outputs
}

// formFeed makes numbers for the inputs of a program over some steps.
func formFeed(p *exec.Program, steps int) exec.Feed { return feedOf(p.Plan().Source, steps, 4) }

func runForm(t *testing.T, p *exec.Program, s *exec.Session, outputs nodes, steps int) (all []exec.Array) {
	r, err := s.Run(t.Context(), formFeed(p, steps))
	require.NoError(t, err)
	for _, n := range outputs {
		a, err := r.Array(n)
		require.NoError(t, err)
		all = append(all, a.Clone())
	}
	return all
}

// Programs of loops give what their steps give one by one, bit for bit, and so do their gradients, first and second, to
// rounding.
func TestFormsOfLoopsAreTheirUnrolledForm(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(loopForms)) {
		t.Run(name, func(t *testing.T) {
			for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
				p, outputs := formProgram(t, name, dt, -1, false, nil)
				s := p.NewSession(exec.Threads(3))
				for _, steps := range []int{2, 5, 1} {
					q, unrolled := formProgram(t, name, dt, graph.Dim(steps), true, nil)
					want := runForm(t, q, q.NewSession(), unrolled, steps)
					require.Equal(t, want, runForm(t, p, s, outputs, steps), "%s, %d steps", dt, steps)
				}
			}
			first := len(loopForms[name](compiledLoops(graph.New(name), graph.Float64), 3))
			p, outputs := formProgram(t, name, graph.Float64, -1, false, withGradients)
			s := p.NewSession(exec.Threads(1))
			for _, steps := range []int{3, 1, 6} {
				q, unrolled := formProgram(t, name, graph.Float64, graph.Dim(steps), true, withGradients)
				want := runForm(t, q, q.NewSession(), unrolled, steps)
				for i, got := range runForm(t, p, s, outputs, steps) {
					require.Equal(t, want[i].Shape, got.Shape)
					require.InDeltaSlice(t, want[i].Data, got.Data, 1e-8,
						"%d steps: output %d of %d (%d before gradients)", steps, i, len(want), first)
				}
			}
			runForm(t, p, s, outputs, 0)
			feed := formFeed(p, 3)
			allocs.RequireNone(t, 3, func() {
				if _, err := s.Run(t.Context(), feed); err != nil {
					t.Fatal(err)
				}
			})
			other := runForm(t, p, p.NewSession(exec.Threads(3)), outputs, 6)
			require.Equal(t, fmt.Sprint(runForm(t, p, s, outputs, 6)), fmt.Sprint(other))
		})
	}
}
