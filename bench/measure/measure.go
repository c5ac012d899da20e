// Package measure times a function that is called again and again.
package measure

import (
	"runtime"
	"slices"
	"time"
)

const (
	// leastSamples are taken even if they take longer than asked.
	leastSamples = 7
	// leastSample is the shortest span that is read off the clock: shorter
	// calls are timed several at a time, so that the clock's own cost and
	// resolution stay below a per cent.
	leastSample = 20 * time.Microsecond
	// heapCalls bounds the calls over which allocations are counted.
	heapCalls = 100
)

// Timing is the time of one call.
type Timing struct {
	// Median and Min are over samples of one call, or of the mean of a few calls if one is too short to time.
	Median, Min time.Duration
	// Allocs and Bytes are the heap allocations of one call, whichever
	// goroutine makes them, rounded down.
	Allocs, Bytes uint64
}

// Run times step for at least the given time. The caller has warmed it up.
func Run(step func() error, least time.Duration) (Timing, error) {
	batch, err := calibrate(step)
	if err != nil {
		return Timing{}, err
	}
	samples, err := sample(step, batch, least)
	if err != nil {
		return Timing{}, err
	}
	slices.Sort(samples)
	t := Timing{Median: samples[len(samples)/2], Min: samples[0]}
	t.Allocs, t.Bytes, err = heap(step, t.Median, least)
	return t, err
}

// calibrate finds how many calls a sample needs to be long enough.
func calibrate(step func() error) (batch int, err error) {
	for batch = 1; ; batch *= 2 {
		took, err := span(step, batch)
		if err != nil || took >= leastSample {
			return batch, err
		}
	}
}

// sample takes samples until they are many enough and have lasted long enough.
func sample(step func() error, batch int, least time.Duration) ([]time.Duration, error) {
	samples := make([]time.Duration, 0, 1+int(least/leastSample))
	for start := time.Now(); time.Since(start) < least || len(samples) < leastSamples; {
		took, err := span(step, batch)
		if err != nil {
			return nil, err
		}
		samples = append(samples, took/time.Duration(batch))
	}
	return samples, nil
}

// span times a batch of calls.
func span(step func() error, batch int) (time.Duration, error) {
	start := time.Now()
	for range batch {
		if err := step(); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// heap counts allocations over as many calls as fit into a fifth of the time.
func heap(step func() error, one, least time.Duration) (allocs, bytes uint64, err error) {
	calls := uint64(min(max(int64(least)/5/max(int64(one), 1), 3), heapCalls))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		if err := step(); err != nil {
			return 0, 0, err
		}
	}
	runtime.ReadMemStats(&after)
	return (after.Mallocs - before.Mallocs) / calls, (after.TotalAlloc - before.TotalAlloc) / calls, nil
}
