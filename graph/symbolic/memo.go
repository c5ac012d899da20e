package symbolic

import (
	"slices"
	"sync"
)

// operation is an operation on two sizes.
type operation uint8

const (
	opSum operation = iota
	opProduct
	opFloor // by a whole number
	opQuotient
)

// numbers computes with whole numbers.
func (op operation) numbers(m, n int64) Dim {
	v, ok := addInt(m, n)
	if op == opProduct {
		v, ok = mulInt(m, n)
	}
	if d := Dim(v); ok && !d.isHandle() {
		return d
	}
	return Invalid
}

// terms computes with normal forms; ok is false on overflow.
func (op operation) terms(a, b polynomial) (out []term, ok bool) {
	if op == opSum {
		return slices.Concat(a, b), true
	}
	for _, x := range a {
		for _, y := range b {
			c, ok := mulInt(x.coef, y.coef)
			if !ok {
				return nil, false
			}
			atoms := slices.Concat(x.atoms, y.atoms)
			slices.SortFunc(atoms, compareAtoms)
			out = append(out, term{c, atoms})
		}
	}
	return out, true
}

// memoized remembers results, so that a deep model computes each size once: what is found
// in it costs no allocation.
var memoized = memo{known: map[memoKey]Dim{}}

// maxMemo bounds the memory: when it is full it starts anew.
const maxMemo = 1 << 13

type memoKey struct {
	op   operation
	d, e Dim
}

type memo struct {
	sync.RWMutex
	known map[memoKey]Dim
}

func (m *memo) get(op operation, d, e Dim) (Dim, bool) {
	m.RLock()
	result, ok := m.known[memoKey{op, d, e}]
	m.RUnlock()
	return result, ok && (result.IsConst() || result.IsUnknown() || result.entry() != nil)
}

func (m *memo) put(op operation, d, e, result Dim) {
	m.Lock()
	defer m.Unlock()
	if len(m.known) >= maxMemo {
		clear(m.known)
	}
	m.known[memoKey{op, d, e}] = result
}

func (m *memo) forget() {
	m.Lock()
	defer m.Unlock()
	m.known = map[memoKey]Dim{}
}

// nameMemo remembers the sizes that are names.
var nameMemo = struct {
	sync.RWMutex
	known map[string]Dim
}{known: map[string]Dim{}}

func named(name string) Dim {
	nameMemo.RLock()
	d, known := nameMemo.known[name]
	nameMemo.RUnlock()
	if known && d.entry() != nil {
		return d
	}
	d = atomDim(atom{name: name})
	nameMemo.Lock()
	defer nameMemo.Unlock()
	nameMemo.known[name] = d
	return d
}
