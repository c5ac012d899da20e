package params

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/broadloom/broadloom/exec/internal/bug"
	"github.com/broadloom/broadloom/exec/internal/memory"
	"github.com/broadloom/broadloom/exec/internal/placement"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/hugepage"
)

// ErrBusy is the cause of the error of a call that cannot run at the same time as another.
var ErrBusy = errors.New("in use by another goroutine")

// Store holds the values of one graph's parameters. Sessions of all programs of the graph may share it: each program
// that joins adds its parameters. A Store with only its graph set has no values, and seed 0.
type Store struct {
	Graph *graph.Graph
	Seed  uint64
	users atomic.Int64 // number of calls that read the values now, or inUseByWriter

	mu     sync.Mutex // guards the map and later
	values map[*graph.Node]*Value

	later      []hugepage.Later // huge pages that are still to be made
	smallPages atomic.Bool      // whether there are any
}

// inUseByWriter is the value of users while a call writes.
const inUseByWriter = -1

// Value is the value of one parameter.
type Value struct {
	memory.Value
	Version  int  // how often it was written
	Borrowed bool // the memory is the caller's, and never written
	Packed   Packed
}

// Acquire lets a call read the values, at the same time as other readers, or write them alone.
func (st *Store) Acquire(write bool) error {
	for {
		n := st.users.Load()
		next := n + 1
		switch {
		case n == inUseByWriter:
			return fmt.Errorf(
				"exec: a session that shares these parameters is writing them: wait until one call ends before you start the other (%w)",
				ErrBusy)
		case write && n > 0:
			return fmt.Errorf(
				"exec: this would write parameters that %d calls of sessions that share them are reading: wait until those end (%w)",
				n, ErrBusy)
		case write:
			next = inUseByWriter
		}
		if st.users.CompareAndSwap(n, next) {
			return nil
		}
	}
}

// Release ends a call that [Store.Acquire] began.
func (st *Store) Release(write bool) {
	if write {
		st.users.Store(0)
	} else {
		st.users.Add(-1)
	}
}

// Find returns the value of a parameter, or nil.
func (st *Store) Find(n *graph.Node) *Value {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.values[n]
}

// Nodes lists the parameters in the order of their declaration.
func (st *Store) Nodes() []*graph.Node {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.SortedFunc(maps.Keys(st.values), func(a, b *graph.Node) int { return cmp.Compare(a.ID(), b.ID()) })
}

// Join returns the values of a program's parameters. New ones are borrowed, or get memory and their first values. That
// memory is one piece, so that it can use huge pages.
func (st *Store) Join(params []*graph.Node, borrowed map[*graph.Node]*Value) ([]*Value, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.values == nil {
		st.values = map[*graph.Node]*Value{}
	}
	list, offsets, size := make([]*Value, len(params)), make([]int, len(params)), 0
	for i, n := range params {
		if list[i] = cmp.Or(st.values[n], borrowed[n]); list[i] != nil {
			continue
		}
		v := &Value{Value: memory.Value{Dtype: n.DType(), Shape: shapeOf(n)}}
		v.Count = memory.CountOf(v.Shape)
		if v.Count > (placement.MaxBytes-size)/v.Dtype.Size() {
			return nil, tooManyParams(params, placement.ErrAddresses)
		}
		list[i], offsets[i] = v, size
		size += placement.Aligned(v.Count * v.Dtype.Size())
	}
	if err := hugepage.Check(size); err != nil {
		return nil, tooManyParams(params, err)
	}
	room, later := hugepage.MakeLater(size, hugepage.Slow)
	st.addLater(later)
	for i, n := range params {
		if st.values[n] == nil {
			if list[i].Count > 0 && !list[i].Borrowed {
				list[i].Ptr = unsafe.Pointer(&room[offsets[i]])
				if err := st.begin(n, list[i]); err != nil {
					return nil, err
				}
			}
			st.values[n] = list[i]
		}
	}
	return list, nil
}

// tooManyParams is the error if there is no memory for parameters. It names the largest.
func tooManyParams(params []*graph.Node, why error) error {
	largest := slices.MaxFunc(params, func(x, y *graph.Node) int { return cmp.Compare(paramBytes(x), paramBytes(y)) })
	total := 0.0
	for _, n := range params {
		total += paramBytes(n)
	}
	return fmt.Errorf(
		"exec: the parameters of graph %q need %.0f bytes of memory (%.1f GiB), and %w; the largest is %s, %s%s (%s)",
		largest.Graph().Name(), total, total/(1<<30), why, largest.Label(), largest.DType(), largest.Shape(),
		largest.Pos())
}

// shapeOf returns the shape of a parameter, whose sizes are known.
func shapeOf(n *graph.Node) []int {
	shape, _ := n.KnownShape()
	return shape
}

// paramBytes returns the size of a parameter, which may overflow an int.
func paramBytes(n *graph.Node) float64 {
	bytes := float64(n.DType().Size())
	for _, d := range shapeOf(n) {
		bytes *= float64(d)
	}
	return bytes
}

// begin fills in the first value of a parameter. It depends only on the seed and on the parameter's name, or the name
// of the one whose seed it shares.
func (st *Store) begin(n *graph.Node, v *Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = bug.Panicked(n, r)
		}
	}()
	if init := n.Attrs().(graph.ParamAttrs).Init; init != nil {
		name := n.Name()
		if s, is := init.(graph.SeedSharer); is {
			name = s.SeedOf()
		}
		h := fnv.New64a()
		h.Write([]byte(name))
		init.Fill(memory.SliceAt(v.Dtype, v.Ptr, v.Count), v.Shape, st.Seed^h.Sum64())
	}
	return nil
}
