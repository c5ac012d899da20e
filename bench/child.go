package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	"github.com/broadloom/broadloom/bench/measure"
	"github.com/broadloom/broadloom/bench/record"
	"github.com/broadloom/broadloom/bench/suite"
)

// warmups are the calls between the first and the timed ones.
const warmups = 3

// child makes one measurement in this process. A library's error is part of
// the record.
func child(opts options, out io.Writer) error {
	runtime.GOMAXPROCS(opts.config.Threads)
	p, w := opts.peers[0], opts.workloads[0]
	rec := blank(opts, p, w)
	if err := fill(&rec, p, w, opts); err != nil {
		rec = blank(opts, p, w)
		rec.Error = shorten(err.Error())
	}
	return rec.Write(out)
}

// fill measures a workload. A panic of the library in this goroutine is an
// error like others.
func fill(rec *record.Record, p suite.Peer, w suite.Workload, opts options) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()

	in := w.Inputs()
	start := time.Now()
	program, err := p.Prepare(w, in, opts.config)
	if err != nil {
		return err
	}
	if err := program.Step(); err != nil {
		return err
	}
	if _, err := program.Results(); err != nil {
		return err
	}
	rec.FirstS = round(time.Since(start).Seconds(), 6)

	for range warmups {
		if err := program.Step(); err != nil {
			return err
		}
	}
	if err := check(rec, program, w.HasLoss); err != nil {
		return err
	}
	timing, err := measure.Run(program.Step, opts.minTime)
	if err != nil {
		return err
	}
	rec.Ms = milliseconds(timing.Median)
	rec.MinMs = milliseconds(timing.Min)
	rec.Allocs, rec.Bytes = &timing.Allocs, &timing.Bytes
	return nil
}

// check records the results of the latest call, to show that libraries have computed the same.
func check(rec *record.Record, program suite.Program, hasLoss bool) error {
	results, err := program.Results()
	if err != nil {
		return err
	}
	var sum float64
	var n int
	for _, flat := range results {
		for _, v := range flat {
			sum += math.Abs(float64(v))
		}
		n += len(flat)
	}
	mean := sum / float64(n)
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return fmt.Errorf("results are not finite, or there are none")
	}
	rec.Check = &mean
	if hasLoss {
		loss := float64(results[0][0])
		rec.Loss = &loss
	}
	return nil
}

// milliseconds of a duration, to the nanosecond.
func milliseconds(d time.Duration) float64 { return round(float64(d)/float64(time.Millisecond), 6) }

// round keeps some decimal places.
func round(v float64, places int) float64 {
	scale := math.Pow10(places)
	return math.Round(v*scale) / scale
}
