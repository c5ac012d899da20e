package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/testmodel"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// normed is a layer with batch normalisation, whose running mean is written by hand.
type normed struct {
	g             *graph.Graph
	y, loss, mean *graph.Node
	step          []*graph.Node
}

func newNormed() *normed {
	g := graph.New("normed")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	running := g.Param("running", graph.Float32, 4)
	w := g.ParamInit("w", graph.Float32, nn.Ones(), 4)
	y, mean, _ := ops.BatchNorm(x, w, nil, 1e-5)
	n := &normed{g: g, y: y, mean: ops.CopyInPlace(running, ops.Lerp(running, mean, graph.Num(0.1)))}
	n.loss = ops.Mean(ops.Square(y))
	n.step = optim.AdamW(0.1, optim.WeightDecay(0.1)).Minimize(n.loss, w)
	return n
}

// A write that is forgotten beside others draws a warning; one that belongs to another program
// does not.
func TestForgottenWrites(t *testing.T) {
	for name, c := range map[string]struct {
		opts  func(n *normed) []exec.Option
		warns int
	}{
		"forgotten": {func(n *normed) []exec.Option {
			return []exec.Option{exec.Outputs(n.loss), exec.Updates(n.step...)}
		}, 1},
		"given": {func(n *normed) []exec.Option {
			return []exec.Option{exec.Updates(append(n.step, n.mean)...)}
		}, 0},
		"inference":       {func(n *normed) []exec.Option { return []exec.Option{exec.Outputs(n.y)} }, 0},
		"statistics only": {func(n *normed) []exec.Option { return []exec.Option{exec.Updates(n.mean)} }, 0},
		"silenced": {func(n *normed) []exec.Option {
			n.mean.Silence(graph.CodeLeftOut)
			return []exec.Option{exec.Updates(n.step...)}
		}, 0},
		"by another program": {func(n *normed) []exec.Option {
			if _, err := exec.Compile(n.g, exec.Updates(n.mean)); err != nil {
				t.Fatal(err)
			}
			return []exec.Option{exec.Updates(n.step...)}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNormed()
			var told []*graph.Mistake
			prog, err := exec.Compile(
				n.g, append(c.opts(n), exec.OnWarning(func(m *graph.Mistake) { told = append(told, m) }))...)
			require.NoError(t, err)
			require.Equal(t, told, prog.Warnings())
			require.Len(t, told, c.warns)
			if c.warns > 0 {
				require.Equal(t, graph.CodeLeftOut, told[0].Code)
				require.Contains(t, told[0].Error(), "warnings_test.go:30:33: warning BL204: CopyInPlace(running, ")
				require.Contains(t, told[0].Error(),
					"the program performs other writes but not this one of running, which is computed from values that it reads")
			}
			_, err = exec.Compile(n.g, append(c.opts(n), exec.WarningsAreErrors())...)
			if c.warns > 0 {
				require.ErrorContains(t, err, "error BL204")
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// What a layer promises of the shape of a value has nothing to do with a write that is forgotten.
func TestForgottenWritesAreNotAboutShapes(t *testing.T) {
	g := graph.New("shapes")
	x, p := g.Input("x", graph.Float32, g.Dim("batch"), 8), nn.Training(g)
	h := nn.NewLinear(g, "fc", 8, 8).Apply(p, x)
	loss := ops.Mean(ops.Square(nn.NewBatchNorm(g, "norm", 8).Apply(p, h)))
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.Updates(optim.SGD(0.1).Minimize(loss)...),
		exec.OnWarning(nil))
	require.NoError(t, err)
	require.Len(t, prog.Warnings(), 1)
	text := prog.Warnings()[0].Error()
	require.Contains(t, text, "h   [ batch, 8 ]   fc.Apply(p, x)")
	require.NotContains(t, text, "promised by")
}

// A write of a value whose result nothing uses draws a warning, be it of the whole or of a part, in a loop too; one
// whose result is used does not.
func TestWritesOfWhichNothingUsesTheResult(t *testing.T) {
	part := func(z *graph.Node) *graph.Node { return ops.Slice(z, 0, 0, 1, 1) }
	for name, c := range map[string]struct {
		write func(z *graph.Node) *graph.Node
		warns bool
	}{
		"whole":       {func(z *graph.Node) *graph.Node { ops.AddInPlace(z, graph.Num(100)); return z }, true},
		"whole, used": {func(z *graph.Node) *graph.Node { return ops.AddInPlace(z, graph.Num(100)) }, false},
		"part": {func(z *graph.Node) *graph.Node { ops.CopyInPlace(part(z), graph.Num(-1)); return z },
			true},
		"part, after which": {func(z *graph.Node) *graph.Node {
			return ops.After(z, ops.CopyInPlace(part(z), graph.Num(-1)))
		}, false},
		"in a loop": {func(z *graph.Node) *graph.Node {
			return ops.Fori(2, []*graph.Node{z}, func(_ *graph.Node, c []*graph.Node) []*graph.Node {
				y := ops.Tanh(c[0])
				ops.MulInPlace(y, graph.Num(2))
				return []*graph.Node{y}
			})[0]
		}, true},
	} {
		g := graph.New("written")
		z := c.write(ops.Copy(ops.Exp(g.Input("x", graph.Float32, 3))))
		prog, err := exec.Compile(g, exec.Outputs(z), exec.OnWarning(nil))
		require.NoError(t, err, name)
		require.Equal(t, c.warns, len(prog.Warnings()) == 1, "%s: %v", name, prog.Warnings())
		if c.warns {
			require.Equal(t, graph.CodeLeftOut, prog.Warnings()[0].Code, name)
			require.Contains(t, prog.Warnings()[0].Error(),
				"nothing uses the result, so the program does not perform the write", name)
		}
	}
}

// Programs that take turns are free of warnings: two players, and the sums of micro-batches.
func TestProgramsThatTakeTurns(t *testing.T) {
	g := graph.New("turns")
	z := g.Input("z", graph.Float32, g.Dim("batch"), 4)
	fake := testmodel.Linear(g, "maker", z, 4)
	verdict := testmodel.Linear(g, "judge", fake, 1)
	maker := optim.Adam(0.1).Minimize(ops.Mean(ops.Softplus(ops.Neg(verdict))), g.ByName("maker.weight"))
	judge := optim.Adam(0.1).Minimize(ops.Mean(ops.Softplus(verdict)), g.ByName("judge.weight"))
	w := g.ByName("maker.weight")
	sums := g.Param("sums", graph.Float32, 4, 4)
	add := ops.AddInPlace(sums, autodiff.Grad(ops.Mean(verdict), []*graph.Node{w})[0])
	apply := optim.SGD(0.1).Updates([]*graph.Node{w}, []*graph.Node{sums})
	clear := ops.CopyInPlace(sums, ops.Mul(sums, graph.Num(0)))
	for _, updates := range [][]*graph.Node{maker, judge, {add}, append(apply, clear)} {
		_, err := exec.Compile(g, exec.Outputs(verdict), exec.Updates(updates...), exec.WarningsAreErrors())
		require.NoError(t, err)
	}
}

// A loss of a column and a row is warned about at compile time, and only if the program computes it.
func TestCompileTellsWarnings(t *testing.T) {
	g := graph.New("column")
	n := g.Dim("n")
	x, y := g.Input("x", graph.Float32, n, 1), g.Input("y", graph.Float32, n)
	loss, other := ops.Mean(ops.Mul(x, y)), ops.Mean(x)
	prog, err := exec.Compile(g, exec.Outputs(loss), exec.OnWarning(nil))
	require.NoError(t, err)
	require.Len(t, prog.Warnings(), 1)
	require.Equal(t, graph.CodeMutualExpand, prog.Warnings()[0].Code)
	_, err = exec.Compile(g, exec.Outputs(loss), exec.WarningsAreErrors())
	require.ErrorContains(t, err, "error BL202")
	prog, err = exec.Compile(g, exec.Outputs(other))
	require.NoError(t, err)
	require.Empty(t, prog.Warnings())
}

// The step of a counter from which a program draws is missed as other writes are, though it needs
// no value of the program.
func TestForgottenStepOfACounter(t *testing.T) {
	g := graph.New("drawn")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	w := g.ParamInit("w", graph.Float32, nn.Ones(), 4)
	counter, other := g.State("counter", graph.Int64, nil), g.State("other", graph.Int64, nil)
	loss := ops.Mean(ops.Square(ops.Dropout(ops.Mul(x, w), 0.5, counter)))
	step := optim.SGD(0.1).Minimize(loss)
	draw := ops.AddInPlace(counter, graph.Num(1))
	ops.AddInPlace(other, graph.Num(1)) // the program does not read it

	forgotten, err := exec.Compile(g, exec.Updates(step...), exec.OnWarning(nil))
	require.NoError(t, err)
	require.Len(t, forgotten.Warnings(), 1)
	require.Contains(t, forgotten.Warnings()[0].Error(), "this one of counter")

	second := ops.AddInPlace(counter, graph.Num(2)).Silence(graph.CodeWriters)
	for _, write := range []*graph.Node{draw, second} { // either will do
		given, err := exec.Compile(g, exec.Updates(append(step, write)...), exec.OnWarning(nil))
		require.NoError(t, err)
		require.Empty(t, given.Warnings())
	}
}
