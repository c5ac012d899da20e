package symbolic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/graph/symbolic"
)

// sums returns sizes "n0+1", "n1+1" and so on, and values of their names.
func sums(k int) (list graph.Shape, values map[string]int64) {
	values = map[string]int64{}
	for i := range k {
		name := fmt.Sprint("n", i)
		list, values[name] = append(list, symbolic.Named(name).Plus(1)), int64(i%3)
	}
	return list, values
}

func eval(t *testing.T, d symbolic.Dim, values map[string]int64) int64 {
	v, err := d.Eval(func(name string) (int64, bool) { v, ok := values[name]; return v, ok })
	require.NoError(t, err, d)
	return v
}

// TestLongProductsKeepTheirFactors multiplies and divides sums whose product would have
// 2^k terms.
func TestLongProductsKeepTheirFactors(t *testing.T) {
	for _, k := range []int{2, 5, 6, 7, 12, 20, 60} {
		start := time.Now()
		list, values := sums(k)
		product := list.NumElements()
		require.True(t, product.Valid())
		if k <= 20 { // what the values' product is can be counted
			want := int64(1)
			for _, d := range list {
				want *= eval(t, d, values)
			}
			require.Equal(t, want, eval(t, product, values))
			require.Equal(t, want*3+5, eval(t, product.Times(3).Plus(5), values))
		}
		for range 20 {
			shuffled := append(graph.Shape{}, list...)
			rand.Shuffle(k, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			cut := rand.IntN(k)
			left, right := shuffled[:cut].NumElements(), shuffled[cut:].NumElements()
			require.Equal(t, product, left.Times(right), "in any order and grouping")
			q, exact := product.ExactDiv(left)
			require.True(t, exact, "%s / %s", product, left)
			require.Equal(t, right, q)
			q, exact = product.Times(6).ExactDiv(left.Times(2))
			require.True(t, exact)
			require.Equal(t, right.Times(3), q)
		}
		require.Equal(t, symbolic.Dim(0), product.Minus(product))
		again, err := symbolic.Parse(product.String())
		require.NoError(t, err)
		require.Equal(t, product, again)
		require.Less(t, len(product.String()), 2000)
		_, exact := product.ExactDiv(symbolic.Named("n0").Plus(2))
		require.False(t, exact)
		part := product.Subst("n0", 1)
		require.Equal(t, list[1:].NumElements().Times(2), part,
			"of fewer factors, the same as if it had been made of them")
		require.Less(t, time.Since(start), 5*time.Second)
	}
}

// TestSumsOfLongProducts compares what sizes give with numbers.
func TestSumsOfLongProducts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		list, values := sums(10)
		d, want := symbolic.Dim(1), int64(1)
		for range 14 {
			e := list[random.IntN(len(list))]
			v := eval(t, e, values)
			switch random.IntN(6) {
			case 0:
				d, want = d.Plus(e), want+v
			case 1:
				d, want = d.Minus(e.Times(2)), want-2*v
			case 2:
				if d, want = d.FloorDiv(3), want/3-b2i(want%3 < 0); d == 0 {
					d, want = 1, 1
				}
			default:
				d, want = d.Times(e), want*v
			}
			require.Equal(t, want, eval(t, d, values), d)
			name := fmt.Sprint("n", random.IntN(len(list)))
			substituted := d.Subst(name, symbolic.Dim(values[name]))
			require.Equal(t, want, eval(t, substituted, values), "%s with %s = %d", d, name, values[name])
		}
	}
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// TestSizesDoNotDependOnSizesBefore computes sizes in two orders, each with names of its own, since
// equal sizes are one in the whole process: those that were multiplied and those that were added
// are divided in the same way.
func TestSizesDoNotDependOnSizesBefore(t *testing.T) {
	const programs = 400
	computed := func(seed uint64, names ...string) (text string) {
		rng := rand.New(rand.NewPCG(23, seed))
		name := func() symbolic.Dim { return symbolic.Named(names[rng.IntN(len(names))]) }
		size := func() symbolic.Dim {
			d := name().Plus(1)
			for range 1 + rng.IntN(2) {
				x, y := name(), symbolic.Dim(1+rng.IntN(2))
				if rng.IntN(2) == 0 {
					d = d.Times(x.Plus(y)) // of which the factors are seen
				} else {
					d = d.Times(x).Plus(d.Times(y))
				}
			}
			return d
		}
		for range 3 {
			q := size().DividedBy(size())
			text += fmt.Sprintln(q, q.Times(size()), q.Plus(1).DividedBy(size()))
		}
		return text
	}
	var forward []string
	for seed := range uint64(programs) {
		forward = append(forward, computed(seed, "a0", "b0", "c0"))
	}
	for seed := uint64(programs); seed > 0; seed-- {
		backward := strings.NewReplacer("a1", "a0", "b1", "b0", "c1", "c0").Replace(computed(seed-1, "a1", "b1", "c1"))
		require.Equal(t, forward[seed-1], backward, "program %d", seed-1)
	}
}

// TestSumsHaveTheirFactors divides sums that were added up by sums: what they have in common is found.
func TestSumsHaveTheirFactors(t *testing.T) {
	for _, c := range [][3]string{
		{"n*m+n+m+1", "n*q+n+q+1", "(m+1)/(q+1)"},
		{"n*n-m*m", "n*n+2*n*m+m*m", "(n-m)/(n+m)"},
		{"n*n*n+6*n*n+11*n+6", "n*n+3*n+2", "n+3"},
		{"6*n*n+5*n+1", "4*n*n-1", "(3*n+1)/(2*n-1)"},
		{"2*n*n*m-2*m*m*m", "4*n*m+4*m*m", "(n-m)/2"},
		{"n*n*m*m-1", "n*n*n*m*m*m-1", "(n*m+1)/(n*n*m*m+n*m+1)"},
		{"(n/k+1)*m*q+(n/k+1)*m", "(q+1)*(n+k)", "m/k"},
		{"n*n-m*m", "m*m-n*n", "-1"},
	} {
		assert.Equal(t, parsed(t, c[2]), parsed(t, c[0]).DividedBy(parsed(t, c[1])), "(%s) / (%s)", c[0], c[1])
	}
}
