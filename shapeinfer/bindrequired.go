package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// checkRequirements evaluates each requirement once, however many nodes have it.
func (b *binder) checkRequirements() {
	at := map[statement]int{}
	var groups []group
	for _, r := range b.needs {
		i, known := at[statementOf(r)]
		if !known {
			i = len(groups)
			at[statementOf(r)], groups = i, append(groups, group{Requirement: r})
		}
		groups[i].nodes++
	}
	for _, gr := range groups {
		b.checkRequirement(gr)
	}
}

func (b *binder) checkRequirement(gr group) {
	x, errX := b.value(gr.A)
	y, errY := b.value(gr.B)
	switch {
	case errX == errNotBound || errY == errNotBound:
		return // a size of an input that was not given, or told of before
	case errX != nil || errY != nil:
		b.problemAt(gr.Node.Pos(), "%s has no value: %v%v%s", RequirementText(gr.Requirement), orNothing(errX),
			orNothing(errY), b.requiredBy(gr))
	case !prove.Holds(gr.Kind, x, y):
		b.problemAt(gr.Node.Pos(), "%s fails: %d against %d%s", RequirementText(gr.Requirement), x, y, b.requiredBy(gr))
	}
}

func (b *binder) requiredBy(gr group) string {
	text := fmt.Sprintf("%s\nrequired by %s at %s (%s)", b.where(gr.A, gr.B), graph.Describe(gr.Node), gr.Node.Pos(),
		gr.Why)
	if gr.nodes > 1 {
		text += fmt.Sprintf(" and %s more", counted(gr.nodes-1, "node"))
	}
	return text
}

func orNothing(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
