package graph

import (
	"slices"
	"sync"
)

// dimOp is an operation on two sizes.
type dimOp uint8

const (
	dimSum dimOp = iota
	dimProduct
	dimFloor // by a whole number
	dimQuotient
)

// numbers computes with whole numbers.
func (op dimOp) numbers(m, n int64) Dim {
	v, ok := addInt(m, n)
	if op == dimProduct {
		v, ok = mulInt(m, n)
	}
	if d := Dim(v); ok && !d.isHandle() {
		return d
	}
	return InvalidDim
}

// terms computes with normal forms; ok is false on overflow.
func (op dimOp) terms(a, b polynomial) (out []term, ok bool) {
	if op == dimSum {
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

// dimMemo remembers results, so that a deep model computes each size once: what is found
// in it costs no allocation.
var dimMemo = memo{known: map[memoKey]Dim{}}

// maxMemo bounds the memory: when it is full it starts anew.
const maxMemo = 1 << 13

type memoKey struct {
	op   dimOp
	d, e Dim
}

type memo struct {
	sync.RWMutex
	known map[memoKey]Dim
}

func (m *memo) get(op dimOp, d, e Dim) (Dim, bool) {
	m.RLock()
	result, ok := m.known[memoKey{op, d, e}]
	m.RUnlock()
	return result, ok && (result.IsConst() || result.IsUnknown() || result.entry() != nil)
}

func (m *memo) put(op dimOp, d, e, result Dim) {
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

// dimNames remembers the sizes that are names.
var dimNames = struct {
	sync.RWMutex
	known map[string]Dim
}{known: map[string]Dim{}}

func namedDim(name string) Dim {
	dimNames.RLock()
	d, known := dimNames.known[name]
	dimNames.RUnlock()
	if known && d.entry() != nil {
		return d
	}
	d = atomDim(atom{name: name})
	dimNames.Lock()
	defer dimNames.Unlock()
	dimNames.known[name] = d
	return d
}
