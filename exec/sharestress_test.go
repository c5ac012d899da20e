package exec_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// counted is a graph whose parameter has the same number everywhere, before and after each step: a run that read it
// while another one wrote would see two.
type counted struct {
	g              *graph.Graph
	w, least, most *graph.Node
}

func newCounted() *counted {
	g := graph.New("counted")
	c := &counted{g: g, w: g.ParamInit("w", graph.Float32, nn.Constant(1), 64, 1000)}
	c.least, c.most = ops.Min(c.w, ops.AllAxes()), ops.Max(c.w, ops.AllAxes())
	return c
}

func (c *counted) reads() ([]*graph.Node, []*graph.Node) { return []*graph.Node{c.least, c.most}, nil }

// writes adds 1 to all elements.
func (c *counted) writes() ([]*graph.Node, []*graph.Node) {
	return []*graph.Node{c.least}, []*graph.Node{ops.AddInPlace(c.w, graph.Num(1))}
}

// trains has state of its own, which readers that were compiled before do not know.
func (c *counted) trains() ([]*graph.Node, []*graph.Node) {
	loss := ops.Sum(c.w, ops.AllAxes())
	return []*graph.Node{loss}, optim.Adam(0.5).Minimize(loss)
}

// TestSharingInAnyOrder has readers and writers of shared parameters on many goroutines, for programs that were
// compiled and sessions that were made in any order: each call is alone with what it writes, or refused.
func TestSharingInAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		c := newCounted()
		progs := make([]*exec.Program, 3)
		for _, i := range order {
			outputs, updates := []func() ([]*graph.Node, []*graph.Node){c.reads, c.writes, c.trains}[i]()
			p, err := exec.Compile(c.g, exec.Outputs(outputs...), exec.Updates(updates...))
			require.NoError(t, err)
			progs[i] = p
		}
		first := progs[order[2]].NewSession()
		var runs, refused atomic.Int64
		var group sync.WaitGroup
		for i := range 12 {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(1, uint64(i)))
				s := progs[i%3].NewSession(exec.ShareParams(first), exec.Threads(1+i%2)) // beside runs of others
				for range 30 {
					var err error
					var r *exec.Results
					switch rng.IntN(5) {
					case 0:
						var a exec.Array
						if a, err = s.Param(c.w); err == nil {
							seesOne(t, a.Data.([]float32))
						}
					case 1:
						if rng.IntN(4) == 0 {
							err = s.SetParam(c.w, exec.Array{Shape: []int{64, 1000}, Data: make([]float32, 64*1000)})
						}
					case 2:
						_, err = s.RunWithoutUpdates(t.Context(), nil)
					default:
						if r, err = s.Run(t.Context(), nil); err == nil && i%3 == 0 {
							low, _ := r.Scalar(c.least)
							high, _ := r.Scalar(c.most)
							seesOne(t, []float32{float32(low), float32(high)})
						}
					}
					switch {
					case errors.Is(err, exec.ErrBusy):
						refused.Add(1)
					case err != nil:
						t.Error(err)
					default:
						runs.Add(1)
					}
				}
			})
		}
		group.Wait()
		require.Equal(t, int64(12*30), runs.Load()+refused.Load())
		require.Positive(t, runs.Load())
	}
}

// seesOne fails where elements differ.
func seesOne(t *testing.T, elements []float32) {
	for _, v := range elements {
		if v != elements[0] {
			t.Errorf("a run saw %v and %v", elements[0], v)
			return
		}
	}
}

// TestReadersAreNeverRefused as long as nobody writes, even while sessions begin and end.
func TestReadersAreNeverRefused(t *testing.T) {
	m := newShared(t)
	first := m.later.NewSession(exec.Seed(5))
	want := m.infers(t, first)
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			for range 5 {
				s := []*exec.Program{m.infer, m.later}[i%2].NewSession(exec.ShareParams(first), exec.Threads(1+i%3))
				for _, rows := range []int{4, 1 + i%7, 4} {
					r, err := s.Run(t.Context(), m.feed(rows))
					if err != nil {
						t.Error(err)
						return
					}
					got, err := exec.Values[float32](r, m.y)
					if n := min(len(got), len(want)); err != nil || !slices.Equal(got[:n], want[:n]) {
						t.Errorf("%v: other values", err)
					}
				}
				if _, err := s.Param(m.w); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// TestParamsOfAProgram are those that it uses, whatever its session holds.
func TestParamsOfAProgram(t *testing.T) {
	g := graph.New("used")
	x := g.Input("x", graph.Float32, g.Dim("batch", graph.AtLeast(2)), 3)
	network := nn.Sequential(nn.NewLinear(g, "a", 3, 4), nn.NewBatchNorm(g, "norm", 4), nn.Dropout(0.1))
	pass := nn.Training(g)
	loss := ops.Mean(network.Apply(pass, x), ops.AllAxes())
	train, err := exec.Compile(g, exec.Outputs(loss),
		exec.Updates(append(optim.Adam(0.1).Minimize(loss), pass.Updates()...)...))
	require.NoError(t, err)
	evaluate, err := exec.Compile(g, exec.Outputs(network.Apply(nn.Evaluation(g), x)))
	require.NoError(t, err)
	names := func(list []*graph.Node) string {
		var all []string
		for _, p := range list {
			all = append(all, p.Name())
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "a.weight a.bias norm.weight norm.bias norm.running_mean norm.running_var",
		names(evaluate.Params()))
	held, err := evaluate.NewSession(exec.ShareParams(train.NewSession())).Params()
	require.NoError(t, err)
	require.Equal(t, names(g.Params()), names(held))
	require.ElementsMatch(t, held, train.Params())
}
