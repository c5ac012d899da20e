package conformance

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/shapeinfer"
)

// broadcastRow is a case of broadcast.jsonl.
type broadcastRow struct {
	ID      string  `json:"id"`
	Shapes  []sizes `json:"shapes"`
	Op      string  `json:"torch_op"`
	OK      bool    `json:"ok"`
	Result  []int   `json:"result"`
	Error   string  `json:"error"`
	BadAxes []int   `json:"bad_axes_from_right"`
	Warns   bool    `json:"backcompat_warn"`
}

// Broadcast runs broadcast.jsonl: which shapes broadcast together, to what, with which
// words they are refused, which axes clash, and when the documents' warning is given.
func Broadcast(dir string) (*Report, error) {
	rows, err := readRows[broadcastRow](filepath.Join(dir, "broadcast.jsonl"))
	if err != nil {
		return nil, err
	}
	return runAll("broadcast.jsonl", rows, func(row *broadcastRow) Outcome {
		return Outcome{ID: row.ID, Op: row.Op, Err: guarded(row.run)}
	}), nil
}

func (row *broadcastRow) run() error {
	g := graph.New("case", graph.WithPolicy(graph.Policy{Backcompat: graph.Warn}))
	in := make([]*graph.Node, len(row.Shapes))
	for i, s := range row.Shapes {
		in[i] = g.Input(fmt.Sprintf("x%d", i), graph.Float64, s...)
	}
	out, err := build(row.Op, nil, in, nil)
	if err != nil {
		return err
	}
	report := shapeinfer.Check(g)
	if row.OK != (report.Err() == nil) {
		return fmt.Errorf("%v: want ok %v, got %v", row.Shapes, row.OK, report)
	}
	warned := slices.ContainsFunc(report.Warnings, func(m *graph.Mistake) bool {
		return m.Code == graph.CodeBackcompat
	})
	if warned != row.Warns {
		return fmt.Errorf("%v: want the documents' warning %v, got %v", row.Shapes, row.Warns, warned)
	}
	if !row.OK {
		return row.checkRefusal(report.Errors[0])
	}
	return row.checkResult(g, out[0], in)
}

// checkRefusal compares the sentence and the marked axes of the first mistake.
func (row *broadcastRow) checkRefusal(m *graph.Mistake) error {
	if m.Summary != row.Error {
		return fmt.Errorf("%v:\n    want %q\n    got  %q", row.Shapes, row.Error, m.Summary)
	}
	var bad []int
	for i, note := range m.Operands {
		for _, axis := range note.Bad {
			if right := len(row.Shapes[i]) - axis; !slices.Contains(bad, right) {
				bad = append(bad, right)
			}
		}
	}
	slices.Sort(bad)
	want := slices.Sorted(slices.Values(row.BadAxes))
	if !slices.Equal(bad, want) {
		return fmt.Errorf("%v: want bad axes %v from the right, got %v", row.Shapes, want, bad)
	}
	return nil
}

// maxElements bounds the cases that are also computed.
const maxElements = 1 << 12

// checkResult compares the shape, that of the rule and those of the values computed.
func (row *broadcastRow) checkResult(g *graph.Graph, y *graph.Node, in []*graph.Node) error {
	have, static := y.Shape().Ints()
	if !static || !slices.Equal(have, row.Result) {
		return fmt.Errorf("%v: want %v, got %v", row.Shapes, row.Result, y.Shape())
	}
	if count, _ := y.Shape().NumElements().Int(); count > maxElements {
		return nil
	}
	values, err := compute(g, []*graph.Node{y}, ramps(in))
	if err != nil {
		return err
	}
	if got := values[0]; !slices.Equal(got.program.Shape, row.Result) ||
		!slices.Equal(got.oracle.Floats(), got.program.Floats()) {
		return errors.New("the compiled program gives " + got.program.String() + ", the oracle " + got.oracle.String())
	}
	return nil
}

// ramps gives each node some small whole numbers, different from element to element.
func ramps(in []*graph.Node) feeds {
	fed := feeds{}
	for k, n := range in {
		shape, _ := n.Shape().Ints()
		count := 1
		for _, d := range shape {
			count *= d
		}
		data := make([]float64, count)
		for i := range data {
			data[i] = float64((i+k)%7 + 1)
		}
		fed[n] = reference.FromFloats(n.DType(), data, shape...)
	}
	return fed
}
