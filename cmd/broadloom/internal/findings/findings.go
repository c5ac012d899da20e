package findings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// NotChecked is the code for a model that could not be checked.
const NotChecked = "not-checked"

// Finding is an error, a warning or a note at a place of the user's program.
type Finding struct {
	Severity graph.Severity
	Code     string // such as "BL101", or [NotChecked]
	At       Place
	Message  string    // one line
	Detail   string    // further lines, without indentation
	Related  []Related // values that take part, where they are made elsewhere
}

// Related is another place with a message.
type Related struct {
	At   Place
	Text string
}

// Text is the message with its further lines.
func (f Finding) Text() string {
	if f.Detail == "" {
		return f.Message
	}
	return f.Message + "\n" + f.Detail
}

// OfReport returns the findings of a report.
func OfReport(r shapeinfer.ReportJSON) (list []Finding) {
	for severity, mistakes := range map[graph.Severity][]shapeinfer.MistakeJSON{
		graph.Error: r.Errors, graph.Warning: r.Warnings, graph.Note: r.Notes} {
		for _, m := range mistakes {
			list = append(list, ofMistake(severity, m))
		}
	}
	return list
}

func ofMistake(severity graph.Severity, m shapeinfer.MistakeJSON) Finding {
	f := Finding{Severity: severity, Code: string(m.Code), At: PlaceOf(m.PlaceJSON), Message: m.Summary,
		Detail: detail(m.Text)}
	if m.Node != "" {
		f.Message = m.Node + ": " + m.Summary
	}
	for _, o := range m.Operands {
		if at := PlaceOf(o.PlaceJSON); at.File != "" && at != f.At {
			f.Related = append(f.Related, Related{at, o.Name + " [" + strings.Join(o.Shape, ", ") + "]"})
		}
	}
	return f
}

// OfProblem returns the findings of a text that says why something could not be checked: one for
// each of its lines that begins with a place, as a compiler's do, or else one of the whole.
// File names are relative to a directory.
func OfProblem(dir, text string) (list []Finding) {
	for line := range strings.Lines(text) {
		if at, message, ok := Placed(dir, strings.TrimRight(line, "\n")); ok {
			list = append(list, Finding{Code: NotChecked, At: at, Message: message})
		}
	}
	if list == nil {
		first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		list = []Finding{{Code: NotChecked, Message: first, Detail: rest}}
	}
	return list
}

// detail returns the lines after the first line of a message, without their common indentation.
func detail(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	lines := strings.Split(rest, "\n")
	indent := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); line != "" && (indent < 0 || n < indent) {
			indent = n
		}
	}
	for i, line := range lines {
		lines[i] = line[min(max(indent, 0), len(line)):]
	}
	return strings.Join(lines, "\n")
}

// Merge sorts findings by place, and returns those of several models that are the same once.
func Merge(list []Finding) []Finding {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(a.At.compare(b.At), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Text(), b.Text()))
	})
	return slices.CompactFunc(list, func(a, b Finding) bool {
		return a.At == b.At && a.Severity == b.Severity && a.Code == b.Code && a.Text() == b.Text()
	})
}
