package shapeinfer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Report is what the check of a graph found. It is an error when it holds errors: see
// [Report.Err].
type Report struct {
	Errors   []*graph.Mistake
	Warnings []*graph.Mistake
	// Requirements are what can only be judged once sizes are bound.
	Requirements []graph.Requirement
	Nodes        int // nodes of the graph
	NotJudged    int // nodes whose operands failed
}

// Err gives the report as an error, or nil where it holds no errors.
func (r *Report) Err() error {
	if len(r.Errors) == 0 {
		return nil
	}
	return r
}

// Error gives all errors and warnings, each with its place in the user's program, and a
// line of counts.
func (r *Report) Error() string { return r.String() }

// String gives all errors and warnings and a line of counts.
func (r *Report) String() string {
	var b strings.Builder
	for _, list := range [][]*graph.Mistake{r.Errors, r.Warnings} {
		for _, m := range list {
			b.WriteString(m.Error())
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "%s, %s, %s left to binding; %s checked, %d not judged because an input failed",
		counted(len(r.Errors), "error"), counted(len(r.Warnings), "warning"), counted(len(r.Requirements), "requirement"),
		counted(r.Nodes, "node"), r.NotJudged)
	return b.String()
}

// Unwrap gives the errors one by one, for errors.As and errors.Is.
func (r *Report) Unwrap() []error {
	list := make([]error, len(r.Errors))
	for i, m := range r.Errors {
		list[i] = m
	}
	return list
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// IsMistake reports whether err holds a mistake of the given code.
func IsMistake(err error, code graph.Code) bool {
	var r *Report
	if errors.As(err, &r) {
		for _, m := range r.Errors {
			if m.Code == code {
				return true
			}
		}
	}
	var m *graph.Mistake
	return errors.As(err, &m) && m.Code == code
}
