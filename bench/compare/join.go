package main

import (
	"math"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/bench/record"
	"github.com/broadloom/broadloom/bench/suite"
)

// column is a library in one of its modes.
type column struct{ peer, mode string }

// family is the library without its version: torch of torch-2.6.0.
func (c column) family() string {
	family, _, _ := strings.Cut(c.peer, "-")
	return family
}

// cell is the measurements of one workload in one column: several if a measurement was repeated, none if all failed.
type cell struct {
	times []float64
	err   string
}

// ms is the median of the times, or not a number.
func (c *cell) ms() float64 {
	if c == nil || len(c.times) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(c.times))
	return sorted[len(sorted)/2]
}

// table holds the measurements with one number of threads.
type table struct {
	threads int
	base    string
	names   []string // workloads, in the suite's order
	columns []column // the base's last
	cells   map[string]map[column]*cell
	checks  map[string]map[column]float64
}

// join makes a table for every number of threads, fewest first. Records without one, which other programs write for
// their errors, are left out.
func join(records []record.Record, base string, least bool) []*table {
	tables := map[int]*table{}
	for _, r := range records {
		if r.Threads == 0 {
			continue
		}
		t := tables[r.Threads]
		if t == nil {
			t = &table{threads: r.Threads, base: base,
				cells: map[string]map[column]*cell{}, checks: map[string]map[column]float64{}}
			tables[r.Threads] = t
		}
		t.add(r, least)
	}
	ordered := make([]*table, 0, len(tables))
	for _, t := range tables {
		t.order()
		ordered = append(ordered, t)
	}
	slices.SortFunc(ordered, func(a, b *table) int { return a.threads - b.threads })
	return ordered
}

// add puts a record into its cell.
func (t *table) add(r record.Record, least bool) {
	col := column{r.Peer, r.Mode}
	if !slices.Contains(t.columns, col) {
		t.columns = append(t.columns, col)
	}
	if t.cells[r.Name] == nil {
		t.names = append(t.names, r.Name)
		t.cells[r.Name] = map[column]*cell{}
		t.checks[r.Name] = map[column]float64{}
	}
	c := t.cells[r.Name][col]
	if c == nil {
		c = &cell{}
		t.cells[r.Name][col] = c
	}
	switch {
	case r.Error != "":
		c.err = r.Error
	case least:
		c.times = append(c.times, r.MinMs)
	default:
		c.times = append(c.times, r.Ms)
	}
	if r.Check != nil {
		t.checks[r.Name][col] = *r.Check
	}
}

// order sorts workloads in the suite's order, unknown ones last, and moves the base's columns after the others.
func (t *table) order() {
	rank := map[string]int{}
	for i, w := range suite.All() {
		rank[w.Name] = i - len(suite.All())
	}
	slices.SortStableFunc(t.names, func(a, b string) int { return rank[a] - rank[b] })
	slices.SortStableFunc(t.columns, func(a, b column) int {
		return btoi(a.family() == t.base) - btoi(b.family() == t.base)
	})
}

// best is the least time of a workload over a family's modes, or not a number.
func (t *table) best(name, family string) float64 {
	best := math.NaN()
	for _, c := range t.columns {
		if ms := t.cells[name][c].ms(); c.family() == family && !(ms >= best) && !math.IsNaN(ms) {
			best = ms
		}
	}
	return best
}

// families lists the libraries besides the base.
func (t *table) families() []string {
	var fs []string
	for _, c := range t.columns {
		if f := c.family(); f != t.base && !slices.Contains(fs, f) {
			fs = append(fs, f)
		}
	}
	return fs
}

// bases lists the columns of the base.
func (t *table) bases() []column {
	var bs []column
	for _, c := range t.columns {
		if c.family() == t.base {
			bs = append(bs, c)
		}
	}
	return bs
}

// btoi is 1 for true.
func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
