package shapeinfer_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer"
)

// FuzzSymbolicSizes compares the verdicts on a random program with named sizes with those on the same program with
// numbers in their place, for all small numbers: what is proved holds for all of them, what is refuted for none, and
// binding agrees with each.
func FuzzSymbolicSizes(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { compareWithNumbers(t, seed, &tally{}) })
}

func TestSymbolicSizesAgreeWithNumbers(t *testing.T) {
	var count tally
	for seed := range uint64(200) {
		compareWithNumbers(t, 3000+seed, &count)
	}
	t.Logf("%+v", count)
	// What is certain must be seen to be so nearly always.
	if float64(count.proved) < 0.97*float64(count.always) {
		t.Errorf("only %d of %d programs that are always valid were proved", count.proved, count.always)
	}
	if float64(count.refused) < 0.8*float64(count.never) { // some are valid for larger numbers than were tried
		t.Errorf("only %d of %d programs that are never valid were refused", count.refused, count.never)
	}
}

// tally counts programs under Numpy names.
type tally struct{ always, proved, never, refused, sometimes int }

func compareWithNumbers(t *testing.T, seed uint64, count *tally) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	p := newProgram(rng)
	g, values := p.build(nil)
	report := shapeinfer.Check(g)
	refused, proved := report.Err() != nil, report.Err() == nil && len(report.Requirements) == 0
	tried, valid := 0, 0
	for _, at := range p.assignments(rng) {
		tried++
		numbers, results := p.build(at)
		ok := shapeinfer.Check(numbers).Err() == nil
		if ok {
			valid++
		}
		switch {
		case proved && !ok:
			t.Fatalf("seed %d: proved, but not valid for %v: %v\n%s", seed, at, shapeinfer.Check(numbers), &p)
		case refused && ok && p.policy.Names == graph.Numpy:
			t.Fatalf("seed %d: refused, but valid for %v: %v\n%s", seed, at, report, &p)
		case !refused:
			compareBinding(t, seed, &p, g, report, values, results, at, ok)
		}
	}
	if p.policy.Names != graph.Numpy || tried == 0 {
		return
	}
	switch {
	case valid == tried:
		count.always++
		if proved {
			count.proved++
		} else if testing.Verbose() {
			t.Logf("seed %d: always valid, not proved: %v\n%s", seed, report, &p)
		}
	case valid == 0:
		count.never++
		if refused {
			count.refused++
		} else if testing.Verbose() {
			t.Logf("seed %d: never valid, not refused: %v\n%s", seed, report, &p)
		}
	default:
		count.sometimes++
	}
}

// assignments lists numbers for the names within their bounds that leave no size of an
// input negative: all small ones where they are few, else some,
// and some larger ones.
func (p *program) assignments(rng *rand.Rand) (list []map[string]int64) {
	const most = 9
	for n := range int64(most) {
		for m := range int64(most) {
			for k := range int64(most) {
				if at := (map[string]int64{"n": n, "m": m, "k": k}); p.allows(at) && p.mentions(at) {
					list = append(list, at)
				}
			}
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(len(list), 200)]
	for range 60 { // what holds for no small numbers may hold for larger ones
		if at := (map[string]int64{"n": rng.Int64N(60), "m": rng.Int64N(60), "k": rng.Int64N(60)}); p.allows(at) {
			list = append(list, at)
		}
	}
	return list
}

// mentions leaves one assignment where a name does not occur in the program.
func (p *program) mentions(at map[string]int64) bool {
	for _, name := range sizeNames {
		b := p.bounds[name]
		least := b.Min
		if k := max(b.Multiple, 1); least%k != 0 {
			least += k - least%k
		}
		if at[name] != least && !slices.ContainsFunc(p.steps, func(s step) bool {
			return slices.ContainsFunc(s.sizes, func(d graph.Dim) bool { return slices.Contains(d.Symbols(), name) })
		}) {
			return false
		}
	}
	return true
}

func (p *program) allows(at map[string]int64) bool {
	for name, b := range p.bounds {
		if v := at[name]; v < b.Min || b.Max > 0 && v > b.Max || b.Multiple > 1 && v%b.Multiple != 0 {
			return false
		}
	}
	if p.equal != nil {
		lookup := func(name string) (int64, bool) { return at[name], true }
		a, errA := p.equal[0].Eval(lookup)
		b, errB := p.equal[1].Eval(lookup)
		if errA != nil || errB != nil || a != b {
			return false
		}
	}
	for _, s := range p.steps {
		for _, d := range s.sizes {
			v, err := d.Eval(func(name string) (int64, bool) { return at[name], true })
			if err != nil || v < 0 && !d.IsConst() {
				return false
			}
		}
	}
	return true
}

func compareBinding(t *testing.T, seed uint64, p *program, g *graph.Graph, report *shapeinfer.Report, values,
	results []*graph.Node, at map[string]int64, ok bool) {
	t.Helper()
	var inputs []shapeinfer.Bound
	inInputs := map[string]bool{}
	for i, s := range p.steps {
		if s.op != "input" {
			continue
		}
		sizes, _ := results[i].Shape().Ints()
		inputs = append(inputs, shapeinfer.Bound{Node: values[i], Shape: sizes})
		for _, d := range s.sizes {
			for _, name := range d.Symbols() {
				inInputs[name] = true
			}
		}
	}
	byHand := shapeinfer.Sizes{}
	for name, v := range at {
		if !inInputs[name] {
			byHand[name] = v
		}
	}
	bound, err := shapeinfer.Bind(g, inputs, report.Requirements, byHand)
	switch {
	case err == nil && !ok:
		t.Fatalf("seed %d: %v is bound, and not valid\n%s", seed, at, p)
	case err != nil && ok && p.policy.Names == graph.Numpy:
		// Sizes that inputs leave open cannot be bound; all of them by hand can.
		if bound, err = shapeinfer.Bind(g, inputs, report.Requirements, at); err != nil {
			t.Fatalf("seed %d: %v is valid, and not bound: %v\n%s", seed, at, err, p)
		}
	}
	if err != nil {
		return
	}
	for i, v := range values {
		for axis, d := range v.Shape() {
			got, err := d.Eval(bound.Lookup)
			if want, _ := results[i].Shape()[axis].Int(); err != nil || got != want {
				t.Fatalf("seed %d: x%d has shape %s, at %v axis %d is %d (%v), not %d\n%s", seed, i, v.Shape(), at,
					axis, got, err, want, p)
			}
		}
	}
}
