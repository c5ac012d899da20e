//go:build amd64 || arm64

package jit

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A list is called many times, and words change from one time to the next.
func TestListIsCalledManyTimes(t *testing.T) {
	var l List
	a, b := [3]int64{0, 0, 1}, [3]int64{0, 0, 2}
	l.Add(adder(t), 0, unsafe.Pointer(&a)) // a[0] += a[1], once
	l.Add(adder(t), 0, unsafe.Pointer(&b)) // b[0] += b[1], twice
	var w Words
	w.Reserve(2)
	w.Add(unsafe.Pointer(&a[1]), 10, 5, 0)
	w.Add(unsafe.Pointer(&b[1]), 7, 0, 7^100)
	times, ended := l.CallTimes(3, &w, nil, new(uint64))
	require.Equal(t, 3, times)
	require.False(t, ended)
	require.Equal(t, int64(10+15+20), a[0])
	require.Equal(t, int64(2*(7+100+7)), b[0])
	times, _ = l.CallTimes(1, &w, nil, new(uint64)) // goes on where it was
	require.Equal(t, 1, times)
	require.Equal(t, int64(45+25), a[0])
	require.Equal(t, int64(2*114+200), b[0])
	times, ended = l.CallTimes(0, &w, nil, new(uint64))
	require.Zero(t, times)
	require.False(t, ended)
}

// Calls end after the one that leaves a Bool false, even if that is the last.
func TestListIsCalledWhileABoolIsTrue(t *testing.T) {
	for _, most := range []int{3, 4, 9} {
		var l List
		left := [3]int64{4, -1, 1} // the lowest byte of the first is false after 4 calls
		l.Add(adder(t), 0, unsafe.Pointer(&left))
		goesOn := uint64(uintptr(unsafe.Pointer(&left)))
		times, ended := l.CallTimes(most, &Words{}, &goesOn, new(uint64))
		require.Equal(t, min(most, 4), times)
		require.Equal(t, most >= 4, ended)
		require.Equal(t, int64(4-times), left[0])
	}
}

// Code that stops a list leaves the words as they were when the list was called for the last time.
func TestListIsStopped(t *testing.T) {
	var l List
	sum, behind, stop := [3]int64{0, 0, 1}, [3]int64{0, 1, 1}, uint64(0)
	left := [3]int64{-3, 1, 1}
	l.Add(adder(t), 0, unsafe.Pointer(&sum))
	l.Add(adder(t), 0, unsafe.Pointer(&left))
	l.Add(adder(t), 0, unsafe.Pointer(&behind))
	var w Words
	w.Reserve(1)
	w.Add(unsafe.Pointer(&sum[1]), 10, 1, 0)
	times, ended := l.CallTimes(2, &w, nil, &stop)
	require.Equal(t, 2, times)
	require.False(t, ended)
	stop = 1
	times, ended = l.CallTimes(5, &w, nil, &stop)
	require.Zero(t, times)
	require.False(t, ended)
	require.Equal(t, int64(10+11+12), sum[0])
	require.Equal(t, int64(12), sum[1])
	require.Equal(t, int64(2), behind[0])
}
