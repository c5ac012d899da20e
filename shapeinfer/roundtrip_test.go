package shapeinfer_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer"
)

var (
	roundTrips     = flag.Int("roundtrips", 600, "random programs of reshapes, splits and slices")
	roundTripsFrom = flag.Uint64("roundtripsfrom", 0, "seed of the first one")
)

// each calls f with all values that the names may take up to a number, and with large ones.
func (t *trip) each(most int64, large []int64, f func(values)) {
	at := values{}
	var visit func(names []string)
	visit = func(names []string) {
		if len(names) == 0 {
			f(at)
			return
		}
		b := t.g.Bounds(names[0])
		try := func(n int64) {
			if n >= b.Min && (b.Max == 0 || n <= b.Max) && n%max(b.Multiple, 1) == 0 {
				at[names[0]] = n
				visit(names[1:])
			}
		}
		for n := range most + 1 {
			try(n)
		}
		for _, n := range large {
			try(n)
		}
	}
	visit(t.names)
}

// allows reports whether the requirements hold, and every value has a shape.
func (t *trip) allows(r *shapeinfer.Report, at values) bool {
	lookup := func(name string) (int64, bool) { v, ok := at[name]; return v, ok }
	for _, need := range r.Requirements {
		a, errA := need.A.Eval(lookup)
		b, errB := need.B.Eval(lookup)
		if errA != nil || errB != nil || !prove.Holds(need.Kind, a, b) {
			return false
		}
	}
	for _, n := range t.g.Nodes() {
		for _, d := range n.Shape() {
			if v, err := d.Eval(lookup); err != nil || v < 0 {
				return false
			}
		}
	}
	return true
}

// TestRoundTrips takes values apart and puts them together at random and compares the verdict
// with the truth for all small sizes: what is refused is right for none of them, what is proved
// is right for all, and what is left to binding allows the right ones and no others.
func TestRoundTrips(t *testing.T) {
	counts := map[string]int{}
	for seed := *roundTripsFrom; seed < *roundTripsFrom+uint64(*roundTrips); seed++ {
		counts[judgeTrip(t, seed)]++
	}
	t.Log(counts)
}

// TestRoundTripsFoundWrong judges the programs that were judged wrong once.
func TestRoundTripsFoundWrong(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		of   string
	}{
		{11231, "m+n is a multiple of m where n is"},
		{21488, "an axis that is a sum divided by a name, beside one that is divided again"},
		{24726, "axes whose product is a sum, beside one that is divided again"},
		{40145, "an axis with a half, beside one that is divided again"},
		{59619, "an axis that is a sum with a quotient, beside one that is divided again"},
		{8265, "a nested sum of quotients is never negative"},
		{8644, "a multiple of m+m/2"},
		{37396, "a third of a sum with a quotient times a name"},
		{71142, "a sum with a quotient times a name is divided again"},
		{92003, "a product with the half of a sum is never negative"},
	} {
		t.Run(c.of, func(t *testing.T) { judgeTrip(t, c.seed) })
	}
}

// largeSizes are sizes beyond the small ones, of different remainders: of those that are always
// right, some large one is wrong of many that only look so.
var largeSizes = []int64{996, 997, 1000, 1001}

// TestVerdictsDoNotDependOnProgramsBefore checks programs in two orders, each with names of its own, since equal sizes
// are one size in the whole process. The verdicts are the same.
func TestVerdictsDoNotDependOnProgramsBefore(t *testing.T) {
	const programs = 500
	said := func(seed uint64, names ...string) string {
		p := newTrip(rand.New(rand.NewPCG(19, seed)), names...)
		return fmt.Sprintf("%s\n%s\n%s", strings.Join(p.told, "\n"), p.x.Shape(), shapeinfer.Check(p.g))
	}
	forward := make([]string, programs)
	for seed := range uint64(programs) {
		forward[seed] = said(seed, "n0", "m0", "k0")
	}
	for seed := uint64(programs); seed > 0; seed-- {
		backward := strings.NewReplacer("n1", "n0", "m1", "m0", "k1", "k0").Replace(said(seed-1, "n1", "m1", "k1"))
		require.Equal(t, forward[seed-1], backward, "program %d", seed-1)
	}
}

// judgeTrip compares the verdict on the program of a seed with the truth, and returns it.
func judgeTrip(t *testing.T, seed uint64) string {
	p := newTrip(rand.New(rand.NewPCG(17, seed)), "n", "m", "k")
	r := shapeinfer.Check(p.g)
	program := fmt.Sprintf("seed %d\n%s\n%s", seed, strings.Join(p.told, "\n"), r)
	right, emptyRight, wrong := 0, 0, 0
	var misjudged values
	p.each(9, nil, func(at values) {
		shape, ok := p.truth(at)
		if isEmpty := slices.Contains(slices.Collect(maps.Values(at)), 0); ok && isEmpty && p.isStrict() {
			emptyRight++ // values without elements fit all shapes that have none
		} else if ok {
			right++
		} else {
			wrong++
		}
		if len(r.Errors) == 0 && misjudged == nil && (p.allows(r, at) != ok || ok && !p.hasShape(shape, at)) {
			misjudged = maps.Clone(at)
		}
	})
	assert.Nil(t, misjudged, "%s\n%s", p.x.Shape(), program)
	if wrong == 0 && len(r.Errors)+len(r.Requirements) > 0 { // whether that is so of large sizes too
		p.each(40, largeSizes, func(at values) {
			if _, ok := p.truth(at); !ok {
				wrong++
			}
		})
	}
	switch {
	case len(r.Errors) > 0:
		assert.Zero(t, right, "refused, and right for %d sizes: %s", right, program)
		return "refused"
	case wrong > 0 || right+emptyRight == 0:
		return "left to binding"
	case len(r.Requirements) > 0:
		assert.Fail(t, "right for all sizes, and not proved", program)
	}
	return "proved"
}

// hasShape reports whether the value that is computed last has a shape.
func (t *trip) hasShape(shape []int64, at values) bool {
	for axis, want := range shape {
		v, err := t.x.Shape()[axis].Eval(func(name string) (int64, bool) { return at[name], true })
		if err != nil || v != want {
			return false
		}
	}
	return true
}
