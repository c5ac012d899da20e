package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
)

// slowFirst is the seconds of a first call above which a single operation is reported.
const slowFirst = 0.05

// report is the measurements of all tasks.
type report struct {
	rows              []row
	different, failed []string
}

func (r *report) add(name string, m row, note string, err error) {
	if err != nil {
		r.failed = append(r.failed, fmt.Sprintf("%s: %v", name, err))
		return
	}
	r.rows = append(r.rows, m)
	if note != "" {
		r.different = append(r.different, name+": "+note)
	}
}

// write prints the table, worst first, and its summary. It returns an error if results differ.
func (r *report) write(out io.Writer) error {
	slices.SortStableFunc(r.rows, func(a, b row) int { return cmp.Compare(a.ratio(), b.ratio()) })
	fmt.Fprint(out, "| operation | Broadloom, ms | PyTorch, ms | ratio |\n| --- | ---: | ---: | ---: |\n")
	logs, below := 0.0, 0
	var slow []string
	for _, m := range r.rows {
		fmt.Fprintf(out, "| %s | %.3g | %.3g | %.2f |\n", m.name, 1e3*m.ours, 1e3*m.theirs, m.ratio())
		logs += math.Log(m.ratio())
		if m.ratio() < 1 {
			below++
		}
		if m.first > slowFirst {
			slow = append(slow, fmt.Sprintf("%s: %.0f ms", m.name, 1e3*m.first))
		}
	}
	fmt.Fprintf(out, "\n- geometric mean of %d ratios of least times, PyTorch by Broadloom: %.2f; below 1: %d\n",
		len(r.rows), math.Exp(logs/float64(max(1, len(r.rows)))), below)
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"first results that took longer than a call by more than 50 ms", slow}, {"not measured", r.failed},
		{"different results", r.different},
	} {
		if len(part.lines) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s:\n\n", part.title)
		for _, l := range part.lines {
			fmt.Fprintln(out, "- "+l)
		}
	}
	if len(r.different) > 0 {
		return fmt.Errorf("the results of %d operations differ", len(r.different))
	}
	return nil
}
