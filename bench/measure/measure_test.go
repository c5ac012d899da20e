package measure

import (
	"errors"
	"testing"
	"time"
)

var sink []byte

func TestRunTimesSleep(t *testing.T) {
	const nap = 2 * time.Millisecond
	got, err := Run(func() error { time.Sleep(nap); return nil }, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if got.Min < nap || got.Median < got.Min {
		t.Errorf("min %v, median %v for naps of %v", got.Min, got.Median, nap)
	}
}

func TestRunCountsHeap(t *testing.T) {
	const size = 1 << 16
	got, err := Run(func() error { sink = make([]byte, size); return nil }, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if got.Allocs != 1 || got.Bytes < size || got.Bytes > size+512 {
		t.Errorf("%d allocations of %d bytes, want 1 of %d", got.Allocs, got.Bytes, size)
	}
	if got, err = Run(func() error { return nil }, 5*time.Millisecond); err != nil || got.Allocs != 0 {
		t.Errorf("an empty step: %+v, %v", got, err)
	}
}

func TestRunTimesShortCallsInBatches(t *testing.T) {
	n := 0
	got, err := Run(func() error { n++; return nil }, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if got.Median >= time.Microsecond || n < 10_000 {
		t.Errorf("an empty call took %v; %d calls were made", got.Median, n)
	}
}

func TestRunReturnsError(t *testing.T) {
	want := errors.New("broken")
	n := 0
	_, err := Run(func() error {
		if n++; n > 3 {
			return want
		}
		time.Sleep(time.Millisecond)
		return nil
	}, 50*time.Millisecond)
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}
