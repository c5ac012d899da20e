package peak

import (
	"sync"
	"time"

	"github.com/broadloom/broadloom/kernels/clock"
)

// How many samples are taken, of which the best counts, and how many calls of the loop a sample has: about a
// millisecond.
const (
	samples = 40
	calls   = 20
)

// Rate measures the operations per second of the loop on a number of threads in parallel, at least one, on elements of
// a size in bytes; 0 if there is no loop for the processor. It takes a few hundredths of a second.
func Rate(threads, elementBytes int) float64 {
	threads = max(threads, 1)
	shortest := time.Duration(0)
	for i := range samples {
		var ready, done sync.WaitGroup
		start := make(chan struct{})
		ready.Add(threads)
		for range threads {
			done.Go(func() {
				ready.Done()
				<-start
				for range calls {
					_ = Loop()
				}
			})
		}
		ready.Wait()
		began := clock.Now()
		close(start)
		done.Wait()
		if took := max(clock.Now()-began, 1); i == 0 || took < shortest {
			shortest = took
		}
	}
	return float64(threads*calls) * Flops(elementBytes) / shortest.Seconds()
}
