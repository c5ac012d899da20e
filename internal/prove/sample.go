package prove

import (
	"github.com/broadloom/broadloom/graph"
)

// Samples tests requirements on a few sizes. This usually finds sizes that satisfy a requirement and others that do
// not, without a search.
type Samples struct {
	bounds graph.BoundsOf
	names  []string
	at     map[string]int // the places of names
	values []int64        // of names; -1: not looked up yet
	round  int
}

// Rounds is the number of assignments that are tested.
const Rounds = 7

// newSamples prepares trials for sizes. ok is false if they contain parts whose meaning depends on other requirements,
// which a trial would have to satisfy.
func newSamples(bounds graph.BoundsOf, list ...graph.Dim) (s *Samples, ok bool) {
	for _, d := range list {
		if !IsPlain(d) {
			return nil, false
		}
	}
	return SamplesOf(bounds, NamesOf(bounds, list...)), true
}

// SamplesOf prepares trials for named sizes.
func SamplesOf(bounds graph.BoundsOf, names []string) *Samples {
	s := &Samples{bounds: bounds, names: names, values: make([]int64, len(names)), at: map[string]int{}}
	for i, name := range names {
		s.at[name] = i
	}
	return s
}

// IsPlain reports whether a size contains no broadcast and no rounded division by a size.
func IsPlain(d graph.Dim) bool {
	if !IsJudgeable(d) {
		return false
	}
	plain := true
	if d.IsSymbolic() {
		d.Terms(func(_ int64, factors []graph.Factor) {
			for _, f := range factors {
				plain = plain && (f.Name != "" || (f.K > 0 || f.IsSum()) && IsPlain(f.P) ||
					(f.IsMin() || f.IsQuotient()) && IsPlain(f.P) && IsPlain(f.Q))
			}
		})
	}
	return plain
}

// Start begins a round; ok is false if its sizes are not allowed.
func (s *Samples) Start(round int) (ok bool) {
	s.round = round
	for i := range s.values {
		s.values[i] = -1
	}
	for i := range s.names {
		if v := s.value(i); v < 0 {
			return false
		}
	}
	return true
}

// value returns the size of a name in this round, or a negative number if it would not be allowed.
func (s *Samples) value(i int) int64 {
	if s.values[i] != -1 {
		return s.values[i]
	}
	b := s.bounds(s.names[i])
	k := max(b.Multiple, 1)
	v := b.Min
	switch at := int64(i); s.round {
	case 1:
		v = b.Min + k
	case 2:
		v = max(b.Min, 24)
	case 3:
		v = b.Min + k*(at+1)
	case 4:
		v = max(b.Min, 1)
	case 5:
		v = b.Min + k*(5*at+3)
	case 6:
		v = max(b.Min, 35)
	}
	v = (v + k - 1) / k * k
	if b.Max > 0 {
		v = min(v, b.Max/k*k)
	}
	if b.Is != 0 {
		is, err := b.Is.Eval(s.Lookup)
		if v = is; err != nil || v < b.Min || b.Max > 0 && v > b.Max || v%k != 0 {
			v = -2
		}
	}
	s.values[i] = v
	return v
}

// Lookup returns the value of a name, for Dim.Eval.
func (s *Samples) Lookup(name string) (int64, bool) {
	i, known := s.at[name]
	if !known {
		return 0, false
	}
	v := s.value(i)
	return v, v >= 0
}

// Holds evaluates a requirement in this round.
func (s *Samples) Holds(r graph.Requirement) (yes, ok bool) {
	a, errA := r.A.Eval(s.Lookup)
	b, errB := r.B.Eval(s.Lookup)
	return errA == nil && errB == nil && Holds(r.Kind, a, b), errA == nil && errB == nil
}

// tryOut reports whether it found sizes that satisfy a requirement, and sizes that do not.
func tryOut(bounds graph.BoundsOf, r graph.Requirement) (canHold, canFail bool) {
	s, ok := newSamples(bounds, r.A, r.B)
	for round := range Rounds {
		if !ok || canHold && canFail {
			break
		}
		if s.Start(round) {
			yes, known := s.Holds(r)
			canHold = canHold || yes
			canFail = canFail || known && !yes
		}
	}
	return canHold, canFail
}
