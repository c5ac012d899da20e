package difftest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// goNodes lists values.
func goNodes(list []int) string {
	return "[]*graph.Node{" + strings.Join(goValues(list), ", ") + "}"
}

func goValues(list []int) []string {
	names := make([]string, len(list))
	for i, k := range list {
		names[i] = fmt.Sprintf("v%d", k)
	}
	return names
}

// elements names the elements of a list.
func elements(list string, count int) (names []string) {
	for i := range count {
		names = append(names, fmt.Sprintf("%s[%d]", list, i))
	}
	return names
}

// goLoop writes the iteration of a loop.
func goLoop(s *eager.Step) string {
	return fmt.Sprintf("ops.Loop{Carry: %s, Over: %s, Axis: %d, Reverse: %v}", goNodes(s.In[1:1+s.I[1]]),
		goNodes(s.In[:1]), s.I[0], s.I[2] == 1)
}

func goScanBody(s *eager.Step) string {
	text, next := goBody(s.Body, s.I[1], elements("carry", s.I[1]), []string{"x[0]"}, goValues(s.In[1+s.I[1]:]))
	return "func(carry, x []*graph.Node) (next, out []*graph.Node) {" + text + "\treturn " + goNodes(next) + ", " +
		goNodes(next[len(next)-1:]) + "\n}"
}

func goStepBody(s *eager.Step) string {
	text, next := goBody(s.Body, s.I[0], elements("carry", s.I[0]), []string{"step"}, goValues(s.In[s.I[0]:]))
	return "func(step *graph.Node, carry []*graph.Node) []*graph.Node {" + text + "\treturn " + goNodes(next) + "\n}"
}

func goCondition(s *eager.Step) string {
	text, next := goBody(s.Else, 1, elements("carry", s.I[0]), goValues(s.In[s.I[0]:]))
	return "func(carry []*graph.Node) *graph.Node {" + text + "\treturn " + goValues(next)[0] + "\n}"
}

func goBranch(s *eager.Step, steps []eager.Step) string {
	text, next := goBody(steps, s.I[0], goValues(s.In[1:]))
	return "func() []*graph.Node {" + text + "\treturn " + goNodes(next) + "\n}"
}

// goBody writes the steps of a body, with the numbers of its own values, and returns the last ones.
func goBody(steps []eager.Step, last int, given ...[]string) (text string, next []int) {
	var t strings.Builder
	t.WriteString("\n")
	first := slices.Concat(given...)
	at := len(first)
	if at > 0 {
		names := make([]string, at)
		for i := range names {
			names[i] = fmt.Sprintf("v%d", i)
		}
		list := strings.Join(names, ", ")
		fmt.Fprintf(&t, "\t%s := %s\n\t%s = %s\n", list, strings.Join(first, ", "), strings.Repeat("_, ", at-1)+"_",
			list)
	}
	for i := range steps {
		var args []string
		for _, a := range arguments(&built{}, &steps[i]) {
			args = append(args, a.text)
		}
		fmt.Fprintf(&t, "\t%s\n", goStep(&steps[i], at, strings.Join(args, ", ")))
		for range steps[i].N {
			fmt.Fprintf(&t, "\t_ = v%d\n", at)
			at++
		}
	}
	for k := at - last; k < at; k++ {
		next = append(next, k)
	}
	return t.String(), next
}

// goControl writes a step with bodies.
func goControl(s *eager.Step, at int, args string) string {
	list := s.N
	results := fmt.Sprintf("final%d", at)
	switch s.Op {
	case "Scan":
		results, list = fmt.Sprintf("final%d, outs%d", at, at), s.N-1
	case "While":
		results, list = fmt.Sprintf("final%d, v%d", at, at+s.N-1), s.N-1
	}
	text := fmt.Sprintf("%s := ops.%s(%s)", results, s.Op, args)
	for k := range list {
		text += fmt.Sprintf("\n\tv%d := final%d[%d]", at+k, at, k)
	}
	if s.Op == "Scan" {
		text += fmt.Sprintf("\n\tv%d := outs%d[0]", at+s.N-1, at)
	}
	return text
}
