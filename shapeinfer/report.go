package shapeinfer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// Report is the result of checking a graph. It is an error if it contains errors: see [Report.Err]. As text, the first
// line of each item has the form "file.go:12:7: error BL101: …", which editors and build systems can follow;
// [Report.MarshalJSON] writes the same for programs, and [Report.MarkedGraph] shows the failed nodes in the graph.
type Report struct {
	Graph    *graph.Graph
	Errors   []*graph.Mistake
	Warnings []*graph.Mistake
	// Notes say what is left to binding, and how it could be proved.
	Notes []*graph.Mistake
	// Requirements can be checked only once sizes are bound.
	Requirements []graph.Requirement
	Nodes        int // nodes of the graph
	NotJudged    int // nodes whose operands failed

	program   []*graph.Node        // what is computed, where that was given
	unordered map[*graph.Node]bool // writes without an order; nil before it is needed
	traced    []*graph.Mistake     // that stand where a size was made, and not where it failed
}

// complete adds suggestions and notes to what was found.
func (r *Report) complete() {
	r.Notes = append(r.Notes, slices.DeleteFunc(deferredNotes(r.Requirements), func(m *graph.Mistake) bool {
		return r.isFailed(m) || r.isMixing(m)
	})...)
	isSilenced := func(m *graph.Mistake) bool { return m.Node != nil && m.Node.IsSilenced(m.Code) }
	r.Warnings, r.Notes = slices.DeleteFunc(r.Warnings, isSilenced), slices.DeleteFunc(r.Notes, isSilenced)
	r.Errors, r.Warnings = r.suggest(r.Errors), r.suggest(r.Warnings)
	graph.SortMistakes(r.Notes)
}

// Err returns the report as an error, or nil if it contains no errors.
func (r *Report) Err() error {
	if len(r.Errors) == 0 {
		return nil
	}
	return r
}

// Error returns all errors, warnings and notes in the order of the program, each with its source position, followed by
// a line of counts.
func (r *Report) Error() string { return r.Text("") }

// String is the text of [Report.Error].
func (r *Report) String() string { return r.Text("") }

// maxShown bounds the items of one severity in a text; a machine gets all of them.
const maxShown = 100

// Text is the text of [Report.Error] with the paths of files relative to a directory rather than
// to the working directory.
func (r *Report) Text(dir string) string {
	var shown []*graph.Mistake
	more := ""
	for _, list := range [][]*graph.Mistake{r.Errors, r.Warnings, r.Notes} {
		first := list[:min(len(list), maxShown)]
		shown = append(shown, first...)
		if left := len(list) - len(first); left > 0 {
			more += fmt.Sprintf("and %s more\n", counted(left, list[0].Severity.String()))
		}
	}
	graph.SortMistakes(shown)
	var b strings.Builder
	writeItems(&b, dir, shown)
	return b.String() + more + r.Summary()
}

// writeItems writes items; equal texts, as of a loop, are written once.
func writeItems(b *strings.Builder, dir string, items []*graph.Mistake) {
	texts := make([]string, len(items))
	for i, m := range items {
		texts[i] = m.Text(dir)
	}
	for i := 0; i < len(texts); {
		same := i + 1
		for same < len(texts) && texts[same] == texts[i] {
			same++
		}
		b.WriteString(texts[i] + "\n")
		if more := same - i - 1; more > 0 {
			fmt.Fprintf(b, "      (and %d more of the same)\n", more)
		}
		i = same
	}
}

// Summary is the line of counts.
func (r *Report) Summary() string {
	s := fmt.Sprintf("%s, %s, %s left to binding; %s checked", counted(len(r.Errors), "error"),
		counted(len(r.Warnings), "warning"), counted(len(r.Requirements), "requirement"), counted(r.Nodes, "node"))
	if r.NotJudged > 0 {
		s += fmt.Sprintf(", %d not judged because an input failed", r.NotJudged)
	}
	return s
}

// MarkedGraph returns the graph's text form with a mark before each line whose node failed ("!"), has a warning ("~")
// or could not be checked ("?"), followed by the codes.
func (r *Report) MarkedGraph() string {
	marks := map[*graph.Node]graph.Mark{}
	for _, n := range r.Graph.Nodes() {
		if !n.Judged() && n.Err() == nil {
			marks[n] = graph.Mark{Sign: '?', Text: "not judged"}
		}
	}
	for _, list := range [][]*graph.Mistake{r.Warnings, r.Errors} {
		for _, m := range list {
			sign := '!'
			if m.Severity == graph.Warning {
				sign = '~'
			}
			marks[m.Node] = graph.Mark{Sign: sign, Text: fmt.Sprintf("%s: %s", m.Code, m.Summary)}
		}
	}
	return r.Graph.MarkedText(marks)
}

// Unwrap returns the errors one by one, for errors.As and errors.Is.
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

// IsMistake reports whether err contains a mistake with the given code.
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
