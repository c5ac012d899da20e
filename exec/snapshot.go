package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Snapshot is the program after one pass, in text.
type Snapshot struct {
	Pass string
	Doc  string
	text func() string

	g     *graph.Graph
	trace *trace
	moves int // that led to g
}

// trace is what became of a graph on its way through the passes.
type trace struct{ moves []move }

// String prints the program as it was after the pass.
func (s Snapshot) String() string { return s.text() }

// retrace compiles the program once more, and notes its state after each pass.
func (p *Program) retrace() []Snapshot {
	u := p.request.unit(p.source, p.built)
	u.trace = &trace{}
	snapshots := []Snapshot{{Pass: "build", Doc: "the graph as it was built", text: p.source.String, g: p.source, trace: u.trace}}
	for _, pass := range passes {
		if err := pass.run(u); err != nil {
			return snapshots // which no pass has said before
		}
		snapshots = append(snapshots, u.snapshot(pass))
	}
	_, _ = newProgram(p.source, p.request, u) // which completes what kernels say of themselves
	return snapshots
}

// snapshot notes the state of the unit after a pass: the graph, and once there are
// kernels, those.
func (u *unit) snapshot(p pass) Snapshot {
	g, groups, kernels, order := u.g, u.groups, u.kernels, u.order
	return Snapshot{Pass: p.name, Doc: p.doc, g: g, trace: u.trace, moves: len(u.trace.moves), text: func() string {
		switch {
		case kernels != nil:
			return listText(kernels, kernelText)
		case groups != nil:
			return listText(groups, (*group).String)
		case order != nil:
			var b strings.Builder
			for _, n := range order {
				fmt.Fprintln(&b, n.Label())
			}
			return b.String()
		}
		return g.String()
	}}
}
