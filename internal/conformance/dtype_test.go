package conformance

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/shapeinfer"
)

// dtypeRow is a case of reduce_dtype.jsonl: of one of the kinds promote, unary, reduce and
// shape, each with fields of its own.
type dtypeRow struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Op   string `json:"op"`

	A *operandForm `json:"a"` // promote, unary
	B *operandForm `json:"b"` // promote

	Shape sizes           `json:"shape"` // reduce
	DType string          `json:"dtype"`
	Dim   json.RawMessage `json:"dim"`
	Keep  json.RawMessage `json:"keepdim"`

	Shapes []sizes                    `json:"shapes"` // shape
	DTypes []string                   `json:"dtypes"` // where they are not those of operandDType
	Attrs  map[string]json.RawMessage `json:"attrs"`

	OK          bool     `json:"ok"`
	Error       string   `json:"error"`
	ResultShape *[]int   `json:"result_shape"`
	ResultDType string   `json:"result_dtype"`
	ResultData  *numbers `json:"result_data"`
}

// operandForm is one operand of a promotion: a tensor of a dtype with or without axes, or
// a plain number.
type operandForm struct {
	DType  string          `json:"dtype"`
	Form   string          `json:"form"`
	Number json.RawMessage `json:"number"`
}

// DTypes runs reduce_dtype.jsonl: dtypes and shapes of results, refusals with their words,
// and reductions of no elements.
func DTypes(dir string) (*Report, error) {
	rows, err := readRows[dtypeRow](filepath.Join(dir, "reduce_dtype.jsonl"))
	if err != nil {
		return nil, err
	}
	return runAll("reduce_dtype.jsonl", rows, func(row *dtypeRow) Outcome {
		return Outcome{ID: row.ID, Op: row.Op, Err: guarded(row.run)}
	}), nil
}

func (row *dtypeRow) run() error {
	g := graph.New("case")
	in, raw, err := row.operands(g)
	if err != nil {
		return err
	}
	if row.Kind == "reduce" && string(row.Dim) == "[]" {
		if err := row.refusesEmptyList(); err != nil || !row.OK {
			return err // where PyTorch refuses it too, there is nothing more to compare
		}
	}
	out, err := build(row.Op, nil, in, raw)
	if err != nil {
		return err
	}
	report := shapeinfer.Check(g)
	switch {
	case row.OK && report.Err() != nil:
		return fmt.Errorf("%s: want %s %v, got %v", row.describe(), row.ResultDType, row.ResultShape, report)
	case !row.OK && report.Err() == nil:
		return fmt.Errorf("%s: want a refusal, %q; got %s%s", row.describe(), row.Error, out[0].DType(), out[0].Shape())
	case !row.OK && row.sentence(report.Errors[0]) != row.Error:
		return fmt.Errorf("%s:\n    want %q\n    got  %q", row.describe(), row.Error, report.Errors[0].Summary)
	case !row.OK:
		return nil
	}
	return row.checkResult(g, out[0], in)
}

// sentence is the mistake's. The greatest of all elements is Max here, which has PyTorch's
// name amax, and is called max there.
func (row *dtypeRow) sentence(m *graph.Mistake) string {
	return strings.Replace(m.Summary, "a"+row.Op+"():", row.Op+"():", 1)
}

// describe returns the case in a few words.
func (row *dtypeRow) describe() string {
	switch row.Kind {
	case "promote":
		return fmt.Sprintf("%s(%s, %s)", row.Op, row.A, row.B)
	case "unary":
		return fmt.Sprintf("%s(%s)", row.Op, row.A)
	case "reduce":
		return fmt.Sprintf("%s of %s%v, dim=%s, keepdim=%s", row.Op, row.DType, row.Shape, row.Dim, row.Keep)
	}
	return fmt.Sprintf("%s of %v %v %s", row.Op, row.Shapes, row.DTypes, row.Attrs)
}

// String returns the operand as "int64 scalar0d" or "float 2.5".
func (f *operandForm) String() string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%s%s %s", f.DType, f.Number, f.Form)
}

// operands makes the inputs of the case and gives its fixed arguments.
func (row *dtypeRow) operands(g *graph.Graph) (in []*graph.Node, raw map[string]json.RawMessage, err error) {
	switch row.Kind {
	case "promote", "unary":
		if row.Op == "where" {
			in = append(in, g.Input("condition", graph.Bool, 2))
		}
		for i, form := range []*operandForm{row.A, row.B} {
			if form == nil {
				continue
			}
			n, err := form.node(g, fmt.Sprintf("x%d", i), row.Op)
			if err != nil {
				return nil, nil, err
			}
			in = append(in, n)
		}
		return in, nil, nil
	case "reduce":
		t, err := dtypeOf(row.DType)
		return []*graph.Node{g.Input("x", t, row.Shape...)},
			map[string]json.RawMessage{"dim": row.Dim, "keepdim": row.Keep}, err
	case "shape":
		for i, s := range row.Shapes {
			t := operandDType(row.Op, i, len(row.Shapes))
			if row.DTypes != nil {
				if t, err = dtypeOf(row.DTypes[i]); err != nil {
					return nil, nil, err
				}
			}
			in = append(in, g.Input(fmt.Sprintf("x%d", i), t, s...))
		}
		return in, row.Attrs, nil
	}
	return nil, nil, unsupported{"the kind " + row.Kind}
}

// operandDType returns the dtype that an operand of a shape rule must have: Int64 where it
// holds indices.
func operandDType(op string, i, count int) graph.DType {
	if i == count-1 && slices.Contains([]string{"cross_entropy", "nll_loss", "index_select", "gather"}, op) {
		return graph.Int64
	}
	return graph.Float32
}

// node makes the operand: an input, or a plain number.
func (f *operandForm) node(g *graph.Graph, name, op string) (*graph.Node, error) {
	if f.DType == "" {
		a := newAttrs(nil)
		return numberNode(f.Number, a), a.err
	}
	t, err := dtypeOf(f.DType)
	if err != nil {
		return nil, err
	}
	shape := graph.Shape{}
	switch {
	case f.Form == "scalar0d":
	case op == "matmul":
		shape = graph.Shape{2, 2}
	default:
		shape = graph.Shape{2}
	}
	return g.Input(name, t, shape...), nil
}

// refusesEmptyList requires what is a stated difference: of an empty list of axes PyTorch
// folds all and NumPy none, so it is refused, and one of the two must be said.
func (row *dtypeRow) refusesEmptyList() error {
	g := graph.New("empty list")
	t, err := dtypeOf(row.DType)
	if err != nil {
		return err
	}
	call, known := emptyListCalls[row.Op]
	if !known {
		return unsupported{"an empty list of axes"}
	}
	switch m := call(g.Input("x", t, row.Shape...)).Err(); {
	case m != nil && (shapeinfer.IsMistake(m, graph.CodeAxis) || !row.OK && strings.Contains(m.Error(), row.Error)):
	default:
		return fmt.Errorf("%s: an empty list of axes is not refused: %v", row.describe(), m)
	}
	return nil
}

// checkResult compares dtype and shape of the rule and of the values computed, and the
// values where they are known.
func (row *dtypeRow) checkResult(g *graph.Graph, y *graph.Node, in []*graph.Node) error {
	t := y.DType()
	if row.ResultDType != "" && t.String() != row.ResultDType {
		return fmt.Errorf("%s: want dtype %s, got %s", row.describe(), row.ResultDType, t)
	}
	have, static := y.Shape().Ints()
	if row.ResultShape != nil && (!static || !slices.Equal(have, *row.ResultShape)) {
		return fmt.Errorf("%s: want shape %v, got %s", row.describe(), *row.ResultShape, y.Shape())
	}
	fed := feeds{}
	for n, v := range ramps(in) {
		if n.IsInput() {
			fed[n] = v
		}
		if row.Kind == "shape" && n.DType().IsInt() { // indices: 0 is always one
			fed[n] = reference.FromFloats(n.DType(), make([]float64, len(v.Floats())), v.Shape...)
		}
	}
	values, err := compute(g, []*graph.Node{y}, fed)
	if err != nil {
		return fmt.Errorf("%s: %w", row.describe(), err)
	}
	got := values[0]
	if err := got.want(row.describe(), have, got.oracle.Floats(), tolerance{relative: 1e-5}); err != nil {
		return err
	}
	if row.ResultData != nil {
		return got.want(row.describe(), have, *row.ResultData, tolerance{})
	}
	return nil
}
