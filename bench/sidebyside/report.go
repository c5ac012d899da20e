package sidebyside

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/broadloom/broadloom/graph"
)

// report writes measurements as a Markdown table, and their summary.
type report struct {
	out     io.Writer
	library string // the other library; empty if it is not measured
	rows    []row
	peaks   map[graph.DType]float64 // the greatest rates of the loop on registers so far
}

// row is the table's row of a task.
type row struct {
	name         string
	ours, theirs float64 // floating-point operations per second, by least times
	ratio        float64 // of the least times: above 1, Broadloom is faster
	medians      float64 // of the median times
	share        float64 // of the peak; 0 if that is unknown
}

func newReport(out io.Writer, library string) *report {
	r := &report{out: out, library: library, peaks: map[graph.DType]float64{}}
	if library == "" {
		fmt.Fprint(out, "| task | Broadloom, GFLOP/s | share of peak |\n| --- | ---: | ---: |\n")
	} else {
		fmt.Fprintf(out, "| task | Broadloom, GFLOP/s | %s, GFLOP/s | ratio, least | ratio, median | share of peak |\n",
			library)
		fmt.Fprint(out, "| --- | ---: | ---: | ---: | ---: | ---: |\n")
	}
	return r
}

// add writes the row of a task.
func (r *report) add(t *Task, m result) {
	w := row{name: t.Name, ours: t.Flops / m.ours.Min}
	if m.loop > 0 {
		r.peaks[t.DType] = max(r.peaks[t.DType], m.loop)
		w.share = w.ours / r.peaks[t.DType]
	}
	fmt.Fprintf(r.out, "| %s | %s |", w.name, giga(w.ours))
	if r.library != "" {
		w.theirs, w.ratio, w.medians = t.Flops/m.theirs.Min, m.theirs.Min/m.ours.Min, m.theirs.Median/m.ours.Median
		fmt.Fprintf(r.out, " %s | %.2f | %.2f |", giga(w.theirs), w.ratio, w.medians)
	}
	fmt.Fprintf(r.out, " %s |\n", percent(w.share))
	r.rows = append(r.rows, w)
}

// end writes the summary of all rows.
func (r *report) end() {
	if len(r.rows) == 0 {
		fmt.Fprintln(r.out, "\nno task matches")
		return
	}
	best := slices.MaxFunc(r.rows, func(a, b row) int { return cmp.Compare(a.share, b.share) })
	fmt.Fprintf(r.out, "\n- greatest share of the peak: %s, %s\n", percent(best.share), best.name)
	if r.library == "" {
		return
	}
	logs, medians, below := 0.0, 0.0, 0
	for _, w := range r.rows {
		logs += math.Log(w.ratio)
		medians += math.Log(w.medians)
		if w.ratio < 1 {
			below++
		}
	}
	n := float64(len(r.rows))
	worst := slices.MinFunc(r.rows, func(a, b row) int { return cmp.Compare(a.ratio, b.ratio) })
	fmt.Fprintf(
		r.out, "- geometric mean of %d ratios of times, %s by Broadloom: %.2f of least times, %.2f of medians\n",
		len(r.rows), r.library, math.Exp(logs/n), math.Exp(medians/n))
	fmt.Fprintf(r.out, "- below 1: %d; worst: %.2f, %s\n", below, worst.ratio, worst.name)
}

// giga writes a rate in units of 10⁹ with three digits.
func giga(rate float64) string {
	rate /= 1e9
	return strconv.FormatFloat(rate, 'f', max(0, 2-int(math.Floor(math.Log10(rate)))), 64)
}

// percent writes a share, or a dash for none.
func percent(share float64) string {
	if share == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
