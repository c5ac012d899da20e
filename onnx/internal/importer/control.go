package importer

import (
	"maps"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/ops"
)

// maxUnrolled is how many steps of a loop are written out at most.
const maxUnrolled = 1000

// truth is a condition that is known.
func (c *call) truth(v *value) (is, known bool) {
	if s, ok := c.sizesOf(v); ok && len(s.dims) == 1 {
		n, isNumber := s.dims[0].Int()
		return n != 0, isNumber
	}
	return false, false
}

// ifRule takes a branch that is known, and else computes the one that a run says.
func ifRule(c *call) []*value {
	if is, known := c.truth(c.value(0)); known {
		if is {
			return c.compute(c.body("then_branch"), nil)
		}
		return c.compute(c.body("else_branch"), nil)
	}
	condition := c.in(0)
	if condition.Rank() > 0 {
		condition = ops.Reshape(condition)
	}
	return c.cond(condition)
}

func ofNodes(list []node) (values []*value) {
	for _, n := range list {
		values = append(values, ofNode(n))
	}
	return values
}

// nodesOf are the nodes of tensors; where one is a sequence, nothing.
func (c *call) nodesOf(list []*value) (nodes []node) {
	for _, v := range list {
		if v.counted != nil {
			c.guard(c.from, func() {
				refuse("its body takes or returns a value of which a size is known only when the model runs: %s",
					selectBefore)
			})
			return nil
		}
		if v.isList {
			c.problem(
				"a sequence is returned by a body whose number of steps is unknown: export the model with tensors there",
			)
			return nil
		}
		nodes = append(nodes, c.nodeOf(v))
	}
	return nodes
}

// attempt computes a body inside of a loop or a branch that is open. What is wrong with it is noted, and the results
// are nothing.
func (c *call) attempt(body *wire.Graph, args []*value) (results []*value) {
	if !c.guard(c.from, func() { results = c.compute(body, args) }) {
		return nil
	}
	return results
}

// loop repeats a body.
func loop(c *call) []*value {
	body, carry := c.body("body"), c.operands[min(2, len(c.operands)):]
	steps, starts, isKnown := graph.Dim(most), true, true
	if c.has(0) {
		s, ok := c.sizesOf(c.operands[0])
		if !ok {
			return c.counted(body, carry)
		}
		if c.isOpen(s.dims[0]) {
			return c.counted(body, carry)
		}
		steps, _ = greatest(c, s.dims[0], 0)
	}
	if c.has(1) {
		starts, isKnown = c.truth(c.operands[1])
	}
	if isKnown && !starts {
		steps = 0
	}
	if steps == most {
		steps = c.stepsOfCounter(body, carry)
	}
	n, isNumber := steps.Int()
	if goesOn := c.alwaysGoesOn(body); goesOn && isKnown && steps != most {
		if !hasSequence(carry) && steps != 0 && !(isNumber && n <= maxShort && c.areSizes(carry)) {
			if list := c.scanned(body, steps, carry); list != nil {
				return list
			}
		}
		if isNumber && n <= maxUnrolled {
			return c.unrolled(body, int(n), carry)
		}
		if list := c.growingLoop(body, steps, carry, nil); list != nil {
			return list
		}
		refuse(
			"it carries sequences, or values whose shapes change from step to step, so that the number of steps, %s, must be known: bind the sizes to numbers",
			steps,
		)
	}
	if len(body.Outputs) == len(carry)+1 && !hasSequence(carry) {
		return c.while(body, steps, carry, nil)
	}
	var list []*value
	unrolled := func() { list = c.unrolled(body, int(min(n, maxUnrolled)), carry) }
	if c.tried(func() { c.guard(c.from, unrolled) }) {
		return list
	}
	if list := c.growingLoop(body, steps, carry, nil); list != nil {
		return list
	}
	unrolled() // which says what is wrong
	return list
}

// maxShort is how many steps a loop has at most that computes sizes.
const maxShort = 64

// areSizes reports whether all values are sizes of the program.
func (c *call) areSizes(list []*value) bool {
	for _, v := range list {
		if v.sizes == nil {
			return false
		}
	}
	return len(list) > 0
}

func hasSequence(list []*value) bool {
	for _, v := range list {
		if !v.isTensor() {
			return true
		}
	}
	return false
}

// alwaysGoesOn reports whether a loop's condition is what it was before, or true.
func (c *call) alwaysGoesOn(body *wire.Graph) bool {
	if len(body.Outputs) == 0 || len(body.Inputs) < 2 {
		refuse("its body has no condition")
	}
	name, producers := body.Outputs[0].Name, producers(body.Nodes)
	for range len(body.Nodes) + 1 {
		if name == body.Inputs[1].Name {
			return true
		}
		made := producers[name]
		switch {
		case made == nil:
			v, found := c.scope.find(name)
			if !found {
				s := c.scope.inner()
				c.constants(body, s)
				v = s.values[name]
			}
			if v == nil {
				return false
			}
			is, known := c.truth(v)
			return is && known
		case made.Op == "Constant":
			inner := *c
			inner.from = made
			is, known := c.truth(inner.constant())
			return is && known
		case made.Op == "Identity" || made.Op == "Cast":
			name = made.Inputs[0]
		default:
			return false
		}
	}
	return false
}

func (c *call) truthValue(v bool) *value { return c.ofArray(exec.Array{Data: []bool{v}}) }

// scanned is a loop of a number of steps that is known when it begins. Where its values change their shapes, nothing is
// built.
func (c *call) scanned(body *wire.Graph, steps graph.Dim, carry []*value) (results []*value) {
	var final, outs []node
	isBuilt := c.tried(func() {
		first := c.nodesOf(carry)
		final, outs = ops.Scan(ops.Loop{Carry: first, Over: []node{ops.Iota(c.g, 0, steps)}},
			func(carry, x []node) (next, out []node) {
				args := append([]*value{ofNode(x[0]), c.truthValue(true)}, ofNodes(carry)...)
				list := c.nodesOf(c.attempt(body, args))
				if len(list) < 1+len(carry) {
					return carry, nil
				}
				return list[1 : 1+len(carry)], list[1+len(carry):]
			})
	})
	if !isBuilt {
		return nil
	}
	return ofNodes(append(final, outs...))
}

// tried builds something, and forgets it where something is wrong with it.
func (c *call) tried(build func()) (isBuilt bool) {
	problems, made := len(c.problems), len(c.made)
	open, names, found := maps.Clone(c.open), maps.Clone(c.openNames), maps.Clone(c.places)
	isBuilt = c.g.Attempt(func() bool {
		mistakes := len(c.g.Mistakes())
		build()
		return len(c.problems) == problems && len(c.g.Mistakes()) == mistakes
	})
	if !isBuilt {
		for _, v := range c.made[made:] {
			v.node = nil
		}
		c.problems, c.made = c.problems[:problems], c.made[:made]
		c.open, c.openNames, c.places = open, names, found
		c.forgetBuilt()
	}
	return isBuilt
}

// unrolled writes the steps of a loop out, each of which must be known to come.
func (c *call) unrolled(body *wire.Graph, steps int, carry []*value) []*value {
	outs := make([][]node, len(body.Outputs)-1-len(carry))
	for i := range steps {
		args := append([]*value{c.builder.ofSizes(scalar(graph.Dim(i))), c.truthValue(true)}, carry...)
		list := c.compute(body, args)
		carry = list[1 : 1+len(carry)]
		for k, v := range list[1+len(carry):] {
			if v.counted != nil {
				refuse("its body returns a value of which a size is known only when the model runs: %s", selectBefore)
			}
			outs[k] = append(outs[k], c.nodeOf(v))
		}
		goesOn, known := c.truth(list[0])
		if !known {
			refuse("%s", unknownCount)
		}
		if !goesOn {
			break
		}
		if i == maxUnrolled-1 && steps == maxUnrolled {
			refuse("it has %d steps or more, which are too many to unroll", steps)
		}
	}
	results := append([]*value{}, carry...)
	for k, list := range outs {
		if len(list) == 0 {
			results = append(results, ofNode(c.nothing(body.Outputs[1+len(carry)+k])))
			continue
		}
		results = append(results, ofNode(ops.Stack(0, list...)))
	}
	return results
}

// nothing is what comes out of no steps.
func (c *call) nothing(out *wire.ValueInfo) node {
	t := TensorType(out.Type)
	if t == nil {
		refuse("without steps, the shape of %q is unknown", out.Name)
	}
	shape := graph.Shape{0}
	for _, d := range t.Dims {
		size, isNamed := c.names[d.Param]
		switch {
		case d.IsKnown:
			size = graph.Dim(d.Value)
		case !isNamed:
			refuse("without steps, the shape of %q is unknown", out.Name)
		}
		shape = append(shape, size)
	}
	return ops.Zeros(c.g, dtypeOf(t.Elem), shape...)
}

// scan goes over axes of its last operands.
func scan(c *call) []*value {
	if c.version < 9 {
		refuse("version 8 of it is not supported: convert the model to a newer one")
	}
	body, sequences := c.body("body"), c.int("num_scan_inputs", 0)
	states := len(c.operands) - sequences
	if states < 0 || sequences < 1 {
		refuse("it has %d operands, of which %d are sequences", len(c.operands), sequences)
	}
	at := func(name string, i int) int {
		if list := c.ints(name); i < len(list) {
			return list[i]
		}
		return 0
	}
	var over []node
	for i := range sequences {
		x := c.in(states + i)
		x = ops.MoveAxis(x, wrapped(at("scan_input_axes", i), x.Rank()), 0)
		if at("scan_input_directions", i) == 1 {
			x = ops.Flip(x, 0)
		}
		over = append(over, x)
	}
	final, outs := ops.Scan(ops.Loop{Carry: c.nodesOf(c.operands[:states]), Over: over},
		func(carry, x []node) (next, out []node) {
			list := c.nodesOf(c.attempt(body, ofNodes(append(append([]node{}, carry...), x...))))
			if len(list) < states {
				return carry, nil
			}
			return list[:states], list[states:]
		})
	for i, y := range outs {
		if at("scan_output_directions", i) == 1 {
			y = ops.Flip(y, 0)
		}
		outs[i] = ops.MoveAxis(y, 0, wrapped(at("scan_output_axes", i), y.Rank()))
	}
	return ofNodes(append(final, outs...))
}

// forgetBuilt forgets what was found of nodes that are gone.
func (b *builder) forgetBuilt() {
	b.folded, b.isFixed = map[node]*exec.Array{}, map[node]bool{}
	kept := b.params[:0]
	for _, p := range b.params {
		if b.g.ByName(p.Node.Name()) == p.Node {
			kept = append(kept, p)
		}
	}
	b.params = kept
}
