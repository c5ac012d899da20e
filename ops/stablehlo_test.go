package ops_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/internal/testkit/xla"
	"github.com/broadloom/broadloom/stablehlo"
)

// rowsOfModule is how many rows share a module at most: XLA's passes go down a function by recursion, and end in a
// segmentation fault where it is long enough.
const rowsOfModule = 150

// exportTrial is many rows in one module, which XLA compiles far faster than a module for each.
type exportTrial struct {
	*testing.T
	rows    []*trial
	about   []string
	outputs []*graph.Node
	want    []reference.Value
	fed     feeds
}

// exportPatterns are the patterns of operands in which rows are exported, by dtype: each costs seconds of XLA's
// compiler.
var exportPatterns = map[graph.DType][]string{
	graph.Float32: {"row", "same", "both stretch"}, graph.Float64: {"row"}, graph.Int32: {"row", "missing lead"},
	graph.Bool:    {"row", "both stretch"},
	graph.Float16: {"row"}, graph.BFloat16: {"row"}, graph.Int64: {"row"}, graph.Uint64: {"row"}, graph.Uint32: {"row"},
	graph.Uint8: {"row"}, graph.Int8: {"row"}, graph.Uint16: {"row"}, graph.Int16: {"row"},
}

// alone has the dtypes of which only rows of a single operation are exported, unless BROADLOOM_XLA_ALL is set.
var alone = []graph.DType{graph.Float16, graph.BFloat16, graph.Int64, graph.Uint64, graph.Uint32, graph.Uint8,
	graph.Int8, graph.Uint16, graph.Int16}

// inLoops are operations whose forms are loops in Float64, whatever the dtype: they are exported in that alone.
var inLoops = []string{"lu_factor", "cofactors", "qr", "eigh", "eigvalsh", "svd", "svdvals", "pinv", "matrix_exp",
	"row_order"}

// differs has the rows in which XLA does not compute what the module says, by dtype, and why.
var differs = map[graph.DType]map[string]string{graph.Bool: {
	"div": zeroByZero, "addcdiv": zeroByZero,
}}

const zeroByZero = "XLA makes 0 of 0/0 where both come from truth values and the divisor is broadcast"

// noForm are the operations that StableHLO has no form of: an export that needs one is refused.
var noForm = []string{"print", "eig", "eigvals", "schur", "hessenberg", "sylvester", "sqrtm", "logm", "ldl_factor",
	"ldl_solve", "geqrf", "reflect"}

// TestStableHLO exports every row of [samples] and runs it by XLA: the results must be those of the reference. An
// operation that can neither be exported nor stands in [noForm] fails it.
func TestStableHLO(t *testing.T) {
	var trials []*exportTrial
	var programs []xla.Program
	for dt, patterns := range exportPatterns {
		for _, pattern := range patterns {
			for part := range slices.Chunk(allSamples(), rowsOfModule) {
				e := &exportTrial{T: t, fed: feeds{}}
				g := e.collect(part, pattern, dt)
				if len(e.rows) == 0 {
					continue // none takes the dtype
				}
				name := fmt.Sprintf("%s %s", pattern, dt)
				programs, trials = append(programs, e.program(name, g)), append(trials, e)
			}
		}
	}
	t.Run("IREE", func(t *testing.T) { judgedByIREE(t, programs) })
	for i, o := range xla.Do(t, programs) {
		trials[i].judge(o)
	}
}

// judgedByIREE has a compiler that is not XLA parse and verify the modules.
func judgedByIREE(t *testing.T, programs []xla.Program) {
	wrong := strings.Replace(programs[0].Text, "stablehlo.add", "stablehlo.not", 1) // which takes one operand
	said := xla.Verify(t, append([]xla.Program{{Text: wrong}}, programs...))
	require.Contains(t, said[0], "operand")
	for i, text := range said[1:] {
		require.Empty(t, text, programs[i].Name)
	}
}

// collect makes the graph of those rows that have a pattern and take a dtype.
func (e *exportTrial) collect(rows []sample, pattern string, dt graph.DType) *graph.Graph {
	g := graph.New("samples", graph.WithPolicy(graph.Policy{MutualExpand: graph.AllowSilently}))
	for _, s := range rows {
		if s.outOfPlace != nil && (dt != graph.Float32 || pattern != "same") {
			continue // the same meaning once more
		}
		tr := &trial{T: e.T, sample: s}
		for _, p := range tr.patterns(3, 5) {
			if p.name == pattern && differs[dt][s.name] == "" {
				e.add(g, tr, p, dt)
			}
		}
	}
	return g
}

// program makes the module of what was collected.
func (e *exportTrial) program(name string, g *graph.Graph) xla.Program {
	m, err := stablehlo.Export(g, stablehlo.Outputs(e.outputs...))
	require.NoError(e, err)
	var run xla.Run
	for _, a := range m.Signature().Arguments {
		run = append(run, xla.Arg{Value: e.fed[g.ByName(a.Name)]})
	}
	return xla.Program{Name: name, Text: m.String(), Runs: []xla.Run{run}}
}

// add puts a row into the graph, if it takes the dtype and the values.
func (e *exportTrial) add(g *graph.Graph, tr *trial, p pattern, dt graph.DType) {
	own, in, y := tr.build(p, dt)
	reached := &reachedOps{names: map[string]bool{}}
	reached.note(own)
	isLeftOut := slices.Contains(alone, dt) && !isSingle(y) ||
		dt == graph.Float32 && slices.ContainsFunc(inLoops, reached.has)
	if own.Err() != nil || isLeftOut && os.Getenv("BROADLOOM_XLA_ALL") == "" {
		return
	}
	about := fmt.Sprintf("%s: %s %v %s", tr.name, p.name, p.shapes, dt)
	_, err := stablehlo.Export(own, stablehlo.Outputs(y))
	if slices.ContainsFunc(noForm, reached.has) {
		require.ErrorContains(e, err, "cannot be written in StableHLO", about)
		return
	}
	if err != nil {
		e.Errorf("%s: %v", about, err)
		return
	}
	fed := feeds{}
	for i, x := range in {
		fed[x] = tr.values(x, p.fed(i), i, "random")
	}
	if _, err := reference.Eval([]*graph.Node{y}, fed); err != nil {
		return // a check stops it
	}
	operands, y := tr.buildIn(g, fmt.Sprintf("row%d_", len(e.rows)), p, dt)
	given := feeds{}
	for i, x := range operands {
		given[x], e.fed[x] = fed[in[i]], fed[in[i]]
	}
	want, err := reference.Eval([]*graph.Node{y}, given) // random numbers depend on the place in the graph
	require.NoError(e, err, about)
	e.rows, e.about, e.outputs, e.want = append(e.rows, tr), append(e.about, about), append(e.outputs, y),
		append(e.want, want[0])
}

// isSingle reports whether a value is computed by one operation that is written with no others.
func isSingle(y *graph.Node) bool {
	isSource := func(x *graph.Node) bool { return x.Op().Class == graph.Source }
	return y.Op().Class != graph.Composite &&
		!slices.ContainsFunc(y.Operands(), func(x *graph.Node) bool { return !isSource(x) })
}

// judge compares what XLA gives.
func (e *exportTrial) judge(o xla.Outcome) {
	if o.Error != "" {
		e.Errorf("%s: %s", e.about[0], o.Error)
		return
	}
	for i, got := range o.Results[0] {
		if i >= len(e.rows) {
			require.Equal(e, []float64{1}, got.Floats(), "a check does not hold")
			continue
		}
		if at := e.rows[i].firstDifference(e.want[i], got); at >= 0 {
			e.Errorf("%s: element %d is %v %v, and must be %v %v", e.about[i], at, elementOf(got, at), got.Shape,
				elementOf(e.want[i], at), e.want[i].Shape)
		}
	}
}
