package graph

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
)

// This file finds, in the user's source, the variable to which a value is assigned. Where
// the source cannot be read or the line is not understood, there is none.

const (
	word = `[\pL_][\pL\d_]*`
	path = `(?:` + word + `\.)*`
)

var (
	assignment = regexp.MustCompile(`^\s*(?:var\s+)?(` + word + `(?:\s*,\s*` + word + `)*)(?:\s+\*` + path + word + `)?\s*:?=\s*([^=].*)$`)
	returning  = regexp.MustCompile(`^\s*return\s+(.+)$`)
	calling    = regexp.MustCompile(`^` + path + `(` + word + `)(?:\[[^\]]*\])?\(`)
	literal    = regexp.MustCompile(`^func\d+$`) // how Go calls a function without a name
)

// variable gives the variable to which the node is assigned, or "". A value that a function
// of the user's returns is assigned where that is called.
func (n *Node) variable() string {
	if n.origin != nil {
		return ""
	}
	name := ""
	level, call := 0, ""
	n.pos.users(func(f Frame, pc uintptr) bool {
		if level == 0 {
			if call = f.Call; call == "" || n.isInside(f, pc) {
				return false
			}
		}
		line := sourceLine(f.File, f.Line)
		if m := assignment.FindStringSubmatch(line); m != nil {
			names, values := splitList(m[1]), splitList(m[2])
			if at := n.valueOf(values, call, level, f, pc); at >= 0 && len(names) == len(values) && names[at] != "_" {
				name = names[at]
			}
			return false
		}
		m := returning.FindStringSubmatch(line)
		if m == nil || !isCall(m[1], call) {
			return false
		}
		call = withoutPackage(f.Func)
		level++
		return true
	})
	return name
}

// isCall reports whether an expression begins with a call of a function.
func isCall(expression, function string) bool {
	m := calling.FindStringSubmatch(expression)
	return m != nil && (m[1] == function || literal.MatchString(function))
}

// valueOf gives which of the values of an assignment is the call that made the node, or -1.
// Calls of one function on one line are told apart by their order in the program.
func (n *Node) valueOf(values []string, call string, level int, f Frame, pc uintptr) int {
	var calls []int
	for i, v := range values {
		if isCall(v, call) {
			calls = append(calls, i)
		}
	}
	if len(calls) < 2 || n.g == nil {
		return append(calls, -1)[0]
	}
	var counters []uintptr
	for _, x := range n.g.nodes {
		at := 0
		x.pos.users(func(xf Frame, xpc uintptr) bool {
			if at == level && xf.File == f.File && xf.Line == f.Line && xf.Func == f.Func && !slices.Contains(counters, xpc) {
				counters = append(counters, xpc)
			}
			at++
			return at <= level
		})
	}
	slices.Sort(counters)
	if at := slices.Index(counters, pc); at >= 0 && len(counters) == len(calls) {
		return calls[at]
	}
	return -1
}

// isInside reports whether the next node was made by the same call, or by one around it on
// the same line, so that n is not what is assigned.
func (n *Node) isInside(f Frame, pc uintptr) bool {
	if n.g == nil || int(n.id)+1 >= len(n.g.nodes) || n.g.nodes[n.id+1].origin != nil {
		return false
	}
	next, inside := n.g.nodes[n.id+1], false
	next.pos.users(func(at Frame, nextPC uintptr) bool {
		inside = at == f && (nextPC == pc || slices.Contains(next.in, n))
		return false
	})
	return inside
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
