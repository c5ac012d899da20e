package reach

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer"
)

// checker finds what is wrong with a request while shardings are assigned.
type checker struct {
	*request
	report *shapeinfer.Report
	prover *prove.Prover
}

// fail records a mistake at the user's line of a rule.
func (c *checker) fail(code graph.Code, at graph.Pos, n *graph.Node, help string, format string,
	args ...any) *graph.Mistake {
	m := &graph.Mistake{Code: code, Pos: at, Whole: true, Summary: fmt.Sprintf(format, args...)}
	if n != nil {
		m.Node, m.Operands = n, []graph.OperandNote{{Node: n}}
	}
	if help != "" {
		m.Help = []string{help}
	}
	c.report.Errors = append(c.report.Errors, m)
	return m
}

// begins checks what does not depend on any value; the mesh is usable if it returns true. Rules with unknown axes are
// left out.
func (c *checker) begins() bool {
	if wrong := c.mesh.wrong(); wrong != "" {
		c.fail(graph.CodeMesh, c.mesh.pos, nil,
			"make it of axes with names: reach.NewMesh(reach.Axis(\"data\", 4), reach.Axis(\"tensor\", 2))", "%s",
			wrong)
		return false
	}
	c.checkSizes()
	c.checkRoots()
	c.rules = slices.DeleteFunc(c.rules, func(r *rule) bool { return !c.known(r.axes, r.pos) || !c.readable(r) })
	c.dims = slices.DeleteFunc(c.dims, func(d *dimRule) bool { return !c.known(Sharding{d.axes}, d.pos) })
	c.zero = slices.DeleteFunc(c.zero, func(z *dimRule) bool { return !c.known(Sharding{z.axes}, z.pos) })
	return true
}

// checkSizes requires bound sizes to be names of the graph, within their declared bounds.
func (c *checker) checkSizes() {
	names := c.graph.DimNames()
	for _, name := range slices.Sorted(maps.Keys(c.sizes)) {
		n := int64(c.sizes[name])
		if !slices.Contains(names, name) {
			c.fail(graph.CodeShardRule, c.sizesAt, nil, "the named sizes of the graph are "+strings.Join(names, ", "),
				"graph %q has no size %q", c.graph.Name(), name)
			continue
		}
		b := c.graph.Bounds(name)
		if n < b.Min || b.Max > 0 && n > b.Max || n%max(b.Multiple, 1) != 0 {
			c.fail(graph.CodeBinding, c.sizesAt, nil, "", "the size %s is bound to %d, and was declared %s at %s", name,
				n, b, c.graph.DimPos(name))
		}
	}
}

// checkRoots wants outputs and updates to be nodes of the graph.
func (c *checker) checkRoots() {
	for i, n := range slices.Concat(c.outputs, c.updates) {
		switch {
		case n == nil || n.Graph() != c.graph:
			c.fail(graph.CodeOperand, c.pos, nil, "give nodes of the graph that is divided",
				"output or update %d, %s, is not a node of graph %q", i, n.Called(), c.graph.Name())
		case i >= len(c.outputs) && n.Judged() && n.Op().Class != graph.Update:
			c.fail(graph.CodeOperand, c.pos, n, "", "%s writes nothing: an update must be an in-place operation",
				graph.Describe(n))
		}
	}
}

// known refuses unknown mesh axes, and repeated ones.
func (c *checker) known(s Sharding, at graph.Pos) bool {
	seen := map[string]bool{}
	for _, name := range s.meshAxes() {
		switch _, is := c.mesh.size(name); {
		case !is:
			c.fail(graph.CodeMeshAxis, at, nil, "the axes of the mesh are "+c.mesh.String(), "the mesh has no axis %q",
				name)
			return false
		case seen[name]:
			c.fail(graph.CodeMeshAxis, at, nil,
				"divide only one axis of the value over it, and leave the others whole or divide them over another axis of the mesh",
				"%s divides two axes of one value over the mesh axis %q", s, name)
			return false
		}
		seen[name] = true
	}
	return true
}

// readable refuses an invalid pattern.
func (c *checker) readable(r *rule) bool {
	if _, err := path.Match(r.pattern, ""); err != nil {
		c.fail(graph.CodeShardRule, r.pos, nil, "* matches any characters, ? one character, and [ab] one of several",
			"%q is not a valid pattern: %v", r.pattern, err)
		return false
	}
	return true
}

// admits checks a constraint by itself.
func (c *checker) admits(at *constraint) bool {
	n := at.node
	if n == nil || n.Graph() != c.graph {
		c.fail(graph.CodeOperand, at.pos, nil, "name a value of the graph that is divided",
			"%s is not a node of graph %q", n.Called(), c.graph.Name())
		return false
	}
	return n.Judged() && c.known(at.axes, at.pos) && c.fits(n, at.axes, at.pos)
}

// fits refuses a sharding of another rank than a value, and one by which its sizes are not divided.
func (c *checker) fits(n *graph.Node, s Sharding, at graph.Pos) bool {
	if !n.Judged() {
		return false
	}
	if len(s) != n.Rank() {
		c.fail(graph.CodeShardRank, at, n, fmt.Sprintf("use %d, with \"\" for each axis that stays whole", n.Rank()),
			"%s declares %s, but %s has %s",
			s, counted(len(s), "axis", "axes"), n.Called(), counted(n.Rank(), "axis", "axes"))
		return false
	}
	return c.divides(n, s, at)
}

// isOnce refuses a sharding that divides two axes of a value, or one of them twice, over one mesh axis.
func (c *checker) isOnce(n *graph.Node, s Sharding, at graph.Pos) bool {
	for first, axes := range s {
		for i, name := range axes {
			second := first + 1 + s[first+1:].axisOf(name)
			if second == first && !slices.Contains(axes[:i], name) {
				continue
			}
			m := c.fail(graph.CodeMeshAxis, at, n, fmt.Sprintf("say which one: reach.Inputs(%q, …)", n.Name()),
				"axes %d and %d of %s would both be divided over the mesh axis %q", first, second, n.Called(), name)
			m.Operands[0].Bad = []int{first, second}
			return false
		}
	}
	return true
}

// divides refuses sizes that the mesh does not divide, for all that named sizes may be.
func (c *checker) divides(n *graph.Node, s Sharding, at graph.Pos) bool {
	for axis, over := range s {
		parts := c.mesh.parts(over)
		size := c.bound(n.Shape()[axis])
		if parts == 1 || size.IsUnknown() || c.prover.Divisible(size, int64(parts)) == prove.Proved {
			continue
		}
		c.undivided(n, axis, size, over, at)
		return false
	}
	return true
}

// bound replaces the named sizes that were bound.
func (c *checker) bound(d graph.Dim) graph.Dim {
	if n, known := c.graph.Known(d); known {
		return graph.Dim(n)
	}
	for _, name := range d.Symbols() {
		if n, is := c.sizes[name]; is {
			d = d.Subst(name, graph.Dim(n))
		}
	}
	return d
}

// undivided reports a size that the mesh does not divide, and how it could.
func (c *checker) undivided(n *graph.Node, axis int, size graph.Dim, over []string, at graph.Pos) {
	parts := c.mesh.parts(over)
	m := c.fail(graph.CodeShardSize, at, n, "",
		"axis %d of %s should be divided over %s, into %d parts, but its size is %s", axis, n.Called(),
		strings.Join(over, between), parts, size)
	m.Operands[0].Bad = []int{axis}
	names := size.Symbols()
	switch {
	case len(names) == 0:
		m.Help = []string{
			"all devices have parts of the same size: use a size that is a multiple, or leave the axis whole"}
	case size == graph.SymbolicDim(names[0]):
		m.Help = []string{
			fmt.Sprintf("declare it g.Dim(%q, graph.MultipleOf(%d)), or bind it: reach.Sizes(map[string]int{%q: …})",
				names[0], parts, names[0])}
	default:
		m.Help = []string{fmt.Sprintf("declare %s so that %s is a multiple of %d, or bind it with reach.Sizes",
			strings.Join(names, " and "), size, parts)}
	}
	m.Sizes = names
}

// unused refuses rules that divide nothing.
func (c *checker) unused() {
	for _, r := range c.rules {
		words := ruleWords[r.kind]
		switch {
		case len(r.matches) > 0:
		case r.earlier > 0:
			c.fail(graph.CodeShardRule, r.pos, nil, "write the rules for fewer names before those for more",
				"each %s that %q matches is taken by an earlier rule", words.what, r.pattern)
		default:
			c.fail(graph.CodeShardRule, r.pos, nil, c.nearest(r), "reach.%s(%q): the graph has no %s of such a name",
				words.option, r.pattern, words.what)
		}
	}
	for _, d := range c.dims {
		if !d.used {
			c.fail(graph.CodeShardRule, d.pos, nil,
				"the named sizes of the graph are "+strings.Join(c.graph.DimNames(), ", ")+
					"; name values by reach.Inputs or reach.At where an axis has another size",
				"no input has an axis of size %s", d.dim)
		}
	}
	for _, z := range c.zero {
		if !z.used {
			c.fail(graph.CodeShardRule, z.pos, nil,
				"build the updates with an optimiser that keeps state, such as optim.Adam, before the plan",
				"the graph has no state of an optimiser in the shape of its parameter")
		}
	}
}

// maxNamed bounds the names that a message lists.
const maxNamed = 8

// nearest lists names that a rule could have meant.
func (c *checker) nearest(r *rule) string {
	var names []string
	list := c.graph.Params()
	if r.kind == ofInputs {
		list = c.graph.Inputs()
	}
	for _, n := range list {
		if isOwned := owner(n) != nil; r.kind == ofInputs || isOwned == (r.kind == ofStates) {
			names = append(names, n.Name())
		}
	}
	text := "there are " + strings.Join(names[:min(len(names), maxNamed)], ", ")
	switch more := len(names) - maxNamed; {
	case len(names) == 0:
		return "there are none"
	case more > 0:
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// checkUpdates requires the result of an update to be divided like the value that it writes: both are one memory.
func (c *checker) checkUpdates(p *Plan) {
	for _, at := range c.constraints {
		n := at.node
		w := written(n)
		if w == nil || w == n || p.shardings[n] == nil || p.shardings[w].Equal(at.axes) {
			continue
		}
		m := c.fail(graph.CodeShardUpdate, at.pos, n,
			fmt.Sprintf("divide %s instead, with reach.Params or reach.At: its updates follow", w.Called()),
			"the update would be divided as %s, but %s, whose memory it writes, as %s", at.axes, w.Called(),
			p.shardings[w])
		m.Operands = []graph.OperandNote{{Node: n, Text: at.axes.String()}, {Node: w, Text: p.shardings[w].String()}}
	}
}

// written returns the parameter or input whose memory a value is, in its whole shape; nil if there is none.
func written(n *graph.Node) *graph.Node {
	for n != nil && n.Op().Class != graph.Source {
		if n.Op().Class != graph.Update && n.Op().Class != graph.Version {
			return nil
		}
		n = n.In(0)
	}
	if n == nil || !n.IsParam() && !n.IsInput() {
		return nil
	}
	return n
}

// idle warns of mesh axes over which nothing is divided.
func (c *checker) idle(p *Plan) {
	for _, a := range c.mesh.axes {
		isUsed := func(s Sharding) bool { return s.uses(a.Name) }
		if a.Size == 1 || slices.ContainsFunc(slices.Collect(maps.Values(p.shardings)), isUsed) ||
			len(c.report.Errors) > 0 {
			continue
		}
		c.report.Warnings = append(c.report.Warnings,
			&graph.Mistake{Code: graph.CodeIdleAxis, Severity: graph.Warning, Pos: c.mesh.pos, Whole: true,
				Summary: fmt.Sprintf("nothing is divided over the mesh axis %q: its %d devices compute the same",
					a.Name, a.Size),
				Help: []string{
					fmt.Sprintf("divide the batch: reach.Dim(\"batch\", %q); or remove the axis from the mesh",
						a.Name)}})
	}
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
