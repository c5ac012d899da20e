package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/shapeinfer"
)

// symbolicRow is a case of symbolic.jsonl: a program over named sizes.
type symbolicRow struct {
	ID      string           `json:"id"`
	Group   string           `json:"group"`
	Program []step           `json:"program"`
	Least   map[string]int64 `json:"least"`
	Verdict string           `json:"verdict"`
	Samples []sample         `json:"samples"`
}

// sample is PyTorch's answer to a program for one choice of sizes.
type sample struct {
	Dims   map[string]int64 `json:"dims"`
	OK     bool             `json:"ok"`
	Result []int            `json:"result_shape"`
	Error  string           `json:"error"`
}

// judgement is what came of one program.
type judgement struct {
	verdict string // PyTorch's: always, never, sometimes
	ours    string // proved, refused, deferred
	unsound bool
}

// Symbolic runs symbolic.jsonl: whether a program over named sizes is valid for all sizes,
// for none, or for some, and then for which. Named sizes are read as NumPy reads sizes:
// two of them that meet must be equal, or one of them 1.
//
// A case fails where the judgement is wrong: a valid program refused, an invalid one
// accepted, another answer than PyTorch's for a sample. A program that could have been
// decided and was left to the binding of sizes is only weak: it is noted and counted.
func Symbolic(dir string) (*Report, error) {
	rows, err := readRows[symbolicRow](filepath.Join(dir, "symbolic.jsonl"))
	if err != nil {
		return nil, err
	}
	results := make(chan judgement, len(rows))
	r := runAll("symbolic.jsonl", rows, func(row *symbolicRow) Outcome {
		j := judgement{verdict: row.Verdict}
		err := guarded(func() error { return row.run(&j) })
		results <- j
		return Outcome{ID: row.ID, Op: row.Program[len(row.Program)-1].Op, Err: err}
	})
	close(results)
	var all []judgement
	for j := range results {
		all = append(all, j)
	}
	r.Notes, r.Short = soundness(all)
	return r, nil
}

// The shares of programs that must be decided before sizes are known.
const (
	leastProved  = 0.99 // of those that are always valid
	leastRefused = 0.95 // of those that never are
)

// soundness counts the judgements, and says whether too few were decided.
func soundness(all []judgement) (notes []string, short error) {
	count := map[string]int{}
	unsound := 0
	for _, j := range all {
		count[j.verdict]++
		count[j.verdict+" "+j.ours]++
		if j.unsound {
			unsound++
		}
	}
	text := fmt.Sprintf("soundness: %d unsound; of %d always %d proved, %d undecided; "+
		"of %d never %d refused, %d undecided; of %d sometimes %d deferred", unsound, count["always"],
		count["always proved"], count["always deferred"],
		count["never"], count["never refused"], count["never deferred"], count["sometimes"],
		count["sometimes deferred"])
	if float64(count["always proved"]) < leastProved*float64(count["always"]) ||
		float64(count["never refused"]) < leastRefused*float64(count["never"]) {
		short = errors.New("too few programs are decided before sizes are known: " + text)
	}
	return []string{text}, short
}

// build makes the program, with named sizes read in one of the ways.
func (row *symbolicRow) build(names graph.NamesPolicy) (*program, error) {
	g := graph.New("case", graph.WithPolicy(graph.Policy{Names: names, MutualExpand: graph.AllowSilently}))
	for _, name := range slices.Sorted(maps.Keys(row.Least)) {
		g.Dim(name, graph.AtLeast(row.Least[name]))
	}
	p := newProgram(g, row.Program)
	for i := range row.Program {
		if err := p.step(&row.Program[i]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// runStricter requires of the other ways to read named sizes, which refuse more, that
// PyTorch accepts whatever they accept.
func (row *symbolicRow) runStricter() error {
	for _, names := range []graph.NamesPolicy{graph.Strict, graph.Unify} {
		p, err := row.build(names)
		if err != nil {
			return err
		}
		report := shapeinfer.Check(p.g)
		if report.Err() != nil {
			continue
		}
		for _, sample := range row.Samples {
			bound, _, err := p.feed(sample.Dims)
			if err != nil {
				continue // a negative size
			}
			if _, err := shapeinfer.Bind(p.g, bound, report.Requirements, p.undetermined(sample.Dims)); err == nil &&
				!sample.OK {
				return fmt.Errorf("with names policy %d and %v: accepted, and PyTorch says %q", names, sample.Dims,
					sample.Error)
			}
		}
	}
	return nil
}

func (row *symbolicRow) run(j *judgement) error {
	p, err := row.build(graph.Numpy)
	if err != nil {
		return err
	}
	g := p.g
	report := shapeinfer.Check(g)
	switch {
	case report.Err() != nil:
		j.ours = "refused"
	case len(report.Requirements) > 0:
		j.ours = "deferred"
	default:
		j.ours = "proved"
	}
	j.unsound = j.ours == "refused" && row.Verdict != "never" || j.ours == "proved" && row.Verdict != "always"
	if j.unsound {
		return fmt.Errorf("%s: PyTorch says %s, this is %s: %v", row.describe(), row.Verdict, j.ours, report)
	}
	if j.ours != "refused" {
		err = row.bindAll(g, p, report)
		if err == nil {
			err = row.runGradients()
		}
	}
	if err == nil {
		err = row.runStricter()
	}
	if err != nil {
		j.unsound = true
		return fmt.Errorf("%s: %w", row.describe(), err)
	}
	return nil
}

func (row *symbolicRow) describe() string {
	text := row.Group
	for _, s := range row.Program {
		text += "; " + s.String()
	}
	return fmt.Sprintf("%s; least %v", text, row.Least)
}

// bindAll requires that each sample is accepted or refused as by PyTorch, by the binding of
// sizes, by the compiled program and in the shape and values of its result.
func (row *symbolicRow) bindAll(g *graph.Graph, p *program, report *shapeinfer.Report) error {
	y := p.last
	prog, err := exec.Compile(g, exec.Outputs(y), exec.OnWarning(nil))
	if err != nil {
		return fmt.Errorf("compile: %w", err)
	}
	session := prog.NewSession()
	for _, sample := range row.Samples {
		bound, fed, err := p.feed(sample.Dims)
		if errors.Is(err, errNoSize) && !sample.OK {
			continue
		} else if err != nil {
			return err
		}
		about := fmt.Sprintf("with %v", sample.Dims)
		given := p.undetermined(sample.Dims)
		sizes, err := shapeinfer.Bind(g, bound, report.Requirements, given)
		if err != nil && strings.Contains(err.Error(), byHand) {
			given = sample.Dims
			sizes, err = shapeinfer.Bind(g, bound, report.Requirements, given)
		}
		if sample.OK != (err == nil) {
			return fmt.Errorf("%s: want ok %v (%v %s), binding says %v", about, sample.OK, sample.Result, sample.Error,
				err)
		}
		var want []reference.Value
		if sample.OK {
			if have, err := evaluated(y.Shape(), sizes); err != nil || !slices.Equal(have, sample.Result) {
				return fmt.Errorf("%s: want shape %v, got %s = %v (%v)", about, sample.Result, y.Shape(), have, err)
			}
			if want, err = reference.Eval([]*graph.Node{y}, fed, given); err != nil {
				return fmt.Errorf("%s: oracle: %w", about, err)
			}
		}
		if len(given) > 0 {
			continue // a session finds sizes from what is fed
		}
		feed := exec.Feed{}
		for n, v := range fed {
			feed[n] = exec.Array{Shape: v.Shape, Data: v.Data}
		}
		out, err := session.Run(context.Background(), feed)
		switch {
		case sample.OK != (err == nil):
			return fmt.Errorf("%s: want ok %v (%v %s), the program says %v", about, sample.OK, sample.Result,
				sample.Error, err)
		case sample.OK:
			a, err := out.Array(y)
			if err != nil {
				return err
			}
			c := computed{want[0], reference.Value{DType: y.DType(), Shape: a.Shape, Data: a.Data}}
			if err := c.want(about+": the result", sample.Result, want[0].Floats(),
				tolerance{relative: 1e-12, absolute: 1e-12}); err != nil {
				return err
			}
		}
	}
	return nil
}

// byHand is in the message where inputs leave several sizes possible, as n of an axis
// [floor(n/2)].
const byHand = "set it explicitly"

// evaluated returns the numbers of a shape.
func evaluated(s graph.Shape, sizes shapeinfer.Sizes) ([]int, error) {
	list := []int{}
	for _, d := range s {
		n, err := d.Eval(sizes.Lookup)
		if err != nil {
			return nil, err
		}
		list = append(list, int(n))
	}
	return list, nil
}

// undetermined returns the sizes of names that no input has.
func (p *program) undetermined(dims map[string]int64) shapeinfer.Sizes {
	left := shapeinfer.Sizes(maps.Clone(dims))
	for _, n := range p.inputs {
		for _, d := range n.Shape() {
			for _, name := range d.Symbols() {
				delete(left, name)
			}
		}
	}
	return left
}

// errNoSize says that an input would have a negative size, or one that is no whole number.
var errNoSize = errors.New("an input without a size")

// feed returns the inputs' shapes and values for sizes of the names.
func (p *program) feed(dims map[string]int64) (bound []shapeinfer.Bound, fed feeds, err error) {
	fed = feeds{}
	for k, n := range p.inputs {
		shape, err := evaluated(n.Shape(), dims)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errNoSize, err)
		}
		count := 1
		for _, d := range shape {
			if d < 0 {
				return nil, nil, errNoSize
			}
			count *= d
		}
		data := make([]float64, count)
		for i := range data {
			data[i] = float64((i*5+k)%11) - 4
		}
		bound = append(bound, shapeinfer.Bound{Node: n, Shape: shape})
		fed[n] = reference.FromFloats(n.DType(), data, shape...)
	}
	return bound, fed, nil
}
