package weights

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/raw"
)

// Load sets a session's parameters from a file, by name. It first compares all names, shapes and dtypes: if anything
// does not match and is not allowed, nothing is set, and the error is a *[MismatchError] that lists everything. Numbers
// are widened to the parameter's dtype: float16 and bfloat16 to float32 or float64, integers to wider ones. A weight of
// nn.Int8Weights or another such option is loaded from its integers and scales, or from numbers under the name of the
// integers. If reading elements fails, the parameters in Report.Loaded have been set. Values of [With] are set first.
func Load(s *exec.Session, f *File, opts ...Option) (*Report, error) {
	held, err := heldBy(s)
	if err != nil {
		return nil, err
	}
	return f.load(held, s.Program(), opts, func(n *graph.Node, value exec.Array) error { return s.SetParam(n, value) })
}

// Values reads the parameters that a program uses from a file, like [Load]. With exec.BorrowParams, a session reads
// them in place, so that a large model is in memory once.
func Values(p *exec.Program, f *File, opts ...Option) (exec.Feed, *Report, error) {
	if p == nil {
		return nil, nil, errors.New("weights: the program is nil")
	}
	values := exec.Feed{}
	r, err := f.load(p.Params(), p, opts, func(n *graph.Node, value exec.Array) error { values[n] = value; return nil })
	if err != nil {
		return nil, r, err
	}
	return values, r, nil
}

// load hands over the values of those of a program's or session's parameters that are meant.
func (f *File) load(held []*graph.Node, p *exec.Program, opts []Option,
	set func(*graph.Node, exec.Array) error) (*Report, error) {
	o := optionsOf(opts)
	params, err := o.of(held)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errors.New("weights: the file is nil")
	}
	r := &Report{}
	sources, states := o.match(params, held, p.Params(), f, r)
	if len(r.Wrong) > 0 || r.refused || len(r.Unexpected) > 0 && !o.unexpected {
		r.hints = o.hints(params, f, sources)
		return r, &MismatchError{File: f.path, Report: r}
	}
	for i, other := range o.with {
		if err := f.setState(other, states[i]); err != nil {
			return r, err
		}
	}
	for i, n := range params {
		if sources[i] == nil {
			continue
		}
		if err := o.loadParam(f, n, sources[i], r, set); err != nil {
			return r, err
		}
	}
	return r, nil
}

// loadParam hands over the value of a parameter from its tensors: of a weight that becomes integers, also the scales.
func (o options) loadParam(f *File, n *graph.Node, tensors []string, r *Report,
	set func(*graph.Node, exec.Array) error) error {
	params, values := []*graph.Node{n}, make([]exec.Array, 1)
	var err error
	if w := o.quantised(n, f); w != nil {
		if values, err = o.heldValues(f, w, tensors); err != nil {
			return err
		}
		params = w.Params()
	} else {
		values[0], err = o.value(f, n, tensors)
	}
	for i, value := range values {
		if err == nil {
			err = set(params[i], value)
		}
		if err != nil {
			return err
		}
		r.Loaded = append(r.Loaded, params[i].Name())
	}
	return nil
}

// LoadFile is [Load] with the path of a file.
func LoadFile(s *exec.Session, path string, opts ...Option) (*Report, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	r, err := Load(s, f, opts...)
	return r, errors.Join(err, f.Close())
}

// MismatchError is the error if a file does not match the parameters.
type MismatchError struct {
	File   string
	Report *Report
}

// Error implements error.
func (e *MismatchError) Error() string {
	hint := ""
	for _, h := range e.Report.hints {
		hint += "\n  help: " + h
	}
	if e.Report.refused && !e.Report.needed {
		hint += "\n  the session's program does not need what is missing: Only(session.Program().Params()...) loads the rest"
	}
	return fmt.Sprintf("weights: %s does not match, and nothing was set:%s%s\n"+
		"  (use weights.AllowMissing, AllowUnexpected, AllowNarrowing, Only, Except, With, Rename or Parts to allow differences)",
		e.File, e.Report.differences(), hint)
}

// heldBy returns the parameters of a session.
func heldBy(s *exec.Session) ([]*graph.Node, error) {
	if s == nil {
		return nil, errors.New("weights: the session is nil")
	}
	return s.Params()
}

// of returns those of the parameters that are meant.
func (o options) of(held []*graph.Node) ([]*graph.Node, error) {
	if o.err != nil {
		return nil, o.err
	}
	for _, pattern := range o.except {
		if !slices.ContainsFunc(held, func(n *graph.Node) bool { return matches(n.Name(), pattern) }) {
			return nil, fmt.Errorf("weights: Except(%q) matches no parameter of the session or program", pattern)
		}
	}
	params := held
	if o.only != nil {
		params = withScales(o.only)
	}
	for _, n := range o.only {
		if !slices.Contains(held, n) {
			return nil, fmt.Errorf("weights: %s is not a parameter of the session or program", n.Called())
		}
	}
	return slices.DeleteFunc(slices.Clone(params), o.leavesOut), nil
}

// leavesOut reports whether [Except] names the parameter.
func (o options) leavesOut(n *graph.Node) bool { return matches(n.Name(), o.except...) }

// match finds the tensors of each parameter and those of each state, and reports what does not fit. A parameter without
// tensors has none in sources.
func (o options) match(params, held, program []*graph.Node, f *File, r *Report) (sources, states [][]string) {
	used := map[string]string{}
	sources = make([][]string, len(params))
	for i, n := range params {
		if w := o.quantised(n, f); w != nil && n != w.Levels {
			continue // they are computed with the integers
		}
		names := o.tensorsOf(n)
		if missing := f.without(names); len(missing) > 0 {
			for _, name := range missing {
				r.Missing = append(r.Missing, o.absent(n, name))
			}
			r.refused, r.needed = r.refused || !o.mayMiss(n.Name()), r.needed || slices.Contains(program, n)
			continue
		}
		twice := false
		for _, name := range names {
			if other, is := used[name]; is {
				twice = true
				r.Wrong = append(r.Wrong, fmt.Sprintf(
					"tensor %q is used for two parameters, %s and %s", name, other, n.Name()))
			}
			used[name] = n.Name()
		}
		if twice {
			continue
		}
		sources[i] = names
		if why := o.mismatch(n, f.infos(names), o.quantised(n, f)); why != "" {
			r.Wrong = append(r.Wrong, why)
		}
	}
	for _, other := range o.with {
		states = append(states, o.matchState(other, f, used, r))
	}
	for _, n := range held {
		if o.leavesOut(n) {
			for _, name := range o.tensorsOf(n) {
				used[name] = n.Name()
			}
		}
	}
	for _, t := range f.tensors {
		if _, ok := used[t.Name]; !ok {
			r.Unexpected = append(r.Unexpected, fmt.Sprintf("%s %s %v", nameText(t.Name), t.Stored(),
				shapeText(t.Shape)))
		}
	}
	return sources, states
}

// without lists the names that no tensor of the file has.
func (f *File) without(names []string) (missing []string) {
	for _, name := range names {
		if _, found := f.byName[name]; !found {
			missing = append(missing, name)
		}
	}
	return missing
}

// infos describes tensors of the file.
func (f *File) infos(names []string) []raw.Info {
	infos := make([]raw.Info, len(names))
	for i, name := range names {
		infos[i] = f.tensors[f.byName[name]].Info
	}
	return infos
}

// matchState finds the tensors of a state; none where one is missing.
func (o options) matchState(other Stateful, f *File, used map[string]string, r *Report) (names []string) {
	names, isWhole := slices.Sorted(maps.Keys(other.State())), true
	for _, name := range names {
		used[name] = name
		if _, has := f.byName[name]; !has {
			r.Missing = append(r.Missing, fmt.Sprintf("%s of %T", name, other))
			isWhole, r.needed, r.refused = false, true, r.refused || !o.mayMiss(name)
		}
	}
	if !isWhole {
		return nil
	}
	return names
}

// setState passes the tensors of these names to their owners, if there are any.
func (f *File) setState(other Stateful, names []string) error {
	if len(names) == 0 {
		return nil
	}
	state := map[string]exec.Array{}
	for _, name := range names {
		var err error
		if state[name], err = f.Read(name); err != nil {
			return err
		}
	}
	if err := other.SetState(state); err != nil {
		return fmt.Errorf("weights: %s: %w", f.path, err)
	}
	return nil
}

// mismatch says why tensors cannot be loaded into a parameter; nothing where they can. w is the weight of which they
// become integers and scales, or nil.
func (o options) mismatch(n *graph.Node, tensors []raw.Info, w *blockwise.Weight) string {
	if len(tensors) > 1 {
		return o.partsMismatch(n, tensors, w)
	}
	t := tensors[0]
	want, known := shapeOf(n, w)
	have := shapeText(t.Shape)
	if !known {
		return fmt.Sprintf("%s is %v (%s), but the file has %v", n.Name(), n.Shape(), n.Pos(), have)
	}
	is := shapeText(want)
	if o.isTransposed(n) {
		want = kernelShape(want)
		if !slices.Equal(want, t.Shape) {
			return fmt.Sprintf("%s is %v (%s), but the file has %v, which must be %v with Transposed", n.Name(), is,
				n.Pos(), have, shapeText(want))
		}
	}
	if !slices.Equal(want, t.Shape) {
		return fmt.Sprintf("%s is %v (%s), but the file has %v", n.Name(), is, n.Pos(), have)
	}
	return o.dtypeMismatch(n, t, w)
}

// shapeOf returns the shape of a parameter's elements: of the weight of which it is the integers, if there is one.
func shapeOf(n *graph.Node, w *blockwise.Weight) (shape []int, known bool) {
	if w != nil && n == w.Levels {
		return w.KnownShape()
	}
	return n.KnownShape()
}

// dtypeMismatch says why the elements of a tensor cannot be loaded into a parameter; nothing where they can.
func (o options) dtypeMismatch(n *graph.Node, t raw.Info, w *blockwise.Weight) string {
	from, known := readAs[t.DType]
	switch {
	case w != nil:
		return o.roundingMismatch(w, t)
	case !known:
		return fmt.Sprintf("%s is %s in the file, which cannot be read: convert it to F32 first", n.Name(), t.Stored())
	case !convertible(n.DType(), from):
		return fmt.Sprintf("%s is %s, but the file has %s", n.Name(), n.DType(), t.Stored())
	case !holds(n.DType(), from) && !o.narrowing:
		return fmt.Sprintf("%s is %s, but the file has %s: use AllowNarrowing() to round it", n.Name(), n.DType(),
			t.Stored())
	}
	return ""
}

// shapeText writes a shape as the graph does.
func shapeText(shape []int) string {
	s := make(graph.Shape, len(shape))
	for i, n := range shape {
		s[i] = graph.Dim(n)
	}
	return s.String()
}

// readAs are the dtypes of the slices that [raw.Decode] makes.
var readAs = map[raw.DType]graph.DType{
	raw.Bool: graph.Bool, raw.U8: graph.Uint8, raw.I8: graph.Int8, raw.U16: graph.Uint16, raw.I16: graph.Int16,
	raw.U32: graph.Uint32,
	raw.I32: graph.Int32, raw.U64: graph.Uint64, raw.I64: graph.Int64, raw.F8E4M3: graph.Float8E4M3FN,
	raw.F8E5M2: graph.Float8E5M2, raw.F16: graph.Float16, raw.BF16: graph.BFloat16,
	raw.F32: graph.Float32, raw.F64: graph.Float64,
}
