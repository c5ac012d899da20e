package conformance

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// inPlaceRow is a case of inplace.jsonl: a short program that changes values in place.
type inPlaceRow struct {
	ID         string             `json:"id"`
	Group      string             `json:"group"`
	Program    []step             `json:"program"`
	OK         bool               `json:"ok"`
	Kind       string             `json:"error_kind"`
	Error      string             `json:"error"`
	Values     map[string]array   `json:"values"`
	Grads      map[string]numbers `json:"grads"`
	Functional map[string]numbers `json:"functional_grads"`
	Alias      []string           `json:"alias"`
	Overlaps   bool               `json:"dest_overlaps_itself"`
	CopyFirst  *bool              `json:"equals_copy_first"`
}

// InPlace runs inplace.jsonl: which changes in place are allowed, and the values and
// gradients of those that are.
//
// Stated differences, which count as passed: a partial overlap of an operand or of the
// destination with itself is always refused, also where PyTorch does not notice it; one of
// several views of one value may be written; and where PyTorch refuses a gradient because
// a value that it needs was changed, the gradient of the program without changes in place
// may be given instead.
func InPlace(dir string) (*Report, error) {
	rows, err := readRows[inPlaceRow](filepath.Join(dir, "inplace.jsonl"))
	if err != nil {
		return nil, err
	}
	return runAll("inplace.jsonl", rows, func(row *inPlaceRow) Outcome {
		o := Outcome{ID: row.ID, Op: row.Group, Err: guarded(row.run)}
		if o.Err != nil && !isUnsupported(o.Err) {
			o.Err = fmt.Errorf("%s\n    %w", describe(row.Program), o.Err)
		}
		return o
	}), nil
}

// codesOf returns the codes of the mistakes that are refusals of a kind.
var codesOf = map[string][]graph.Code{
	"dest_shape":        {graph.CodeInPlaceShape},
	"not_broadcastable": {graph.CodeBroadcast},
	"self_overlap":      {graph.CodeSelfOverlap},
	"input_overlap":     {graph.CodeOperandOverlap},
	"dtype":             {graph.CodeInPlaceDType},
	"bool_sub":          {graph.CodeDType},
	"op_dtype":          {graph.CodeDType},
	"mask_dtype":        {graph.CodeDType},
	"leaf":              {graph.CodeLeaf},
	"leaf_view":         {graph.CodeLeaf},
	"multi_view":        {graph.CodeLeaf},
	"saved":             {graph.CodeOrder},
	"expand":            {graph.CodeExpand},
	"no_grad_fn":        {graph.CodeGradient},
}

// sameWords are the kinds of which the message is PyTorch's, word for word.
var sameWords = []string{"dest_shape", "not_broadcastable", "dtype", "bool_sub", "op_dtype", "mask_dtype"}

func (row *inPlaceRow) run() error {
	v, err := row.build(graph.RefuseAlias)
	if err != nil {
		return err
	}
	values, grads := v.results()
	report := shapeinfer.Check(v.g)
	if report.Err() != nil {
		if err := row.checkRefusal(report); err != nil || row.Kind != "" || row.CopyFirst == nil || !*row.CopyFirst {
			return err
		}
		return row.runCopying(report)
	}
	switch {
	case row.OK:
		return row.compare(v, values, grads, row.Values, row.Grads)
	case row.Kind == "saved":
		return row.compare(v, values, grads, nil, row.Functional)
	case row.Kind == "multi_view":
		return row.compare(v, values, grads, nil, nil)
	}
	return fmt.Errorf("want a refusal, %s: %q; it is accepted", row.Kind, row.Error)
}

// build makes the program up to its first mistake, at which PyTorch stops.
func (row *inPlaceRow) build(alias graph.AliasPolicy) (*variables, error) {
	v := newVariables(alias)
	for i := range row.Program {
		if err := v.step(&row.Program[i]); err != nil {
			return nil, err
		}
		if v.g.Err() != nil {
			break
		}
	}
	return v, nil
}

// runCopying runs a program that was refused for an overlap of an operand with the policy
// that copies the operand first, where PyTorch's result is that of copying first.
func (row *inPlaceRow) runCopying(report *shapeinfer.Report) error {
	if report.Errors[0].Code != graph.CodeOperandOverlap {
		return nil
	}
	v, err := row.build(graph.AutoCopy)
	if err != nil {
		return err
	}
	if err := shapeinfer.Check(v.g).Err(); err != nil {
		return fmt.Errorf("want it to be accepted with Policy.Alias = AutoCopy, got %w", err)
	}
	values, grads := v.results()
	return row.compare(v, values, grads, row.Values, row.Grads)
}

// checkRefusal compares the kind of a refusal, and its words where they are PyTorch's.
func (row *inPlaceRow) checkRefusal(report *shapeinfer.Report) error {
	m := report.Errors[0]
	if row.OK {
		overlap := m.Code == graph.CodeOperandOverlap && slices.Contains(row.Alias, "partial") ||
			m.Code == graph.CodeSelfOverlap && row.Overlaps
		if overlap {
			return nil
		}
		return fmt.Errorf("want it to be accepted, got %w", report)
	}
	codes, known := codesOf[row.Kind]
	switch {
	case !known:
		return unsupported{"the kind of error " + row.Kind}
	case !slices.Contains(codes, m.Code):
		return fmt.Errorf("want a refusal %s: %q, got %w", row.Kind, row.Error, report)
	case slices.Contains(sameWords, row.Kind) && m.Summary != row.Error:
		return fmt.Errorf("\n    want %q\n    got  %q", row.Error, m.Summary)
	}
	return nil
}

// compare computes all values and gradients and compares those that are known.
func (row *inPlaceRow) compare(v *variables, values, grads map[string]*graph.Node,
	wantValues map[string]array, wantGrads map[string]numbers) error {
	var outputs []*graph.Node
	at := map[*graph.Node]int{}
	for _, list := range []map[string]*graph.Node{values, grads} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if _, listed := at[list[name]]; !listed {
				at[list[name]] = len(outputs)
				outputs = append(outputs, list[name])
			}
		}
	}
	got, err := compute(v.g, outputs, v.fed)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(wantValues)) {
		want := wantValues[name]
		n := values[name]
		if n == nil {
			return fmt.Errorf("there is no value %s", name)
		}
		if n.DType().String() != want.DType {
			return fmt.Errorf("%s: want dtype %s, got %s", name, want.DType, n.DType())
		}
		if err := got[at[n]].want(name, want.Shape, want.Data, toleranceOf(n.DType())); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wantGrads)) {
		dx := grads[name]
		if dx == nil {
			return fmt.Errorf("%s has no gradient", name)
		}
		shape, _ := dx.Shape().Ints()
		if err := got[at[dx]].want("the gradient of "+name, shape, wantGrads[name], toleranceOf(dx.DType())); err !=
			nil {
			return err
		}
	}
	if row.OK && len(grads) != len(wantGrads) {
		return fmt.Errorf("want gradients of %v, got those of %v", slices.Sorted(maps.Keys(wantGrads)),
			slices.Sorted(maps.Keys(grads)))
	}
	return nil
}

// toleranceOf is the distance from PyTorch's values that a dtype may have.
func toleranceOf(t graph.DType) tolerance {
	switch t {
	case graph.Float32:
		return tolerance{relative: 1e-6, absolute: 1e-7}
	case graph.Float64:
		return tolerance{relative: 1e-12, absolute: 1e-12}
	}
	return tolerance{}
}
