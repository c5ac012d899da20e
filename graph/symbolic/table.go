package symbolic

import (
	"hash/fnv"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// table interns normal forms for the whole process, as package unique does for
// values: equal expressions have one entry, found by its handle. A Dim is a number that the
// collector cannot follow, so that the table is swept: see sweep. A form that comes again has
// the handle that it had, since that is made of its hash.
var table struct {
	sync.Mutex // of those who write
	slots      atomic.Pointer[[]atomic.Pointer[entry]]
	epoch      atomic.Int64 // the number of sweeps
	count      int
	limit      int // the count from which on a sweep is worth it
	swept      time.Time
}

// entry is a normal form with the names in it, in alphabetical order.
type entry struct {
	handle  Dim
	poly    polynomial
	names   []string
	factors atomic.Pointer[[]Dim] // of a sum, if they were asked for; empty where it is irreducible
	born    int64                 // the epoch in which it was made
	used    atomic.Int64          // the last epoch in which it was used, or gone
	kept    bool                  // for ever
	rounds  bool                  // there is a division in it that rounds down
	marked  bool                  // by a sweep
}

const (
	handleBit  = uint64(1) << 63
	handleMask = uint64(3) << 62
)

// handles returns the handles that a normal form may have, the first as a rule: the next one is
// for a form of the same hash. A value made with Go's operators from a handle is recognised: a
// sum is no handle of the table, and a multiple is no number that could be a size. That is seen
// to for small multiples.
func (p polynomial) handles(yield func(Dim) bool) {
	hash := fnv.New64a()
	hash.Write(p.key())
	for h := hash.Sum64(); ; h++ {
		mixed := (h ^ h>>32) * 0x9e3779b97f4a7c15
		mixed = (mixed ^ mixed>>29) * 0xbf58476d1ce4e5b9
		if d := Dim(handleBit | mixed>>2); d.multiplesAreNoSizes() && !yield(d) {
			return
		}
	}
}

func (d Dim) multiplesAreNoSizes() bool {
	for k := Dim(2); k <= 64; k++ {
		if m := d * k; m >= -endOfSizes && m < endOfSizes {
			return false
		}
	}
	return true
}

// isHandle reports whether d has the form of a handle; it may still be a wrong one.
func (d Dim) isHandle() bool { return uint64(d)&handleMask == handleBit }

// entry returns what the table holds for a handle, and notes that it is used; nil where it is
// none.
func (d Dim) entry() *entry {
	if e := d.find(); e != nil && e.use() {
		return e
	}
	return nil
}

func (d Dim) find() *entry {
	slots := table.slots.Load()
	if slots == nil || !d.isHandle() {
		return nil
	}
	return slotOf(*slots, d).Load()
}

// slotOf returns the slot that holds a handle, or the empty one where it belongs.
func slotOf(slots []atomic.Pointer[entry], d Dim) *atomic.Pointer[entry] {
	for i := uint64(d); ; i++ {
		slot := &slots[i&uint64(len(slots)-1)]
		if e := slot.Load(); e == nil || e.handle == d {
			return slot
		}
	}
}

// minSlots is the size of the first table; it is a power of two, as those of all are.
const minSlots = 256

// intern returns the Dim of a normal form.
func (p polynomial) intern() (d Dim) {
	switch {
	case len(p) == 0:
		return 0
	case len(p) == 1 && len(p[0].atoms) == 0:
		if d := Dim(p[0].coef); !d.isHandle() {
			return d
		}
		return Invalid
	}
	table.Lock()
	defer table.Unlock()
	if table.slots.Load() == nil {
		resize(minSlots, nil)
	}
	for d = range p.handles {
		e := d.find()
		if e == nil || e.poly.equal(p) && !e.use() {
			p.put(d)
			return d
		}
		if e.poly.equal(p) {
			return d
		}
		e.kept = true // whose handle would be free for p otherwise, which has the next one
	}
	return d
}

// put makes an entry.
func (p polynomial) put(d Dim) {
	now := table.epoch.Load()
	e := &entry{handle: d, poly: p, names: p.names(), rounds: p.rounds(), born: now, kept: !lives.begun.Load()}
	e.used.Store(now)
	slots := *table.slots.Load()
	if slotOf(slots, d).Swap(e) != nil {
		return
	}
	if table.count++; table.count >= max(table.limit, betweenCount) &&
		time.Since(table.swept) > betweenSweeps {
		sweep()
	}
	if slots = *table.slots.Load(); 2*table.count > len(slots) {
		resize(2*len(slots), slots)
	}
}

// resize makes a table of the entries of another one that are not gone.
func resize(size int, old []atomic.Pointer[entry]) {
	slots := make([]atomic.Pointer[entry], size)
	table.count = 0
	for i := range old {
		if e := old[i].Load(); e != nil && e.used.Load() != gone {
			slotOf(slots, e.handle).Store(e)
			table.count++
		}
	}
	table.slots.Store(&slots)
}

// key returns a text that tells normal forms apart.
func (p polynomial) key() (key []byte) {
	for _, t := range p {
		key = strconv.AppendInt(key, t.coef, 10)
		for _, a := range t.atoms {
			key = a.appendKey(key)
		}
		key = append(key, ';')
	}
	return key
}

func (a atom) appendKey(key []byte) []byte {
	if a.name != "" {
		return append(append(key, '.'), a.name...)
	}
	for i, v := range []int64{int64(a.p), int64(a.q), a.k} {
		key = strconv.AppendInt(append(key, "(,,"[i]), v, 10)
	}
	return append(key, ')')
}

func (p polynomial) equal(q polynomial) bool {
	return slices.EqualFunc(p, q, func(s, t term) bool { return s.coef == t.coef && slices.Equal(s.atoms, t.atoms) })
}
