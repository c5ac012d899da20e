package exec

import (
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/exec/internal/lower"
	"github.com/broadloom/broadloom/exec/internal/rewrite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/shapeinfer/alias"
)

// inputSpec is an input of the user's graph.
type inputSpec struct {
	node    *graph.Node
	read    bool  // by some kernel
	written bool  // by some kernel
	known   []int // the sizes of its axes, -1 for those that only a run determines
	// sizes are the named sizes that the program uses and that occur in no input that it reads.
	sizes []usedSize
}

// usedSize is a named size that a program uses, and the first operation that uses it.
type usedSize struct {
	name string
	by   *graph.Node
}

// inputSpecs lists the inputs and what the program needs of each.
func (r *request) inputSpecs(g *graph.Graph, u *lower.Program) (list []inputSpec) {
	used, told := r.usedSizes(g, u), map[string]bool{}
	for _, s := range u.Inputs {
		in := inputSpec{node: s.User, known: knownSizes(s.User), read: u.BufferOf[s.Own] != nil,
			written: u.Writes.IsWritten(s.Own)}
		if in.read {
			noteNames(told, s.User)
		}
		list = append(list, in)
	}
	noteEqual(g, told)
	for i, in := range list {
		if in.read {
			continue
		}
		seen := map[string]bool{}
		noteNames(seen, in.node)
		for _, name := range g.DimNames() {
			if by := used[name]; seen[name] && by != nil && !told[name] {
				list[i].sizes = append(list[i].sizes, usedSize{name, by})
			}
		}
	}
	return list
}

// usedSizes returns, for each named size that the program uses, an operation that uses it: in the user's graph, in the
// compiled one, or in requirements.
func (r *request) usedSizes(g *graph.Graph, u *lower.Program) map[string]*graph.Node {
	used := sizeUsers{}
	live := rewrite.Reachable(g, r.roots())
	for i, n := range g.Nodes() {
		if live[i] && !n.IsInput() {
			used.note(n, n.Shape()...)
		}
	}
	derived := map[*graph.Node]bool{}
	if len(r.needs) > 0 {
		for _, n := range shapeinfer.DerivedFrom(g, r.roots()) {
			derived[n] = true
		}
	}
	for _, need := range r.needs {
		if derived[need.Node] {
			used.note(need.Node, need.A, need.B)
		}
	}
	used.noteProgram(u)
	for _, name := range g.DimNames() { // sizes that were declared equal determine each other
		is := g.Bounds(name).Is
		for _, other := range is.Symbols() {
			if used[other] != nil {
				used.note(used[other], graph.SymbolicDim(name))
			}
		}
		if used[name] != nil {
			used.note(used[name], is)
		}
	}
	return used
}

// sizeUsers has an operation that uses it for each named size.
type sizeUsers map[string]*graph.Node

// note adds an operation to the sizes that it uses, unless they have one.
func (used sizeUsers) note(by *graph.Node, sizes ...graph.Dim) {
	for _, d := range sizes {
		for _, name := range d.Symbols() {
			if used[name] == nil {
				used[name] = by
			}
		}
	}
}

// noteProgram adds the users of sizes in a compiled program.
func (used sizeUsers) noteProgram(u *lower.Program) {
	for _, n := range u.Sequence {
		if !n.IsInput() {
			layout := alias.LayoutOf(n)
			used.note(n.Source(), layout.Shape...)
			used.note(n.Source(), layout.Strides...)
			used.note(n.Source(), layout.Offset)
		}
	}
	for _, k := range u.Kernels {
		for _, part := range k.Loops() {
			for _, o := range part.Operands {
				used.note(k.Computes().Nodes[0].Source(), o.Size)
			}
		}
	}
}

// noteNames adds the named sizes in an input's shape.
func noteNames(names map[string]bool, input *graph.Node) {
	for _, d := range input.Shape() {
		for _, name := range d.Symbols() {
			names[name] = true
		}
	}
}

// noteEqual adds the sizes that were declared equal to known ones.
func noteEqual(g *graph.Graph, names map[string]bool) {
	for _, name := range g.DimNames() {
		other := g.Bounds(name).Is.Symbols()
		if len(other) == 1 && (names[name] || names[other[0]]) {
			names[name], names[other[0]] = true, true
		}
	}
}

// whyNeeded says why an input that is not fed must be, or returns nil.
func (s *Session) whyNeeded(in *inputSpec, feed Feed) error {
	if !in.read && len(in.sizes) == 0 {
		return nil
	}
	if in.read {
		return notFed(in.node, "")
	}
	told := map[string]bool{}
	for name := range s.given {
		told[name] = true
	}
	for other := range feed {
		if other != nil && other.Graph() == s.prog.source && other.IsInput() {
			noteNames(told, other)
		}
	}
	noteEqual(s.prog.source, told)
	var why, session, run []string
	for _, size := range in.sizes {
		if !told[size.name] {
			why = append(why, fmt.Sprintf("%q, which %s (%s) uses", size.name, graph.Describe(size.by), size.by.Pos()))
			session = append(session, fmt.Sprintf("exec.Size(%q, n)", size.name))
			run = append(run, fmt.Sprintf("exec.RunSize(%q, n)", size.name))
		}
	}
	if len(why) == 0 {
		return nil
	}
	return notFed(in.node,
		fmt.Sprintf(
			"; its values are not used, but it determines the size %s: feed it, or pass %s to the session, or %s to the run",
			strings.Join(why, ", and "), strings.Join(session, ", "), strings.Join(run, ", ")))
}

func notFed(n *graph.Node, more string) error {
	return fmt.Errorf("exec: input %s is not fed; it is %s%s, declared at %s%s", n.Label(), n.DType(), n.Shape(),
		n.Pos(), more)
}
