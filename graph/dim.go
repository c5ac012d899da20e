package graph

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Dim is a size: a whole number, which is itself, or an expression over named sizes. A
// whole number can be written where a Dim is wanted; an expression is the handle of an
// entry in a table of normal forms, so that == compares normal forms. Handles must not
// be computed with Go's operators: batch + 1 is recognised as wrong and is not
// [Dim.Valid]; write batch.Plus(1).
type Dim int64

const (
	// UnknownDim is the size of an axis that could not be judged. It matches anything.
	UnknownDim Dim = math.MinInt64 + 1
	// InvalidDim is the result of an overflow or of misuse.
	InvalidDim Dim = math.MinInt64
)

// atom is a factor of a normal form: a name, floor(p/k), floor(p/q), broadcast(p, q) or a
// sum p.
type atom struct {
	name string
	p, q Dim
	k    int64 // of floor(p/k); byDim of floor(p/q); whole of p; 0 otherwise
}

// byDim marks a division by a size that is no whole number.
const byDim = -1

// term is a product of atoms, in order and with repetition for powers, times a number.
type term struct {
	coef  int64
	atoms []atom
}

// polynomial is a normal form: terms with different atoms, none of them 0, in order.
type polynomial []term

// dimTable interns normal forms for the whole process, as package unique does for
// values: equal expressions have one entry. Entries are never removed, since a Dim is a
// number that the collector cannot follow. The table grows with the number of different
// expressions, not of graphs: a server that builds the same models for ever uses the same
// entries. One that makes up names as it runs, as "batch_1734", would grow by about 300
// bytes for each expression; names should be those of a model, and stay the same.
var dimTable struct {
	sync.Mutex
	byKey map[string]Dim
	list  atomic.Pointer[[]dimEntry]
}

// dimEntry is a normal form with the names in it, in alphabetical order.
type dimEntry struct {
	handle Dim
	poly   polynomial
	names  []string
}

const (
	handleBit  = uint64(1) << 63
	indexBits  = 32
	handleMask = uint64(3) << 62
)

// newHandle makes the handle of a table index. The upper bits hold a hash, by which a value
// made with Go's operators is recognised: a sum is no handle of the table, and a multiple
// is no number that could be a size. That is seen to for small multiples.
func newHandle(index int) Dim {
	for h := uint64(index + 1); ; h++ {
		h *= 0x9e3779b97f4a7c15
		d := Dim(handleBit | (h>>34)<<indexBits | uint64(index))
		if d.multiplesAreNoSizes() {
			return d
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

// poly gives d's normal form.
func (d Dim) poly() (p polynomial, ok bool) {
	switch {
	case d == UnknownDim || d == InvalidDim:
		return nil, false
	case !d.isHandle():
		if d == 0 {
			return nil, true
		}
		return polynomial{{coef: int64(d)}}, true
	}
	e := d.entry()
	if e == nil {
		return nil, false
	}
	return e.poly, true
}

// entry gives what the table holds for a handle; nil where it is none.
func (d Dim) entry() *dimEntry {
	list := dimTable.list.Load()
	index := uint64(d) & (1<<indexBits - 1)
	if list == nil || !d.isHandle() || index >= uint64(len(*list)) || (*list)[index].handle != d {
		return nil
	}
	return &(*list)[index]
}

// intern gives the Dim of a normal form.
func (p polynomial) intern() Dim {
	switch {
	case len(p) == 0:
		return 0
	case len(p) == 1 && len(p[0].atoms) == 0:
		if d := Dim(p[0].coef); !d.isHandle() {
			return d
		}
		return InvalidDim
	}
	key := p.key()
	dimTable.Lock()
	defer dimTable.Unlock()
	if d, known := dimTable.byKey[key]; known {
		return d
	}
	if dimTable.byKey == nil {
		dimTable.byKey = map[string]Dim{}
	}
	var list []dimEntry
	if old := dimTable.list.Load(); old != nil {
		list = *old
	}
	d := newHandle(len(list))
	list = append(list, dimEntry{d, p, p.names()}) // readers hold shorter slices and never see the new entry
	dimTable.list.Store(&list)
	dimTable.byKey[key] = d
	return d
}

func (p polynomial) key() string {
	var key []byte
	for _, t := range p {
		key = strconv.AppendInt(key, t.coef, 10)
		for _, a := range t.atoms {
			key = a.appendKey(key)
		}
		key = append(key, ';')
	}
	return string(key)
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

// compareAtoms orders names before other atoms, and those by their handles.
func compareAtoms(a, b atom) int {
	switch {
	case a.name != b.name:
		if a.name == "" || b.name == "" {
			return -strings.Compare(a.name, b.name)
		}
		return strings.Compare(a.name, b.name)
	case a.k != b.k:
		return int(min(max(a.k-b.k, -1), 1))
	case a.p != b.p:
		return strings.Compare(a.p.String(), b.p.String())
	}
	return strings.Compare(a.q.String(), b.q.String())
}

// compareTerms orders by degree, the highest first, then by atoms: an order that
// multiplication keeps, as division needs it.
func compareTerms(a, b term) int {
	if len(a.atoms) != len(b.atoms) {
		return len(b.atoms) - len(a.atoms)
	}
	return slices.CompareFunc(a.atoms, b.atoms, compareAtoms)
}

// normal brings terms into normal form; ok is false on overflow.
func normal(terms []term) (p polynomial, ok bool) {
	slices.SortStableFunc(terms, compareTerms)
	for _, t := range terms {
		if n := len(p); n > 0 && compareTerms(p[n-1], t) == 0 {
			if p[n-1].coef, ok = addInt(p[n-1].coef, t.coef); !ok {
				return nil, false
			}
			if p[n-1].coef == 0 {
				p = p[:n-1]
			}
			continue
		}
		if t.coef != 0 {
			p = append(p, t)
		}
	}
	return p, true
}

func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(absInt(a), absInt(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func absInt(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// combine gives the sum or the product of two sizes.
func combine(op dimOp, d, e Dim) Dim {
	if d == UnknownDim || e == UnknownDim {
		return UnknownDim
	}
	if m, whole := d.Int(); whole {
		if n, whole := e.Int(); whole {
			return op.numbers(m, n)
		}
	}
	if known, ok := dimMemo.get(op, d, e); ok {
		return known
	}
	a, okA := d.poly()
	b, okB := e.poly()
	if !okA || !okB {
		return InvalidDim
	}
	factored := op == dimProduct && staysFactored(a, b)
	if factored {
		x, fitsX := d.asFactors()
		y, fitsY := e.asFactors()
		if !fitsX || !fitsY {
			return InvalidDim
		}
		a, b = polynomial{x}, polynomial{y}
	}
	terms, ok := op.terms(a, b)
	if !ok {
		return InvalidDim
	}
	p, ok := normal(terms)
	if !ok {
		return InvalidDim
	}
	result := p.intern()
	if op == dimProduct && !factored {
		rememberFactors(result, d, e)
	}
	dimMemo.put(op, d, e, result)
	return result
}

// Plus gives d + e.
func (d Dim) Plus(e Dim) Dim {
	switch {
	case e == 0:
		return d
	case d == 0:
		return e
	}
	return combine(dimSum, d, e)
}

// Minus gives d - e.
func (d Dim) Minus(e Dim) Dim {
	if d == e && d != UnknownDim && d.Valid() {
		return 0
	}
	return d.Plus(e.Times(-1))
}

// Times gives d * e.
func (d Dim) Times(e Dim) Dim {
	switch {
	case e == 1:
		return d
	case d == 1:
		return e
	}
	return combine(dimProduct, d, e)
}

// SymbolicDim gives the named size itself: a letter or _, then letters, digits and _.
func SymbolicDim(name string) Dim {
	if !isDimName(name) {
		return InvalidDim
	}
	return namedDim(name)
}

func atomDim(a atom) Dim { return polynomial{{1, []atom{a}}}.intern() }

// Int gives the whole number that d is.
func (d Dim) Int() (int64, bool) { return int64(d), !d.isHandle() }

// IsConst reports whether d is a whole number.
func (d Dim) IsConst() bool { return !d.isHandle() }

// IsSymbolic reports whether d is an expression over named sizes.
func (d Dim) IsSymbolic() bool { return d.isHandle() && d.Valid() && d != UnknownDim }

// IsUnknown reports whether d is UnknownDim.
func (d Dim) IsUnknown() bool { return d == UnknownDim }

// Valid reports whether d means something: false after an overflow, and for a value made
// with Go's operators from an expression.
func (d Dim) Valid() bool {
	if !d.isHandle() || d == UnknownDim {
		return true
	}
	_, ok := d.poly()
	return ok
}
