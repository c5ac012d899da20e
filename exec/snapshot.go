package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec/internal/fusion"
	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
)

// Snapshot is the program after one pass, as text.
type Snapshot struct {
	Pass string
	Doc  string
	text func() string

	g     *graph.Graph
	trace *rewrite.Provenance
	moves int // that led to g
}

// String prints the program as it was after the pass.
func (s Snapshot) String() string { return s.text() }

// retrace compiles the program again, and records its state after each pass.
func (p *Program) retrace() []Snapshot {
	u := p.request.unit(p.source, p.built)
	u.Trace = &rewrite.Provenance{}
	snapshots := []Snapshot{
		{Pass: "build", Doc: "the graph as it was built", text: p.source.String, g: p.source, trace: u.Trace}}
	for _, pass := range passes {
		if err := pass.run(u); err != nil {
			return snapshots // no pass failed in the first compilation
		}
		snapshots = append(snapshots, snapshot(u, pass))
	}
	_, _ = newProgram(p.source, p.request, u) // completes the kernels' descriptions
	return snapshots
}

// snapshot records the state after a pass: the graph and, once they exist, the kernels.
func snapshot(u *lower.Program, p pass) Snapshot {
	g, groups, kernels, order := u.Graph, u.Groups, u.Kernels, u.Sequence
	return Snapshot{Pass: p.name, Doc: p.doc, g: g, trace: u.Trace, moves: len(u.Trace.Replacements),
		text: func() string {
			switch {
			case kernels != nil:
				return lower.ListText(kernels, lower.KernelText)
			case groups != nil:
				return lower.ListText(groups, (*fusion.Group).String)
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
