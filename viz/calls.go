package viz

import (
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// nameCalls tells of each value which call it belongs to: "Dropout", "∂ MaxPool2D", "AdamW". What is called by itself
// and the forward values of layers, which have scopes, have no need of it.
func (b *graphModel) nameCalls() {
	for i, n := range b.g.Nodes() {
		v := b.values[i]
		if v.role.isSource() || v.part == forward && !n.IsPart() {
			continue
		}
		rule := graph.UpdateRule(n)
		name, _ := graph.CallingOf(n)
		layer, isLayer := strings.CutSuffix(name, ".Apply")
		name = strings.ReplaceAll(layer, graph.ScopeSeparator, "·")
		switch {
		case v.part == forward && !isLayer:
			v.call = call{name, graph.UserCall(n)}
		case v.part == forward:
		case v.part == gradient:
			v.call = call{partial + " " + name, graph.UserCall(n)}
		case rule != "":
			v.call = call{lastName(rule), v.pos} // one for all parameters
		default:
			v.call = call{name, v.pos}
		}
	}
}

// call is a call of the user's program.
type call struct {
	name string
	of   any // what tells it from others of that name
}

// leastOfCall is the number of boxes from which on a call is drawn as one.
const leastOfCall = 4

// updateNames returns the names of the calls that update parameters, which patterns of [Fold] may match.
func updateNames(m *model) (names []string) {
	for _, v := range m.values {
		if v.part == update && v.call.name != "" && !slices.Contains(names, v.call.name) {
			names = append(names, v.call.name)
		}
	}
	return names
}

// updateScopes returns scopes of their own to what updates parameters: one for each call of an optimiser, and of what
// takes gradients to it. The state that they keep goes with those that read it first. It returns the new scopes.
func updateScopes(m *model) []string {
	var names callNames
	for _, v := range m.values {
		if v.part != update || v.call.name == "" {
			continue
		}
		v.scope = names.scope("", v.call)
		for _, x := range v.in {
			if x.from != nil && x.from.part == update && x.from.role.isSource() &&
				!slices.Contains(names.scopes, x.from.scope) {
				x.from.scope = v.scope
			}
		}
	}
	return names.scopes
}

// callScopes returns scopes of their own to what a part has of calls that take several boxes. It returns the new
// scopes.
func callScopes(m *model, of part, folded *folding) []string {
	type key struct {
		scope string
		call
	}
	boxes := map[key]int{}
	counts := func(v *value) bool {
		return v.part == of && v.call.name != "" && v.role != roleSeed && folded.outermost(v.scope) == ""
	}
	for _, v := range m.values {
		if counts(v) && !v.absorbed {
			boxes[key{v.scope, v.call}]++
		}
	}
	var names callNames
	for _, v := range m.values {
		if counts(v) && boxes[key{v.scope, v.call}] >= leastOfCall {
			v.scope = names.scope(v.scope, v.call)
		}
	}
	return names.scopes
}

// callNames gives calls scopes of different names.
type callNames struct {
	of     map[string]map[call]string // by the scope around
	scopes []string
}

func (c *callNames) scope(outer string, of call) string {
	if c.of == nil {
		c.of = map[string]map[call]string{}
	}
	if c.of[outer] == nil {
		c.of[outer] = map[call]string{}
	}
	if scope := c.of[outer][of]; scope != "" {
		return scope
	}
	scope := joinScope(outer, of.name)
	for n := 2; slices.Contains(c.scopes, scope); n++ {
		scope = joinScope(outer, of.name+" "+strconv.Itoa(n))
	}
	c.of[outer][of] = scope
	c.scopes = append(c.scopes, scope)
	return scope
}

// updated counts the parameters that a card of an update writes, its own state not among them.
func updated(u *unit) int {
	written := map[*value]bool{}
	for _, v := range u.values {
		if v.role == roleUpdate && v.in[0].from != nil && v.in[0].from.part != update {
			written[v.in[0].from] = true
		}
	}
	return len(written)
}
