package export

import (
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// sizeTable has what a model knows of named sizes: numbers that were bound, and how others are found when it runs.
type sizeTable struct {
	bound  shapeinfer.Sizes
	shown  map[string]shownSize
	made   map[graph.Dim]*value // of one element, [1]
	named  map[string]*value
	wanted []*value // inputs that give sizes that no other input shows
}

// shownSize is an axis of an input on which a named size is seen.
type shownSize struct {
	input *value
	axis  int
	dim   graph.Dim // of the axis: coef*name + rest
}

// dim returns a size with bound names replaced by numbers.
func (e *exporter) dim(d graph.Dim) graph.Dim {
	if !d.IsSymbolic() {
		return d
	}
	for _, name := range d.Symbols() {
		if n, is := e.bound[name]; is {
			d = d.Subst(name, graph.Dim(n))
		}
	}
	return d
}

func (e *exporter) dims(list []graph.Dim) graph.Shape {
	shape := make(graph.Shape, len(list))
	for i, d := range list {
		shape[i] = e.dim(d)
	}
	return shape
}

// hasElements reports whether a size is known to be at least 1, by what its names were declared.
func (e *exporter) hasElements(d graph.Dim) bool {
	if n, static := d.Int(); static {
		return n > 0
	}
	factors := d.Factors()
	if len(factors) > 1 {
		return !slices.ContainsFunc(factors, func(f graph.Dim) bool { return !e.hasElements(f) })
	}
	names := d.Symbols()
	return len(names) == 1 && graph.SymbolicDim(names[0]) == d && e.graph.Bounds(names[0]).Min > 0
}

// show notes the names that an input shows. An axis that is a name alone is the best to read it from.
func (s *sizeTable) show(v *value) {
	for axis, d := range v.shape {
		for _, name := range d.Symbols() {
			best, has := s.shown[name]
			coef, rest, linear := d.Linear(name)
			if is := graph.SymbolicDim(name) == d; is && (!has || best.dim != d) ||
				!has && linear && coef != 0 && len(rest.Symbols()) == 0 {
				s.shown[name] = shownSize{v, axis, d}
			}
		}
	}
}

// size is a size of the program, an int64 without axes.
func (e *exporter) size(d graph.Dim) *value {
	if n, static := d.Int(); static {
		return e.whole(graph.Int64, n)
	}
	v := e.measured(d)
	var out *value
	e.within(e.main, func() { out = e.apply("Squeeze", tensor{graph.Int64, graph.Shape{}}, nil, v) })
	return out
}

// sizes is a list of sizes of the program, as int64.
func (e *exporter) sizes(list graph.Shape) *value {
	var parts []*value
	var known []int64
	flush := func() {
		if len(known) > 0 {
			parts = append(parts, e.ints(known))
			known = nil
		}
	}
	for _, d := range list {
		if n, static := d.Int(); static {
			known = append(known, n)
			continue
		}
		flush()
		parts = append(parts, e.measured(d))
	}
	flush()
	if len(parts) == 0 {
		return e.ints(nil)
	}
	var out *value
	e.within(e.main, func() { out = e.concat(0, parts...) })
	return out
}

// measured computes a size that has names, as a list of one int64, in the model itself: bodies of loops see it.
func (e *exporter) measured(d graph.Dim) *value {
	if v := e.made[d]; v != nil {
		return v
	}
	var v *value
	e.within(e.main, func() {
		r := &sizeReader{exporter: e, text: d.String()}
		v = r.sum()
		if r.at < len(r.text) {
			v = e.Fail(e.Node, "needs the size %s, which cannot be computed in ONNX", d)
		}
	})
	e.made[d] = v
	return v
}

// nameOf finds a named size.
func (e *exporter) nameOf(name string) *value {
	if v := e.named[name]; v != nil {
		return v
	}
	one := tensor{graph.Int64, graph.Shape{1}}
	var v *value
	s, is := e.shown[name]
	if is {
		v = e.apply("Shape", one, attrs{attrInt("start", s.axis), attrInt("end", s.axis+1)}, s.input)
		coef, rest, _ := s.dim.Linear(name)
		if k, _ := rest.Int(); k != 0 {
			v = e.same("Sub", v, e.ints([]int64{k}))
		}
		if coef != 1 {
			v = e.same("Div", v, e.ints([]int64{coef}))
		}
	} else {
		given := &value{tensor: tensor{graph.Int64, graph.Shape{}}, name: "size:" + name}
		e.wanted = append(e.wanted, given)
		v = e.reshape(given, graph.Shape{1})
	}
	e.named[name] = v
	return v
}

// sizeReader computes a size from its text, whose form is that of graph.ParseDim.
type sizeReader struct {
	*exporter
	text   string
	at     int
	halves bool // a division belongs to the floor around it
}

func (r *sizeReader) take(s string) bool {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	if !strings.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.at += len(s)
	return true
}

func (r *sizeReader) sum() *value {
	var v *value
	if r.take("-") {
		v = r.same("Neg", r.product())
	} else {
		v = r.product()
	}
	for {
		switch {
		case r.take("+"):
			v = r.same("Add", v, r.product())
		case r.take("-"):
			v = r.same("Sub", v, r.product())
		default:
			return v
		}
	}
}

func (r *sizeReader) product() *value {
	v := r.factor()
	for {
		switch {
		case r.take("*"):
			v = r.same("Mul", v, r.factor())
		case r.take("//"):
			v = r.floored(v, r.factor())
		case !r.halves && r.take("/"):
			v = r.same("Div", v, r.factor())
		default:
			return v
		}
	}
}

// floored divides and rounds down, as ONNX's remainder of integers does.
func (r *sizeReader) floored(x, y *value) *value {
	return r.same("Div", r.same("Sub", x, r.same("Mod", x, y)), y)
}

func (r *sizeReader) factor() *value {
	if r.take("(") {
		outer := r.halves
		r.halves = false
		v := r.sum()
		r.halves = outer
		r.take(")")
		return v
	}
	r.take("")
	start := r.at
	for r.at < len(r.text) && !strings.ContainsRune(" +-*/(),?", rune(r.text[r.at])) {
		r.at++
	}
	word := r.text[start:r.at]
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		return r.ints([]int64{n})
	}
	if r.take("(") {
		return r.call(word)
	}
	if word == "" {
		r.text += "?" // it is not read to its end
		return r.ints([]int64{0})
	}
	return r.nameOf(word)
}

func (r *sizeReader) call(name string) *value {
	outer := r.halves
	r.halves = name == "floor"
	x := r.sum()
	r.halves = outer
	if name == "floor" {
		r.take("/")
		y := r.factor()
		r.take(")")
		return r.floored(x, y)
	}
	r.take(",")
	y := r.sum()
	r.take(")")
	switch name {
	case "mod":
		return r.same("Mod", x, y)
	case "div":
		return r.floored(x, y)
	case "min":
		return r.same("Min", x, y)
	}
	return r.choose(r.test("Equal", x, r.ints([]int64{1})), y, x) // broadcast
}

// symbolsOf lists the names in shapes.
func symbolsOf(shapes ...[]graph.Dim) (names []string) {
	for _, s := range shapes {
		for _, d := range s {
			names = append(names, d.Symbols()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
