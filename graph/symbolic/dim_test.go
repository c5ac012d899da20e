package symbolic_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph/symbolic"
)

// expr is a size as a tree, with an evaluator of its own: big numbers and no normal form.
type expr struct {
	op   string // "number", "name", "+", "-", "*", "floor", "mod", "ceil"
	n    int64
	name string
	a, b *expr
}

func randomExpr(rng *rand.Rand, depth int) *expr {
	if depth == 0 || rng.IntN(6) == 0 {
		if rng.IntN(2) == 0 {
			return &expr{op: "number", n: rng.Int64N(13) - 6}
		}
		return &expr{op: "name", name: []string{"n", "m", "k"}[rng.IntN(3)]}
	}
	a := randomExpr(rng, depth-1)
	switch op := []string{"+", "+", "-", "-", "*", "floor", "floor", "mod", "ceil"}[rng.IntN(9)]; op {
	case "+", "-", "*":
		return &expr{op: op, a: a, b: randomExpr(rng, depth-1)}
	default:
		return &expr{op: op, a: a, n: 1 + rng.Int64N(6)}
	}
}

func (e *expr) dim() symbolic.Dim {
	switch e.op {
	case "number":
		return symbolic.Dim(e.n)
	case "name":
		return symbolic.Named(e.name)
	case "+":
		return e.a.dim().Plus(e.b.dim())
	case "-":
		return e.a.dim().Minus(e.b.dim())
	case "*":
		return e.a.dim().Times(e.b.dim())
	case "floor":
		return e.a.dim().FloorDiv(e.n)
	case "mod":
		return e.a.dim().Mod(e.n)
	}
	return e.a.dim().CeilDiv(e.n)
}

func (e *expr) value(at map[string]int64) *big.Int {
	switch e.op {
	case "number":
		return big.NewInt(e.n)
	case "name":
		return big.NewInt(at[e.name])
	}
	a, k := e.a.value(at), big.NewInt(e.n)
	switch e.op {
	case "+":
		return a.Add(a, e.b.value(at))
	case "-":
		return a.Sub(a, e.b.value(at))
	case "*":
		return a.Mul(a, e.b.value(at))
	case "floor":
		return floor(a, k)
	case "mod":
		return new(big.Int).Mod(a, k) // Euclid's remainder: 0..k-1
	}
	return new(big.Int).Neg(floor(new(big.Int).Neg(a), k))
}

// floor rounds down; big.Int.Div does for positive divisors.
func floor(a, k *big.Int) *big.Int { return new(big.Int).Div(a, k) }

func assignment(rng *rand.Rand) map[string]int64 {
	at := map[string]int64{}
	for _, name := range []string{"n", "m", "k"} {
		at[name] = rng.Int64N(40)
	}
	return at
}

func lookup(at map[string]int64) func(string) (int64, bool) {
	return func(name string) (int64, bool) {
		v, ok := at[name]
		return v, ok
	}
}

func TestDimHasTheValueOfItsExpression(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 4000 {
		e := randomExpr(rng, 4)
		d := e.dim()
		require.True(t, d.Valid())
		read, err := symbolic.Parse(d.String())
		require.NoError(t, err, d.String())
		require.Equal(t, d, read, "%s is read back as %s", d, read)
		for range 5 {
			at := assignment(rng)
			got, err := d.Eval(lookup(at))
			require.NoError(t, err)
			require.Equal(t, e.value(at).String(), fmt.Sprint(got), "%s at %v", d, at)
		}
	}
}

func TestDimSubstitutesAsItEvaluates(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 1500 {
		d, by := randomExpr(rng, 3).dim(), randomExpr(rng, 2).dim()
		s := d.Subst("n", by)
		for range 4 {
			at := assignment(rng)
			n, err := by.Eval(lookup(at))
			require.NoError(t, err)
			got, err := s.Eval(lookup(at))
			require.NoError(t, err)
			at["n"] = n
			want, err := d.Eval(lookup(at))
			require.NoError(t, err)
			require.Equal(t, want, got, "%s with n = %s", d, by)
		}
	}
}

func TestEqualSizesHaveOneNormalForm(t *testing.T) {
	for _, c := range [][2]string{
		{"n+m", "m+n"},
		{"(n+1)*(n-1)", "n*n-1"},
		{"2*(n+m)-m", "2*n+m"},
		{"n-n", "0"},
		{"(4*n+6)//2", "2*n+3"},
		{"(4*n+7)//2", "2*n+3"},
		{"(6*n+3)//4", "n+(2*n+3)//4"},
		{"(n//2)//3", "n//6"},
		{"(n//2+1)//3", "(n+2)//6"},
		{"(2*n+1)//4", "n//2"},
		{"(n-3)//2", "(n+1)//2-2"},
		{"mod(n+6, 3)", "mod(n, 3)"},
		{"mod(3*n+2, 3)", "2"},
		{"div(n*m+m, m)", "n+1"},
		{"div(6*n, 2*n)", "3"},
		{"broadcast(n, m)", "broadcast(m, n)"},
		{"broadcast(n, 1)", "n"},
		{"broadcast(n, 4)", "4"},
		{"min(n, m)", "min(m, n)"},
		{"min(n+1, n)", "n"},
		{"min(3, 5)", "3"},
		{"floor((h-1)/2)+1", "floor((h+1)/2)"},
	} {
		a, err := symbolic.Parse(c[0])
		require.NoError(t, err)
		b, err := symbolic.Parse(c[1])
		require.NoError(t, err)
		assert.Equal(t, a, b, "%s is %s, and %s is %s", c[0], a, c[1], b)
	}
}

func TestDifferentSizesDiffer(t *testing.T) {
	for _, c := range [][2]string{{"n", "m"}, {"n//2", "n//3"}, {"2*(n//2)", "n"}, {"n*m", "n+m"},
		{"broadcast(n, m)", "n"}, {"min(n, m)", "n"}, {"min(n, m)", "broadcast(n, m)"}, {"div(n, m)", "div(m, n)"}} {
		a, _ := symbolic.Parse(c[0])
		b, _ := symbolic.Parse(c[1])
		assert.NotEqual(t, a, b, "%s and %s", c[0], c[1])
	}
}

func TestExactDivision(t *testing.T) {
	n, m := symbolic.Named("n"), symbolic.Named("m")
	q, ok := n.Times(m).Times(6).Plus(m.Times(4)).ExactDiv(m.Times(2))
	assert.True(t, ok)
	assert.Equal(t, n.Times(3).Plus(2), q)
	for _, by := range []symbolic.Dim{4, n, m.Plus(1), 0} {
		_, ok = n.Times(m).Times(6).Plus(m.Times(4)).ExactDiv(by)
		assert.False(t, ok, "by %s", by)
	}
	v, err := n.FloorDivBy(m).Eval(lookup(map[string]int64{"n": 17, "m": 5}))
	require.NoError(t, err)
	assert.EqualValues(t, 3, v)
	_, err = n.FloorDivBy(m).Eval(lookup(map[string]int64{"n": 17, "m": 0}))
	assert.ErrorContains(t, err, "divides by 0")
}

func TestDivisionByNumbersBelowOneIsInvalid(t *testing.T) {
	n := symbolic.Named("n")
	for _, k := range []int64{0, -1, math.MinInt64} {
		assert.False(t, n.FloorDiv(k).Valid(), "floor(n/%d)", k)
		assert.False(t, symbolic.Dim(7).FloorDiv(k).Valid(), "floor(7/%d)", k)
		assert.False(t, n.Mod(k).Valid(), "mod(n, %d)", k)
	}
}

func TestOverflowIsInvalid(t *testing.T) {
	n := symbolic.Named("n")
	big := symbolic.Dim(1 << 40)
	for name, d := range map[string]symbolic.Dim{
		"number":      big.Times(big),
		"sum":         symbolic.Dim(1<<62 - 1).Plus(1<<62 - 1).Plus(1<<62 - 1),
		"coefficient": n.Times(big).Times(big),
		"coefficient of a sum": n.Times(1 << 61).Plus(n.Times(1 << 61)).Plus(
			n.Times(1 << 61)).Plus(n.Times(1 << 61)),
		"what is computed from that": n.Times(big).Times(big).Plus(1),
		"a divided one":              n.Times(big).Times(big).FloorDiv(2),
	} {
		assert.False(t, d.Valid(), "%s: %s", name, d)
	}
	_, err := n.Times(big).Eval(lookup(map[string]int64{"n": 1 << 40}))
	assert.ErrorContains(t, err, "overflow")
}

func TestUnknownSizeStaysUnknown(t *testing.T) {
	n := symbolic.Named("n")
	for _, d := range []symbolic.Dim{
		symbolic.Unknown.Plus(n), n.Minus(symbolic.Unknown), symbolic.Unknown.Times(2), symbolic.Unknown.FloorDiv(2),
		symbolic.Unknown.Minus(symbolic.Unknown), symbolic.Broadcast(n, symbolic.Unknown), symbolic.Unknown.Mod(3),
		n.FloorDivBy(symbolic.Unknown),
	} {
		assert.True(t, d.IsUnknown(), "%s", d)
	}
	_, err := symbolic.Unknown.Eval(lookup(nil))
	assert.Error(t, err)
}

func TestSizesAreBuiltConcurrently(t *testing.T) {
	var wg sync.WaitGroup
	results := make([][]symbolic.Dim, 8)
	for w := range results {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(3, 3)) // the same expressions in all
			for i := range 300 {
				d := randomExpr(rng, 3).dim().Plus(symbolic.Named(fmt.Sprintf("c%d", i%50)))
				results[w] = append(results[w], d)
				_, _ = d.Eval(lookup(map[string]int64{"n": 1, "m": 2, "k": 3}))
			}
		})
	}
	wg.Wait()
	for w := range results {
		assert.Equal(t, results[0], results[w])
	}
}

func TestBroadcastSizeIsThatOfTheOtherWhereOneIsOne(t *testing.T) {
	d := symbolic.Broadcast(symbolic.Named("n"), symbolic.Named("m"))
	for _, c := range [][3]int64{{1, 7, 7}, {7, 1, 7}, {5, 5, 5}, {1, 1, 1}, {1, 0, 0}} {
		v, err := d.Eval(lookup(map[string]int64{"n": c[0], "m": c[1]}))
		require.NoError(t, err)
		assert.Equal(t, c[2], v)
	}
}

func TestNoNameNoSize(t *testing.T) {
	for _, name := range []string{"", "2n", "a b", "n+1", "-", "a.b"} {
		assert.False(t, symbolic.Named(name).Valid(), "%q", name)
	}
	for _, name := range []string{"n", "_x", "batch_2", "größe", "Ж"} {
		assert.True(t, symbolic.Named(name).Valid(), "%q", name)
	}
}

// BenchmarkDimArithmetic shows what a size costs that was computed before: nothing is
// allocated.
func BenchmarkDimArithmetic(b *testing.B) {
	n, m := symbolic.Named("n"), symbolic.Named("m")
	for name, f := range map[string]func() symbolic.Dim{
		"numbers": func() symbolic.Dim { return symbolic.Dim(3).Times(4).Plus(5) },
		"plus":    func() symbolic.Dim { return n.Plus(m) },
		"times":   func() symbolic.Dim { return n.Times(m) },
		"minus":   func() symbolic.Dim { return n.Minus(m) },
		"conv":    func() symbolic.Dim { return n.Plus(2).Minus(3).FloorDiv(2).Plus(1) },
		"sym":     func() symbolic.Dim { return symbolic.Named("n") },
		"evaluate": func() symbolic.Dim {
			v, _ := n.Times(m).Eval(func(string) (int64, bool) { return 3, true })
			return symbolic.Dim(v)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}

func TestArithmeticThatWasDoneBeforeAllocatesNothing(t *testing.T) {
	n, m := symbolic.Named("n"), symbolic.Named("m")
	compute := func() { n.Plus(2).Minus(m).FloorDiv(2).Plus(1).Times(m) }
	compute()
	assert.Zero(t, testing.AllocsPerRun(100, compute))
}
