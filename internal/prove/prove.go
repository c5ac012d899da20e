package prove

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/broadloom/broadloom/graph"
)

// Verdict is the judgement of a requirement before sizes are known.
type Verdict uint8

// The verdicts.
const (
	Deferred Verdict = iota // holds for some sizes, or nobody knows
	Proved                  // holds for all sizes
	Refused                 // holds for no size
)

// Prover judges statements about sizes for all values that the names may take. Its positive and negative answers are
// certain; Deferred means nothing.
type Prover struct{ bounds graph.BoundsOf }

// NewProver makes a prover that knows the declared bounds of each name.
func NewProver(b graph.BoundsOf) *Prover { return &Prover{b} }

// Equal judges a == b.
func (p *Prover) Equal(a, b graph.Dim) Verdict {
	if a == b && a.Valid() {
		return Proved
	}
	return p.Judge(graph.Requirement{Kind: graph.MustEqual, A: a, B: b})
}

// NotEqual reports whether a differs from b for all sizes.
func (p *Prover) NotEqual(a, b graph.Dim) bool { return p.Equal(a, b) == Refused }

// Differ reports whether two shapes differ for all sizes.
func (p *Prover) Differ(a, b graph.Shape) bool {
	if len(a) != len(b) {
		return true
	}
	for axis := range a {
		if p.NotEqual(a[axis], b[axis]) {
			return true
		}
	}
	return false
}

// AtLeast judges d >= k.
func (p *Prover) AtLeast(d graph.Dim, k int64) Verdict {
	return p.Judge(graph.Requirement{Kind: graph.MustBeAtLeast, A: d, B: graph.Dim(k)})
}

// Divisible judges whether d is a multiple of k.
func (p *Prover) Divisible(d graph.Dim, k int64) Verdict {
	if k < 1 {
		return Deferred
	}
	return p.Judge(graph.Requirement{Kind: graph.MustBeMultipleOf, A: d, B: graph.Dim(k)})
}

// Judge answers from the form of the sizes, from memory, or by a search.
func (p *Prover) Judge(r graph.Requirement) Verdict {
	if !IsJudgeable(r.A) || !IsJudgeable(r.B) {
		return Deferred
	}
	if a, static := r.A.Int(); static {
		if b, static := r.B.Int(); static {
			if Holds(r.Kind, a, b) {
				return Proved
			}
			return Refused
		}
	}
	q := question{r.Kind, r.A, r.B, p.fingerprint(r.A, r.B)}
	if v, known := answers.get(q); known {
		return v
	}
	v := Proved
	if !p.isPlain(r) {
		canHold, canFail := tryOut(p.bounds, r)
		v = NewSystem(p.bounds).Judge(r, canHold, canFail)
	}
	answers.put(q, v)
	return v
}

// isPlain reports whether a requirement obviously holds once its sizes are one fraction: the difference of equal sizes
// has the numerator 0, and a product of factors that are not negative is not negative.
func (p *Prover) isPlain(r graph.Requirement) bool {
	n, m := r.A.Minus(r.B).LowestTerms(1)
	switch r.Kind {
	case graph.MustEqual:
		return n == 0
	case graph.MustBeAtLeast:
		factors := slices.Concat(n.Factors(), m.Factors())
		isFactor := func(f graph.Dim) bool { return f == r.A.Minus(r.B) || p.AtLeast(f, 0) != Proved }
		return !slices.ContainsFunc(factors, isFactor)
	}
	return false
}

// IsJudgeable reports whether a size is known well enough for a judgement.
func IsJudgeable(d graph.Dim) bool { return d.Valid() && !d.IsUnknown() }

// Holds evaluates a requirement.
func Holds(kind graph.RequirementKind, a, b int64) bool {
	switch kind {
	case graph.MustEqual:
		return a == b
	case graph.MustBroadcast:
		return a == b || a == 1 || b == 1
	case graph.MustEqualOrOne:
		return a == b || b == 1
	case graph.MustBeAtLeast:
		return a >= b
	case graph.MustDiffer:
		return a != b
	}
	return b != 0 && a%b == 0
}

// question is a requirement together with everything on which its answer depends.
type question struct {
	kind   graph.RequirementKind
	a, b   graph.Dim
	bounds uint64
}

var seed = maphash.MakeSeed()

// fingerprint identifies what is known of the names in the sizes.
func (p *Prover) fingerprint(sizes ...graph.Dim) uint64 {
	h := uint64(0)
	for _, d := range sizes {
		for _, name := range d.Symbols() {
			b := p.bounds(name)
			h = h*31 + maphash.Comparable(seed, b)
			if b.Is != 0 {
				h = h*31 + p.fingerprint(b.Is)
			}
		}
	}
	return h
}

// answers remembers what was proved, since the layers of a deep model ask the same questions.
var answers = memory{known: map[question]Verdict{}}

// maxAnswers bounds the memory. When it is full, it is cleared.
const maxAnswers = 1 << 14

type memory struct {
	sync.Mutex
	known map[question]Verdict
}

func (m *memory) get(q question) (v Verdict, known bool) {
	m.Lock()
	defer m.Unlock()
	v, known = m.known[q]
	return v, known
}

func (m *memory) put(q question, v Verdict) {
	m.Lock()
	defer m.Unlock()
	if len(m.known) >= maxAnswers {
		clear(m.known)
	}
	m.known[q] = v
}
