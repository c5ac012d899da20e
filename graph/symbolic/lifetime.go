package symbolic

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The table of sizes forgets the entries that nothing can need any more. Time is counted in
// sweeps. A program needs only sizes that were used while it was built or compiled: its life. An
// entry goes that was not used since the sweep before, as sizes are that a computation holds, nor
// in the life of any program that still exists. Those that were made before the first program, as
// a package's variables, are kept.

// betweenSweeps is the least time between two sweeps: what a computation holds is used meanwhile.
const betweenSweeps = 5 * time.Second

// betweenCount is the least number of entries that are made between two sweeps.
const betweenCount = 512

// gone is the epoch of an entry that was forgotten.
const gone = -1

// use notes that an entry, and what it is made of, is used; false if it is gone.
func (e *entry) use() bool {
	now := table.epoch.Load()
	for {
		last := e.used.Load()
		switch {
		case last == gone:
			return false
		case last >= now:
			return true
		}
		for d := range e.parts {
			if d.isHandle() && d.entry() == nil {
				return false
			}
		}
		if e.used.CompareAndSwap(last, now) {
			return true
		}
	}
}

// parts calls yield with the sizes that an entry is made of.
func (e *entry) parts(yield func(Dim) bool) {
	for _, t := range e.poly {
		for _, a := range t.atoms {
			if a.name == "" && !(yield(a.p) && yield(a.q)) {
				return
			}
		}
	}
	if list := e.factors.Load(); list != nil {
		for _, d := range *list {
			if !yield(d) {
				return
			}
		}
	}
}

// mark keeps an entry and what it is made of.
func (e *entry) mark() {
	if e == nil || e.marked {
		return
	}
	e.marked = true
	for d := range e.parts {
		d.find().mark()
	}
}

// sweep forgets entries. The table is locked.
func sweep() {
	now, slots, spans := table.epoch.Add(1), *table.slots.Load(), liveSpans()
	var all []*entry
	for i := range slots {
		if e := slots[i].Load(); e != nil {
			all = append(all, e)
		}
	}
	for _, e := range all {
		e.marked = false
	}
	for _, e := range all {
		if last := e.used.Load(); e.kept || last >= now-1 || meets(spans, e.born, last) {
			e.mark()
		}
	}
	for _, e := range all {
		if last := e.used.Load(); !e.marked && last < now-1 {
			e.used.CompareAndSwap(last, gone) // unless it is used just now
		}
	}
	resize(len(slots), slots)
	for size := len(slots); size > minSlots && 8*table.count < size; size /= 2 {
		resize(size/2, *table.slots.Load())
	}
	table.limit, table.swept = table.count+betweenCount, time.Now()
	memoized.forget()
	nameMemo.Lock()
	defer nameMemo.Unlock()
	clear(nameMemo.known)
}

// span is the epochs in which sizes were used that a program may need.
type span struct{ from, to int64 }

// meets reports whether some of disjoint spans, in order, has an epoch of those from one to
// another.
func meets(spans []span, from, to int64) bool {
	i, _ := slices.BinarySearchFunc(spans, from, func(s span, from int64) int { return cmp.Compare(s.to, from) })
	return i < len(spans) && spans[i].from <= to
}

// Life tells which sizes a program, and those derived from it, need: the program must hold it as long as it uses sizes.
type Life struct{ of *lifetime }

// lifetime is the span of a life. It is open while the program is built or compiled.
type lifetime struct {
	sync.Mutex
	from, to int64
	open     atomic.Bool
	compiled int // how often it is being compiled
}

// lives are those of all programs that exist.
var lives struct {
	sync.Mutex
	of    map[*lifetime]bool
	begun atomic.Bool // there was a program
}

// NewLife returns the life of a program that begins to be built.
func NewLife() *Life {
	t := &lifetime{from: table.epoch.Load()}
	t.open.Store(true)
	lives.begun.Store(true)
	lives.Lock()
	defer lives.Unlock()
	if lives.of == nil {
		lives.of = map[*lifetime]bool{}
	}
	lives.of[t] = true
	l := &Life{t}
	runtime.AddCleanup(l, func(t *lifetime) {
		lives.Lock()
		defer lives.Unlock()
		delete(lives.of, t)
	}, t)
	return l
}

// Reopen notes that the program is built on.
func (l *Life) Reopen() {
	if !l.of.open.Load() {
		l.of.open.Store(true)
	}
}

// Keep keeps the sizes that are used until done is called, such as those of a program being compiled. A program being
// built keeps all; afterwards those that nothing else uses may be dropped.
func (l *Life) Keep() (done func()) {
	t := l.of
	t.Lock()
	defer t.Unlock()
	t.compiled++
	t.open.Store(true)
	return func() {
		t.Lock()
		defer t.Unlock()
		if t.compiled--; t.compiled == 0 {
			t.to = table.epoch.Load()
			t.open.Store(false)
		}
	}
}

// liveSpans lists the epochs of all lives, as disjoint spans in order.
func liveSpans() (merged []span) {
	lives.Lock()
	defer lives.Unlock()
	var all []span
	for t := range lives.of {
		all = append(all, t.span())
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range all {
		if last := len(merged) - 1; last >= 0 && s.from <= merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

func (t *lifetime) span() span {
	t.Lock()
	defer t.Unlock()
	if t.open.Load() {
		return span{t.from, math.MaxInt64}
	}
	return span{t.from, t.to}
}
