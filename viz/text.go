package viz

import (
	"fmt"
	"io"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Text writes the text form of a program: one value per line, operands before users. For a compiled program it also
// writes a line for each kernel before its values, and where values are stored. It uses the option Details(Lines). It
// is meant for grep and diff, and shows all values; [ParseText] reads it.
func Text(w io.Writer, s Source, opts ...Option) error {
	if err := checkPicture(w, s); err != nil {
		return err
	}
	o := newOptions(opts)
	_, err := io.WriteString(w, s.text(o.detail&Lines != 0))
	return err
}

func (s graphSource) text(lines bool) string {
	if lines {
		return s.g.TextWithLines()
	}
	return s.g.String()
}

func (s programSource) text(lines bool) string {
	plan := s.p.Plan()
	t := planText{plan: plan, done: make([]bool, len(plan.Graph.Nodes())), note: map[*graph.Node]string{}}
	t.places = lines
	t.lines = strings.Split(strings.TrimSuffix(plan.Graph.String(), "\n"), "\n")
	t.findNotes()
	t.b.WriteString(t.lines[0] + "\n")
	t.lines = t.lines[1:]
	t.kernels(plan.Kernels, "")
	for _, n := range plan.Graph.Nodes() {
		if !t.done[n.ID()] {
			t.leave()
			t.write(n)
		}
	}
	return t.b.String()
}

// planText writes the lines of a compiled graph in the order of its kernels.
type planText struct {
	b      strings.Builder
	plan   *exec.Plan
	lines  []string // by node
	done   []bool
	places bool // show files and lines
	open   bool // the lines written last are a kernel's
	note   map[*graph.Node]string
}

// kernels writes kernels, those of loops' bodies before their loops; loops is what the numbers begin with.
func (t *planText) kernels(list []exec.KernelPlan, loops string) {
	for i, k := range list {
		number := fmt.Sprint(loops, i)
		t.kernels(k.Body, number+".")
		for _, n := range k.Nodes {
			t.before(n)
		}
		t.open = true
		fmt.Fprintf(&t.b, "kernel %s %s", number, k.Class)
		if k.Class == graph.Elementwise {
			t.b.WriteString(" over " + k.Domain.Compact())
		}
		t.b.WriteByte('\n')
		for _, n := range k.Nodes {
			t.views(n)
			t.write(n)
		}
	}
}

// findNotes tells where values lie.
func (t *planText) findNotes() {
	number, count := map[int]int{}, 0
	for i, b := range t.plan.Buffers {
		switch {
		case b.Kind != exec.Arena:
		case b.InPlace >= 0:
			number[i] = number[b.InPlace]
			t.note[b.Node] = fmt.Sprintf("buf %d in place", number[i])
		default:
			number[i] = count
			count++
			t.note[b.Node] = fmt.Sprintf("buf %d", number[i])
		}
	}
}

// before writes what a node reads and no kernel computes: sources, what a step is given, and views. Where it
// follows a kernel, a line says that the kernel has ended.
func (t *planText) before(n *graph.Node) {
	for _, x := range n.Operands() {
		if t.done[x.ID()] || isComputed(x) {
			continue
		}
		t.before(x)
		if base := baseOf(x); t.done[base.ID()] || base == x {
			t.leave()
			t.write(x)
		}
	}
}

// isComputed reports whether a kernel computes a node.
func isComputed(n *graph.Node) bool {
	if a, is := n.Loop(); is {
		return a.Role >= graph.LoopEnd
	}
	return len(n.Operands()) > 0 && n.Op().View == nil
}

// views writes what a node reads of a kernel's own values.
func (t *planText) views(n *graph.Node) {
	for _, x := range n.Operands() {
		if !t.done[x.ID()] && x.Op().View != nil && t.done[baseOf(x).ID()] {
			t.views(x)
			t.write(x)
		}
	}
}

// leave ends a kernel's lines.
func (t *planText) leave() {
	if t.open {
		t.b.WriteString("outside of kernels\n")
		t.open = false
	}
}

func (t *planText) write(n *graph.Node) {
	if t.done[n.ID()] {
		return
	}
	t.done[n.ID()] = true
	line := t.lines[n.ID()]
	if note := t.note[n]; note != "" {
		line += "   → " + note
	}
	if t.places {
		line += "   # " + n.Pos().Short()
	}
	t.b.WriteString(line + "\n")
}
