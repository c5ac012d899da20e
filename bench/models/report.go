package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/broadloom/broadloom/bench/suite"
)

// report writes times as a Markdown table while they are measured; the other measurements follow at its end.
type report struct {
	out   io.Writer
	peers []peer
	names []string
	rows  [][]measurement // of a workload: Broadloom, then the peers
	means map[suite.Group]*mean
}

func newReport(out io.Writer, peers []peer) *report {
	r := &report{out: out, peers: peers, means: map[suite.Group]*mean{}}
	for _, g := range suite.Groups {
		r.means[g] = &mean{}
	}
	r.header("ms", "best ÷ Broadloom, least", "median")
	return r
}

// header begins a table with a column for each side and some more.
func (r *report) header(unit string, more ...string) {
	columns := []string{"workload", "Broadloom, " + unit}
	for _, p := range r.peers {
		columns = append(columns, p.title+", "+unit)
	}
	columns = append(columns, more...)
	fmt.Fprintf(r.out, "| %s |\n| --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" ---: |", len(columns)-1))
}

// row writes a workload's row: a cell for each side with the value of tell, 0 for nothing, and more cells.
func (r *report) row(name string, m []measurement, tell func(measurement) float64, more ...string) {
	cells := []string{name}
	for _, side := range m {
		cell := "–"
		if v := tell(side); side.missing == nil && v > 0 {
			cell = fmt.Sprintf("%.3g", v)
		}
		cells = append(cells, cell)
	}
	fmt.Fprintf(r.out, "| %s |\n", strings.Join(append(cells, more...), " | "))
}

// ratio is the best peer's time by Broadloom's; 0 if no peer was measured.
func ratio(m []measurement, time func(measurement) float64) float64 {
	best := math.Inf(1)
	for _, side := range m[1:] {
		if side.missing == nil {
			best = min(best, time(side))
		}
	}
	if math.IsInf(best, 1) {
		return 0
	}
	return best / time(m[0])
}

func least(m measurement) float64  { return m.Min }
func median(m measurement) float64 { return m.Median }

// mean is a geometric mean of ratios.
type mean struct {
	logs  float64
	count int
}

// add takes a ratio in, unless it is 0.
func (m *mean) add(ratio float64) {
	if ratio > 0 {
		m.logs, m.count = m.logs+math.Log(ratio), m.count+1
	}
}

// add writes the times of a workload.
func (r *report) add(w suite.Workload, m []measurement) {
	const milli = 1e3
	r.names, r.rows = append(r.names, w.Name), append(r.rows, m)
	r.means[w.Group].add(ratio(m, median))
	r.row(w.Name, m, func(m measurement) float64 { return m.Median * milli },
		times(ratio(m, least)), times(ratio(m, median)))
}

// times is how a ratio is written.
func times(ratio float64) string {
	if ratio == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// end writes the summary of all rows, and the other tables.
func (r *report) end() {
	for _, g := range suite.Groups {
		if m := r.means[g]; m.count > 0 {
			fmt.Fprintf(r.out, "\nGeometric mean of %d ratios of medians%s: %.2f.\n", m.count, g.Of(),
				math.Exp(m.logs/float64(m.count)))
		}
	}
	r.missing()
	const mega = 1e-6
	for _, table := range []struct {
		title, unit string
		tell        func(measurement) float64
	}{
		{"Compilation", "s", func(m measurement) float64 { return m.compilation }},
		{"First result", "s", func(m measurement) float64 { return m.first }},
		{"Memory", "MB", func(m measurement) float64 { return float64(m.peak) * mega }},
	} {
		fmt.Fprintf(r.out, "\n%s\n\n", table.title)
		r.header(table.unit)
		for i, m := range r.rows {
			r.row(r.names[i], m, table.tell)
		}
	}
}

// missing says why peers have no measurements, each reason once.
func (r *report) missing() {
	for i, p := range r.peers {
		told := map[string]bool{}
		for w, m := range r.rows {
			if why := m[1+i].missing; why != nil && !told[why.Error()] {
				told[why.Error()] = true
				fmt.Fprintf(r.out, "\n%s has no figure for %s: %v.\n", p.title, r.names[w], why)
			}
		}
	}
}
