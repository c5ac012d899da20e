package graph

import (
	"bufio"
	"os"
	"regexp"
)

// Called is the word by which messages call the node: its name; of a number, its value;
// else the variable to which the user's program assigns it, where its source can be
// read; else the call that made it. A conversion that the library put in is called by its
// operand.
func (n *Node) Called() string { return n.called(1) }

func (n *Node) called(depth int) string {
	n = n.Written()
	if n == nil || n.name != "" || n.op == literalOp {
		return n.label()
	}
	if n.op == constOp && len(n.shape) == 0 && n.bad == nil {
		return elementText(n.ConstData())
	}
	if name := n.variable(); name != "" {
		return name
	}
	switch {
	case n.g == nil || n.op.Class == Source:
		return n.label()
	case depth < 1:
		return n.op.Func + "(…)"
	}
	return n.callText(depth)
}

// assignment is a line that gives the result of a call to one variable.
var assignment = regexp.MustCompile(`^\s*(?:var\s+)?([\pL_][\pL\d_]*)(?:\s+\*graph\.Node)?\s*:?=\s*(?:[\pL_][\pL\d_]*\.)*([\pL_][\pL\d_]*)\(`)

// returned is a line that gives the result of a call back to the function's caller.
var returned = regexp.MustCompile(`^\s*return\s+(?:[\pL_][\pL\d_]*\.)*([\pL_][\pL\d_]*)\(`)

// variable reads from the user's source the variable to which the node is assigned, or "".
// A value that a function of the user's returns is assigned where that is called.
func (n *Node) variable() string {
	f, ok := n.pos.Frame()
	if !ok || n.origin != nil || f.Call == "" || n.isInside(f) {
		return ""
	}
	for _, caller := range append(n.pos.Callers(), Frame{}) {
		line := sourceLine(f.File, f.Line)
		if m := assignment.FindStringSubmatch(line); m != nil && m[2] == f.Call && m[1] != "_" {
			return m[1]
		}
		if m := returned.FindStringSubmatch(line); m == nil || m[1] != f.Call {
			return ""
		}
		call := withoutPackage(f.Func)
		f = caller
		f.Call = call
	}
	return ""
}

// isInside reports whether the next node was made by the same call at f, so that n is
// not what the call returned.
func (n *Node) isInside(f Frame) bool {
	if n.g == nil || int(n.id)+1 >= len(n.g.nodes) {
		return false
	}
	next, ok := n.g.nodes[n.id+1].pos.Frame()
	return ok && n.g.nodes[n.id+1].origin == nil && next == f
}

// isRepeated reports whether the line of the user's program that made the node was reached
// by different ways, as that of a function that is called for each layer.
func (n *Node) isRepeated() bool {
	f, ok := n.pos.Frame()
	if !ok || n.g == nil || len(n.pos.Callers()) == 0 {
		return false
	}
	for _, x := range n.g.nodes {
		if x.op == n.op && x.pos != n.pos && x.pos.pcs[0] == n.pos.pcs[0] {
			if at, ok := x.pos.Frame(); ok && at == f {
				return true
			}
		}
	}
	return false
}

// sourceLine reads one line of a file, or "" where it cannot be read.
func sourceLine(file string, line int) string {
	src, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer src.Close()
	lines := bufio.NewScanner(src)
	for range line {
		if !lines.Scan() {
			return ""
		}
	}
	return lines.Text()
}
