package graph

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// This file finds, in the user's source, the variable to which a value is assigned. Where
// the source cannot be read or the line is not understood, there is none.

const (
	wordPattern = `[\pL_][\pL\d_]*`
	pathPattern = `(?:` + wordPattern + `\.)*`
)

var (
	assignment = regexp.MustCompile(`^\s*(?:var\s+)?(` + wordPattern + `(?:\s*,\s*` + wordPattern + `)*)` +
		`(?:\s+\*` + pathPattern + wordPattern + `)?\s*:?=\s*([^=].*)$`)
	returning = regexp.MustCompile(`^\s*return\s+(.+)$`)
	calling   = regexp.MustCompile(`^` + pathPattern + `(` + wordPattern + `)(?:\[[^\]]*\])?\(`)
	// calls that return what they are given
	promising = regexp.MustCompile(`^` + pathPattern + `(?:Gives|Expect|ExpectShape)\((.+)$`)
	// how Go calls a function without a name
	literal = regexp.MustCompile(`^func\d+$`)
)

// variable returns the variable to which the node is assigned, or "". A value that a function
// of the user's returns is assigned where that is called.
func (n *Node) variable() string {
	if n.origin != nil || n.composite != nil && n.composite.updates != nil {
		return ""
	}
	name := ""
	level, call := 0, ""
	n.pos.users(func(f Frame, site callSite) bool {
		if level == 0 {
			if call = f.Call; call == "" || n.isInside(f) {
				return false
			}
		}
		if a, is := assignmentAt(f); is {
			at := n.valueOf(a.values, call, level, f, site)
			if at >= 0 && len(a.names) == len(a.values) && a.names[at] != "_" {
				name = a.names[at]
			}
			return false
		}
		m := returning.FindStringSubmatch(sourceLine(f.File, f.Line))
		if m == nil || !isCall(m[1], call) {
			return false
		}
		call = withoutPackage(f.Func)
		level++
		return true
	})
	return name
}

// assignmentAt returns the assignment that the line of a frame shows.
func assignmentAt(f Frame) (a assigned, ok bool) {
	if a, ok = assignedAt(f.File, f.Line); ok {
		return a, true
	}
	m := assignment.FindStringSubmatch(sourceLine(f.File, f.Line))
	if m == nil {
		return assigned{}, false
	}
	return assigned{splitList(m[1]), splitList(m[2])}, true
}

// isCall reports whether an expression begins with a call of a function, or promises the shape of
// what that returns.
func isCall(expression, function string) bool {
	for m := promising.FindStringSubmatch(expression); m != nil; m = promising.FindStringSubmatch(expression) {
		expression = m[1]
	}
	m := calling.FindStringSubmatch(expression)
	return m != nil && (m[1] == function || literal.MatchString(function) || lastCall(expression) == function)
}

// lastCall returns the method that a chain of calls ends with: Apply of NewLinear(…).Apply(p, x).
func lastCall(expression string) (last string) {
	depth := 0
	for i, r := range expression {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		}
		if rest, chained := strings.CutPrefix(expression[i:], ")."); chained && depth == 0 {
			if m := calling.FindStringSubmatch(rest); m != nil {
				last = m[1]
			}
		}
	}
	return last
}

// valueOf returns which of the values of an assignment is the call that made the node, or -1.
// Calls of one function on one line are told apart by their order in the program.
func (n *Node) valueOf(values []string, call string, level int, f Frame, site callSite) int {
	var calls []int
	for i, v := range values {
		if isCall(v, call) {
			calls = append(calls, i)
		}
	}
	if len(calls) < 2 || n.g == nil {
		return append(calls, -1)[0]
	}
	var sites []callSite
	for _, x := range n.g.nodes {
		if x.op != n.op {
			continue
		}
		at := 0
		x.pos.users(func(other Frame, site callSite) bool {
			if at == level && other == f && !slices.Contains(sites, site) {
				sites = append(sites, site)
			}
			at++
			return at <= level
		})
	}
	slices.SortFunc(sites, func(a, b callSite) int {
		return cmp.Or(cmp.Compare(a.own, b.own), cmp.Compare(a.inner, b.inner))
	})
	if at := slices.Index(sites, site); at >= 0 && len(sites) == len(calls) {
		return calls[at]
	}
	return -1
}

// isInside reports whether the next node was made by the same call, or by one around it on
// the same line, so that n is not what is assigned. Nodes of a loop are alike, and each of
// them is.
func (n *Node) isInside(f Frame) bool {
	if n.g == nil || int(n.id)+1 >= len(n.g.nodes) {
		return false
	}
	next := n.g.nodes[n.id+1]
	if n.composite != nil && next.composite == n.composite {
		return true
	}
	if at, ok := next.pos.Frame(); !ok || at != f || next.origin != nil || next.pos == n.pos {
		return false
	}
	return f.Call != n.op.Func || slices.Contains(next.in, n)
}

// splitList splits a list of expressions at the commas outside of brackets and quotes.
func splitList(list string) (parts []string) {
	depth, start := 0, 0
	var quote rune
	for i, r := range list {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case strings.ContainsRune("\"'`", r):
			quote = r
		case strings.ContainsRune("([{", r):
			depth++
		case strings.ContainsRune(")]}", r):
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(list[start:]))
}
