package exec

import (
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/pages"
)

// ErrBusy is what a call wraps that is refused since another goroutine uses the session, or
// the parameters that it shares with other sessions, in a way that does not go together.
var ErrBusy = errors.New("in use by another goroutine")

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
			return fmt.Errorf("exec: a session that shares these parameters writes them at this moment: let one call end before the other begins (%w)", ErrBusy)
		case write && n > 0:
			return fmt.Errorf("exec: this would write parameters that %d calls of sessions that share them read at this moment: let those end before it begins (%w)", n, ErrBusy)
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
func (st *paramStore) join(params []*graph.Node) []*paramValue {
	st.mu.Lock()
	defer st.mu.Unlock()
	list, offsets, size := make([]*paramValue, len(params)), make([]int, len(params)), 0
	for i, n := range params {
		if list[i] = st.values[n]; list[i] != nil {
			continue
		}
		v := &paramValue{memory: memory{dtype: n.DType(), shape: wholeShape(n)}}
		v.count = countOf(v.shape)
		list[i], offsets[i] = v, size
		size += (v.count*v.dtype.Size() + alignment - 1) / alignment * alignment
	}
	room := pages.Make[byte](size)
	for i, n := range params {
		if st.values[n] == nil {
			if list[i].count > 0 {
				list[i].ptr = unsafe.Pointer(&room[offsets[i]])
				st.begin(n, list[i])
			}
			st.values[n] = list[i]
		}
	}
	return list
}

// begin fills in the first value of a parameter, which depends on its name and the seed alone.
func (st *paramStore) begin(n *graph.Node, v *paramValue) {
	if init := n.Attrs().(graph.ParamAttrs).Init; init != nil {
		h := fnv.New64a()
		h.Write([]byte(n.Name()))
		init.Fill(sliceAt(v.dtype, v.ptr, v.count), v.shape, st.seed^h.Sum64())
	}
}
