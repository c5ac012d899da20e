package exec

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/pages"
)

// errBusy is what a call wraps that does not go together with another one.
var errBusy = errors.New("in use by another goroutine")

// paramStore holds values of the parameters of one graph. Sessions of any programs of the
// graph may share it: it grows by the parameters of each program that joins.
type paramStore struct {
	graph *graph.Graph
	seed  uint64
	users atomic.Int64 // how many calls read the values now, or inUseByWriter

	mu     sync.Mutex // guards the map
	values map[*graph.Node]*paramValue
}

// inUseByWriter stands in users for the one call that writes.
const inUseByWriter = -1

// paramValue is the value of one parameter.
type paramValue struct {
	memory
	version int // how often it has been written
}

// acquire lets a call read the values beside others that do, or write them alone.
func (st *paramStore) acquire(write bool) error {
	for {
		n := st.users.Load()
		next := n + 1
		switch {
		case n == inUseByWriter:
			return fmt.Errorf("exec: a session that shares these parameters writes them at this moment: let one call end before the other begins (%w)", errBusy)
		case write && n > 0:
			return fmt.Errorf("exec: this would write parameters that %d calls of sessions that share them read at this moment: let those end before it begins (%w)", n, errBusy)
		case write:
			next = inUseByWriter
		}
		if st.users.CompareAndSwap(n, next) {
			return nil
		}
	}
}

// release ends what acquire began.
func (st *paramStore) release(write bool) {
	if write {
		st.users.Store(0)
	} else {
		st.users.Add(-1)
	}
}

// find gives the value of a parameter, or nil.
func (st *paramStore) find(n *graph.Node) *paramValue {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.values[n]
}

// join gives the values of a program's parameters. Those that are new get memory, all in one
// piece so that it can be large pages, and their first values.
func (st *paramStore) join(params []*graph.Node) ([]*paramValue, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	list, offsets, size := make([]*paramValue, len(params)), make([]int, len(params)), 0
	for i, n := range params {
		if list[i] = st.values[n]; list[i] != nil {
			continue
		}
		v := &paramValue{memory: memory{dtype: n.DType(), shape: wholeShape(n)}}
		v.count = countOf(v.shape)
		if v.count > (maxArena-size)/v.dtype.Size() {
			return nil, tooManyParams(params, errAddresses)
		}
		list[i], offsets[i] = v, size
		size += (v.count*v.dtype.Size() + alignment - 1) / alignment * alignment
	}
	if err := pages.Check(size); err != nil {
		return nil, tooManyParams(params, err)
	}
	room := pages.Make[byte](size)
	for i, n := range params {
		if st.values[n] == nil {
			if list[i].count > 0 {
				list[i].ptr = unsafe.Pointer(&room[offsets[i]])
				if err := st.begin(n, list[i]); err != nil {
					return nil, err
				}
			}
			st.values[n] = list[i]
		}
	}
	return list, nil
}

// tooManyParams is the error of parameters for which there is no memory. It names the largest.
func tooManyParams(params []*graph.Node, why error) error {
	largest := slices.MaxFunc(params, func(x, y *graph.Node) int { return cmp.Compare(paramBytes(x), paramBytes(y)) })
	total := 0.0
	for _, n := range params {
		total += paramBytes(n)
	}
	return fmt.Errorf("exec: the parameters of graph %q need %.0f bytes of memory (%.1f GiB), and %w; the largest is %s, %s%s (%s)",
		largest.Graph().Name(), total, total/(1<<30), why, largest.Label(), largest.DType(), largest.Shape(), largest.Pos())
}

// paramBytes is the size of a parameter, which may be more than an int counts to.
func paramBytes(n *graph.Node) float64 {
	bytes := float64(n.DType().Size())
	for _, d := range wholeShape(n) {
		bytes *= float64(d)
	}
	return bytes
}

// begin fills in the first value of a parameter, which depends on its name and the seed alone.
func (st *paramStore) begin(n *graph.Node, v *paramValue) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicAt(n, r)
		}
	}()
	if init := n.Attrs().(graph.ParamAttrs).Init; init != nil {
		h := fnv.New64a()
		h.Write([]byte(n.Name()))
		init.Fill(sliceAt(v.dtype, v.ptr, v.count), v.shape, st.seed^h.Sum64())
	}
	return nil
}
