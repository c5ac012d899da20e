// Package sidebyside times Broadloom and a Python program on the same tasks by turns, so
// that what else happens on the machine falls on both, and prints their rates as a table.
package sidebyside

import (
	"math"
	"slices"
	"time"
)

// Side is one of the programs that are compared.
type Side interface {
	// Time makes some calls, and returns how long they took together.
	Time(calls int) (time.Duration, error)
}

// Func is a side in this process.
type Func func() error

// Time implements Side.
func (f Func) Time(calls int) (time.Duration, error) {
	start := time.Now()
	for range calls {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// Rule says how sides are timed.
type Rule struct {
	Rounds int           // in each round every side gives one sample
	Sample time.Duration // a sample makes as many calls as fit into this time, at least one
	// Pause is how long nobody computes before a sample. The threads of a library spin for milliseconds after its last
	// call, on processors that the next side is to have.
	Pause time.Duration
}

// Timing is the seconds that one call takes: the least and the median of the samples.
type Timing struct{ Min, Median float64 }

// ByTurns times the sides in rounds. Before a sample comes a call that is not timed, which
// brings its data back into the caches.
func (r Rule) ByTurns(sides ...Side) ([]Timing, error) {
	calls := make([]int, len(sides))
	samples := make([][]float64, len(sides))
	for i, s := range sides {
		var err error
		if calls[i], err = r.calls(s); err != nil {
			return nil, err
		}
	}
	for range r.Rounds {
		for i, s := range sides {
			time.Sleep(r.Pause)
			if _, err := s.Time(1); err != nil {
				return nil, err
			}
			took, err := s.Time(calls[i])
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], took.Seconds()/float64(calls[i]))
		}
	}
	timings := make([]Timing, len(sides))
	for i, s := range samples {
		slices.Sort(s)
		timings[i] = Timing{Min: s[0], Median: s[len(s)/2]}
	}
	return timings, nil
}

// calls finds how many calls fit into a sample, by a trial of a fifth of its length.
func (r Rule) calls(s Side) (int, error) {
	for n := 1; ; n *= 2 {
		took, err := s.Time(n)
		if err != nil {
			return 0, err
		}
		if took >= r.Sample/5 {
			return max(1, int(math.Round(float64(n)*float64(r.Sample)/float64(took)))), nil
		}
	}
}
