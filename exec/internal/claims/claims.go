package claims

import (
	"fmt"
	"sync"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/panicked"
	"github.com/broadloom/broadloom/ops"
)

// Evaluate computes nodes of constants, without the passes that rely on claims. It returns nil if that fails.
type Evaluate func(g *graph.Graph, nodes []*graph.Node) map[*graph.Node]any

// Trier tries the claims of the operations of a program, each once.
type Trier struct {
	Evaluate Evaluate
	tried    map[subject][]*graph.Node
}

// subject is what a claim is about: an operation on operands of some dtypes. Fixed arguments are compared separately.
type subject struct {
	op    *graph.Op
	dtype graph.DType
	rank  int
}

// Try returns the mistakes of those nodes' operations that were not tried yet.
func (t *Trier) Try(nodes []*graph.Node) (wrong []*graph.Mistake) {
	for _, n := range nodes {
		if !claimsAny(n.Op()) || isLibrary(n.Op()) || t.isTried(n) {
			continue
		}
		if m := t.mistake(n); m != nil {
			wrong = append(wrong, m)
		}
	}
	return wrong
}

func claimsAny(op *graph.Op) bool {
	for _, law := range laws {
		if law.claimed(op) {
			return true
		}
	}
	return false
}

var entries = sync.OnceValue(func() map[*graph.Op]bool {
	is := map[*graph.Op]bool{}
	for _, op := range ops.Entries() {
		is[op] = true
	}
	return is
})

// isLibrary reports whether an operation is the library's own, whose claims its tests try, or one of [ops.InPlace],
// which writes what another operation computes.
func isLibrary(op *graph.Op) bool {
	return entries()[op] || op.OutOfPlace != nil && !op.IsUsers()
}

// isTried reports whether the operation of a node was tried with the same fixed arguments, and records it as tried.
func (t *Trier) isTried(n *graph.Node) bool {
	s := subject{n.Op(), n.DType(), n.Rank()}
	for _, other := range t.tried[s] {
		if graph.SameAttrs(other.Attrs(), n.Attrs()) {
			return true
		}
	}
	if t.tried == nil {
		t.tried = map[subject][]*graph.Node{}
	}
	t.tried[s] = append(t.tried[s], n)
	return false
}

// mistake tries all claims of a node's operation.
func (t *Trier) mistake(n *graph.Node) *graph.Mistake {
	for _, law := range laws {
		if !law.claimed(n.Op()) {
			continue
		}
		why := guarded(law.name, func() string { return law.fails(&trial{n: n, evaluate: t.Evaluate}) })
		if why == "" {
			continue
		}
		m := n.Op().NotWhole(fmt.Sprintf("it claims %s, and %s", law.name, why))
		m.Node, m.Help = n.Source(), []string{
			"leave the claim out, or state it of fewer dtypes and operands: it must hold for every value, bit for bit"}
		return m
	}
	return nil
}

// guarded runs a trial. Functions of the operation may panic.
func guarded(claim string, fails func() string) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = claim + " " + panicked.Text(p)
		}
	}()
	return fails()
}
