package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/bench/suite"
)

// none is the text of an empty cell.
const none = "–"

// tolerance is by how much, relatively, the results of two libraries that
// computed with the same data may differ.
const tolerance = 1e-3

// markdown writes the table with its heading, ratios, geometric means, and a
// remark for every workload whose results differ between libraries.
func (t *table) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "### %d %s\n\n", t.threads, plural("thread", t.threads))
	t.heading(&out)
	means, rows := map[suite.Group][]mean{}, map[suite.Group]int{}
	for _, name := range t.names {
		w, _ := suite.Lookup(name) // one that the table lacks counts as one of the main group
		if means[w.Group] == nil {
			means[w.Group] = make([]mean, len(t.families())*len(t.bases()))
		}
		rows[w.Group]++
		t.row(&out, name, means[w.Group])
	}
	for _, g := range suite.Groups {
		t.last(&out, g, means[g], rows[g])
	}
	out.WriteString("\n")
	t.remarks(&out)
	return out.String()
}

// heading writes the names of the columns.
func (t *table) heading(out *strings.Builder) {
	names := []string{"workload"}
	for _, c := range t.columns {
		names = append(names, c.peer+" "+c.mode)
	}
	for _, b := range t.bases() {
		for _, f := range t.families() {
			names = append(names, f+" ÷ "+b.mode)
		}
	}
	line(out, names)
	line(out, append([]string{"---"}, repeat("---:", len(names)-1)...))
}

// row writes a workload's times and ratios, and collects the ratios.
func (t *table) row(out *strings.Builder, name string, means []mean) {
	cells := []string{name}
	for _, c := range t.columns {
		cells = append(cells, t.cells[name][c].text())
	}
	i := 0
	for _, b := range t.bases() {
		for _, f := range t.families() {
			ratio := t.best(name, f) / t.cells[name][b].ms()
			means[i].add(ratio)
			cells = append(cells, figure(ratio, 2))
			i++
		}
	}
	line(out, cells)
}

// last writes the geometric means of a group's ratios, with the number of workloads if that is not all of its rows.
func (t *table) last(out *strings.Builder, g suite.Group, means []mean, rows int) {
	if len(means) == 0 {
		return
	}
	cells := append([]string{"**geometric mean" + g.Of() + "**"}, repeat("", len(t.columns))...)
	for _, m := range means {
		text := "**" + figure(m.value(), 2) + "**"
		if m.n < rows {
			text += fmt.Sprintf(" (of %d)", m.n)
		}
		cells = append(cells, text)
	}
	line(out, cells)
}

// remarks writes about results that differ, and about errors.
func (t *table) remarks(out *strings.Builder) {
	var lines []string
	for _, name := range t.names {
		var first column
		for _, c := range t.columns {
			check, ok := t.checks[name][c]
			switch {
			case !ok:
			case first == column{}:
				first = c
			case math.Abs(check-t.checks[name][first]) > tolerance*math.Abs(check):
				lines = append(lines, fmt.Sprintf("- **results differ** on %s: %s %g, %s %g",
					name, first.peer, t.checks[name][first], c.peer, check))
			}
		}
		for _, c := range t.columns {
			if cell := t.cells[name][c]; cell != nil && len(cell.times) == 0 {
				lines = append(lines, fmt.Sprintf("- %s %s, %s: %s", c.peer, c.mode, name, cell.err))
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(out, "%s\n\n", strings.Join(lines, "\n"))
	}
}

// text is a cell's figure.
func (c *cell) text() string {
	if c != nil && len(c.times) == 0 {
		return "error"
	}
	return figure(c.ms(), 3)
}

// mean collects a geometric mean.
type mean struct {
	logs float64
	n    int
}

// add adds a ratio; NaN is ignored.
func (m *mean) add(ratio float64) {
	if !math.IsNaN(ratio) {
		m.logs += math.Log(ratio)
		m.n++
	}
}

// value is the mean, or not a number.
func (m *mean) value() float64 { return math.Exp(m.logs / float64(m.n)) }

// figure writes a number with so many significant digits, but never fewer than
// the digits before its point.
func figure(v float64, digits int) string {
	if math.IsNaN(v) {
		return none
	}
	decimals := max(digits-1-int(math.Floor(math.Log10(math.Abs(v)))), 0)
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// line writes a row of a table.
func line(out *strings.Builder, cells []string) {
	fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
}

// repeat makes a row of equal cells.
func repeat(cell string, n int) []string {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = cell
	}
	return cells
}

// plural adds an s unless n is 1.
func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
