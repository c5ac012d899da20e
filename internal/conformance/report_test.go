package conformance

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Outcome is what came of one case.
type Outcome struct {
	ID string
	// Op is the operation that is missing, or the first one of the case.
	Op string
	// Err is nil where the case passed.
	Err error
}

// Passed reports whether everything was as expected.
func (o Outcome) Passed() bool { return o.Err == nil }

// Unsupported reports whether the case asks for something that the library has not.
func (o Outcome) Unsupported() bool { return o.Err != nil && isUnsupported(o.Err) }

// Report is the outcome of a file.
type Report struct {
	File     string
	Outcomes []Outcome
	// Notes are further lines, such as counts that belong to one file only.
	Notes []string
	// Short says that too little was reached although no case failed by itself.
	Short error
}

// Count returns the numbers of cases that passed, failed and are not supported.
func (r *Report) Count() (passed, failed, unsupported int) {
	for _, o := range r.Outcomes {
		switch {
		case o.Passed():
			passed++
		case o.Unsupported():
			unsupported++
		default:
			failed++
		}
	}
	return passed, failed, unsupported
}

// String returns the counts in one line.
func (r *Report) String() string {
	passed, failed, unsupported := r.Count()
	return fmt.Sprintf("vectors: %s passed %d failed %d unsupported %d", r.File, passed, failed, unsupported)
}

// maxFailures bounds the failed cases that are listed.
const maxFailures = 30

// Failures lists the first failed cases, with the wanted and the actual results.
func (r *Report) Failures() string {
	var b strings.Builder
	told := 0
	for _, o := range r.Outcomes {
		if o.Passed() || o.Unsupported() {
			continue
		}
		if told++; told > maxFailures {
			_, failed, _ := r.Count()
			fmt.Fprintf(&b, "and %d more\n", failed-maxFailures)
			break
		}
		fmt.Fprintf(&b, "%s %s: %v\n", o.ID, o.Op, o.Err)
	}
	return b.String()
}

// Missing lists what is not supported: each cause with its number of cases, by operation.
func (r *Report) Missing() string {
	count := map[string]map[string]int{}
	for _, o := range r.Outcomes {
		if !o.Unsupported() {
			continue
		}
		if count[o.Err.Error()] == nil {
			count[o.Err.Error()] = map[string]int{}
		}
		count[o.Err.Error()][o.Op]++
	}
	var b strings.Builder
	for _, cause := range slices.Sorted(maps.Keys(count)) {
		total := 0
		var words []string
		for _, op := range slices.Sorted(maps.Keys(count[cause])) {
			total += count[cause][op]
			words = append(words, fmt.Sprintf("%s %d", op, count[cause][op]))
		}
		fmt.Fprintf(&b, "%s, %d cases: %s\n", cause, total, strings.Join(words, ", "))
	}
	return b.String()
}

// runAll runs the cases of a file, one on each processor at a time.
func runAll[T any](file string, rows []T, run func(*T) Outcome) *Report {
	r := &Report{File: file, Outcomes: make([]Outcome, len(rows))}
	var next atomic.Int64
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(rows); i = int(next.Add(1)) - 1 {
				r.Outcomes[i] = run(&rows[i])
			}
		})
	}
	done.Wait()
	return r
}

// guarded turns a panic, which no case may cause, into a failure.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 4<<10)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
		}
	}()
	return run()
}
