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

	u     *unit
	g     *graph.Graph
	moves int // that led to g
}

// String prints the program as it was after the pass.
func (s Snapshot) String() string { return s.text() }

// snapshot notes the state of the unit after a pass: the graph, and once there are
// kernels, those.
func (u *unit) snapshot(p pass) Snapshot {
	g, kernels, order := u.g, u.kernels, u.order
	return Snapshot{Pass: p.name, Doc: p.doc, u: u, g: g, moves: len(u.moves), text: func() string {
		switch {
		case kernels != nil:
			var b strings.Builder
			for i, k := range kernels {
				fmt.Fprintf(&b, "kernel %d %s\n", i, k)
			}
			return b.String()
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
