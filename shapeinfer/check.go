package shapeinfer

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
)

// Check judges a whole graph, ahead of time: it needs no data and no executor. The
// report holds every independent mistake, in the order of the user's program. Write
// it in a test of a model:
//
//	if err := shapeinfer.Check(g).Err(); err != nil {
//		t.Fatal(err)
//	}
func Check(g *graph.Graph) *Report {
	r := &Report{
		Errors:   slices.Clone(g.Mistakes()),
		Warnings: slices.Clone(g.Warnings()),
		Nodes:    len(g.Nodes()),
	}
	for _, n := range g.Nodes() {
		if !n.Judged() {
			r.NotJudged++
		}
	}
	r.Requirements = slices.Clone(g.Requirements())
	checkWrites(g, r)
	graph.SortMistakes(r.Errors)
	graph.SortMistakes(r.Warnings)
	return r
}

// checkWrites refuses two writes of one version of a value, and a write that cannot come
// after all reads of what it overwrites.
func checkWrites(g *graph.Graph, r *Report) {
	writer := map[*graph.Node]*graph.Node{}
	for _, n := range g.Nodes() {
		if n.Op().Class != graph.Update || !n.Judged() || n.Err() != nil {
			continue
		}
		old := viewed(n.In(0))
		if first := writer[old]; first != nil {
			r.Errors = append(r.Errors, &graph.Mistake{Code: CodeWriters, Node: n,
				Summary: fmt.Sprintf("%s was written before, at %s: two writes of one value have no order", old.Label(), first.Pos()),
				Help:    []string{"write the result of the first write: its node is the new value"}})
			continue
		}
		writer[old] = n
	}
	if len(writer) > 0 {
		checkOrder(g, r, writer)
	}
}

// viewed follows movements to the value that they show.
func viewed(n *graph.Node) *graph.Node {
	for n.Op().Class == graph.Movement && n.Op().View != nil {
		n = n.In(0)
	}
	return n
}

// checkOrder looks for a node that reads a value and needs, directly or not, the write
// that overwrites it.
func checkOrder(g *graph.Graph, r *Report, writer map[*graph.Node]*graph.Node) {
	// newest gives, for each written value, the nodes that depend on its overwriting,
	// found in one pass for each write.
	for old, w := range writer {
		depends := make([]bool, len(g.Nodes())-w.ID())
		depends[0] = true
		for _, n := range g.Nodes()[w.ID()+1:] {
			reads := false
			for _, x := range n.Operands() {
				if x == nil || x.Graph() != g {
					continue
				}
				if x.ID() >= w.ID() && depends[x.ID()-w.ID()] {
					depends[n.ID()-w.ID()] = true
				}
				reads = reads || viewed(x) == old
			}
			isView := n.Op().Class == graph.Movement && n.Op().View != nil
			if reads && depends[n.ID()-w.ID()] && !isView {
				r.Errors = append(r.Errors, &graph.Mistake{Code: CodeOrder, Node: w,
					Summary: fmt.Sprintf("%s destroys a value that %s needs, and that needs the new value too", graph.Describe(w), graph.Describe(n)),
					Detail:  []string{fmt.Sprintf("%s reads %s at %s", graph.Describe(n), old.Label(), n.Pos())},
					Help:    []string{"keep the old value: compute the new one without writing in place"}})
				break
			}
		}
	}
}
