// Command accuracy measures the distance of the kernels' functions of float32 from the exact values, in units in the
// last place, over all 2^32 inputs or every step-th one:
//
//	go run ./kernels/internal/testkit/accuracy -step 1
//
// Functions of two arguments are measured on as many pairs, alternately of random bits and of ordinary numbers. Exact
// values are those of the kernels' float64 functions, which are within 4 units in the last place of float64: 2^-26 of
// one of float32. The command fails if a function is worse than package scalar says, or wrong about NaN, infinity or
// the sign of zero.
//
// main.go goes through the inputs; meter.go measures, on several goroutines.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

func main() {
	log.SetFlags(0)
	step := flag.Uint64("step", 61, "take every step-th input")
	flag.Parse()
	if *step == 0 {
		log.Fatal("accuracy: the step must not be 0")
	}
	failed := false
	fmt.Printf("%-8s %8s  %-32s %5s  %-12s %s\n", "function", "ulp", "at", "wrong", "", "time")
	for _, op := range rowprog.Primitives() {
		if scalar.WorstULP(op) == 0 {
			continue
		}
		begin := time.Now()
		r, err := measure(op, *step)
		if err != nil {
			log.Fatal(err)
		}
		verdict := ""
		if limit := scalar.WorstULP(op); r.ulp > limit || r.wrong > 0 {
			verdict, failed = fmt.Sprintf(" WORSE than %.2f", limit), true
		}
		fmt.Printf("%-8v %8.4f  %-32s %5d  %-12s %v%s\n", op, r.ulp, r.where(op), r.wrong, r.how,
			time.Since(begin).Round(time.Second/10), verdict)
	}
	if failed {
		os.Exit(1)
	}
}

// span is how many steps a goroutine takes before it asks for more work.
const span = 1 << 22

// measure runs a function over the inputs, on all processors.
func measure(op rowprog.Op, step uint64) (result, error) {
	m, err := newMeter(op)
	if err != nil {
		return result{}, err
	}
	var (
		lock  sync.Mutex
		group sync.WaitGroup
		next  uint64
		all   = result{how: m.how()}
	)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			w := m.worker()
			for {
				lock.Lock()
				from := next
				next += span * step
				lock.Unlock()
				if from >= 1<<32 {
					break
				}
				w.run(from, min(from+span*step, 1<<32), step)
			}
			lock.Lock()
			all.merge(w.result)
			lock.Unlock()
		})
	}
	group.Wait()
	return all, nil
}

// result is the greatest distance, and where it is.
type result struct {
	ulp   float64
	at    [2]float32
	wrong int // results that are NaN, infinite or zero where they should not be, or the other way round
	how   string
}

func (r *result) merge(x result) {
	if x.ulp > r.ulp {
		r.ulp, r.at = x.ulp, x.at
	}
	r.wrong += x.wrong
}

// where describes the inputs of the greatest distance.
func (r *result) where(op rowprog.Op) string {
	switch {
	case r.ulp == 0:
		return "all rounded correctly"
	case op.Arity() == 2:
		return fmt.Sprintf("%v, %v", r.at[0], r.at[1])
	}
	return fmt.Sprintf("%v (%#08x)", r.at[0], math.Float32bits(r.at[0]))
}

// add compares one result.
func (r *result) add(x, y, got float32, want float64) {
	rounded := float32(want)
	switch {
	case math.Float32bits(got) == math.Float32bits(rounded), got != got && want != want:
		return
	case got != got, want != want, math.IsInf(want, 0), want == 0:
		r.wrong++
		return
	}
	power := math.Float64frombits(math.Float64bits(min(math.Abs(float64(rounded)), math.MaxFloat32)) & (0x7ff << 52))
	value := float64(got)
	if math.IsInf(value, 0) {
		value = math.Copysign(0x1p128, value)
	}
	if off := math.Abs(value-want) / max(power*0x1p-23, 0x1p-149); off > r.ulp {
		r.ulp, r.at = off, [2]float32{x, y}
	}
}
