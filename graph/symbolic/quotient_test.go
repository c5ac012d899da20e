package symbolic_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph/symbolic"
)

func parsed(t *testing.T, s string) symbolic.Dim {
	d, err := symbolic.Parse(s)
	require.NoError(t, err, s)
	return d
}

func TestQuotientsCancel(t *testing.T) {
	for _, c := range [][2]string{
		{"k*(b/k)", "b"},
		{"k*(b/(k*m))", "b/m"},
		{"(b*d*t)/(8*b*t)", "d/8"},
		{"8*(d/8)", "d"},
		{"12*(d/8)", "d+d/2"},
		{"d/8+d/8", "d/4"},
		{"d/2+d/2", "d"},
		{"n-d/2", "n-d+d/2"},
		{"(k+1)*(b/(k+1))", "b"},
		{"k*(b/(k+1))+b/(k+1)", "b"},
		{"(b/k)/m", "b/(k*m)"},
		{"b/(b/k)", "k"},
		{"(n*k+b)/k", "n+b/k"},
		{"(d+11)/8", "(d+3)/8+1"},
		{"(3*d)/8", "3*(d/8)"},
		{"(d/8)//2", "d//16"},
		{"(d/8+1)//2", "(d+8)//16"},
		{"(n*n-n)//2*2", "n*n-n"},
		{"n*(n+1)*(n+2)//6*6", "n*(n+1)*(n+2)"},
		{"(n*n-n+1)//2", "(n*n-n)/2"},
		{"div(b*d*t, b*h*t)", "div(d, h)"},
		{"(b/k)*(k*m/c)", "b*m/c"},
		{"(n/2)*(4/n)", "2"},
		{"d/(-8)", "-(d/8)"},
	} {
		a, b := parsed(t, c[0]), parsed(t, c[1])
		assert.Equal(t, a, b, "%s is %s, and %s is %s", c[0], a, c[1], b)
	}
	for _, c := range [][2]string{{"2*(b/k)", "(2*b)/k"}, {"d/8", "d//8"}, {"b/k", "div(b, k)"}, {"(n*n)//2*2", "n*n"},
		{"(n*n+n)//3*3", "n*n+n"}} {
		assert.NotEqual(t, parsed(t, c[0]), parsed(t, c[1]), "%s and %s", c[0], c[1])
	}
}

func TestQuotientsPrint(t *testing.T) {
	for s, want := range map[string]string{
		"(b*t)/(8*t)": "b/8", "2*(b/k)": "2*(b/k)", "(2*b)/k": "2*b/k", "b/k+1": "b/k+1", "(b+1)/(k-1)": "(b+1)/(k-1)",
		"-(b/k)":     "-b/k",
		"n*(n-1)//2": "(n*n-n)/2", "n*(n-1)//2*m": "m*((n*n+n)/2)-m*n",
	} {
		d := parsed(t, s)
		assert.Equal(t, want, d.String())
		assert.Equal(t, d, parsed(t, d.String()), "%s is read back", d)
	}
}

func TestQuotientsWithARemainderHaveNoValue(t *testing.T) {
	d := parsed(t, "n/k")
	_, err := d.Eval(lookup(map[string]int64{"n": 7, "k": 2}))
	assert.ErrorContains(t, err, "n/k leaves a remainder: 7 is not a multiple of 2")
	_, err = d.Eval(lookup(map[string]int64{"n": 7, "k": 0}))
	assert.ErrorContains(t, err, "n/k divides by 0")
	assert.False(t, symbolic.Dim(7).DividedBy(2).Valid())
	assert.False(t, symbolic.Dim(7).DividedBy(0).Valid())
	assert.False(t, symbolic.Invalid.DividedBy(2).Valid())
	assert.True(t, symbolic.Unknown.DividedBy(2).IsUnknown())
	_, err = symbolic.Parse("7/2")
	assert.ErrorContains(t, err, "7 is not a multiple of 2; // rounds down")
	_, err = symbolic.Parse("n/0")
	assert.ErrorContains(t, err, "the division is by 0")
}

// TestQuotientsHaveTheirValue multiplies, adds and divides sizes at random, beside numbers:
// wherever each division in turn leaves no remainder, the normal form has the same value.
func TestQuotientsHaveTheirValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	names := []string{"n", "m", "k"}
	for range 3000 {
		values := map[string]int64{"n": 1 + rng.Int64N(12), "m": 1 + rng.Int64N(4), "k": 1 + rng.Int64N(3)}
		atom := func() (symbolic.Dim, int64) {
			if rng.IntN(3) == 0 {
				v := 1 + rng.Int64N(6)
				return symbolic.Dim(v), v
			}
			name := names[rng.IntN(3)]
			d, v := symbolic.Named(name), values[name]
			if rng.IntN(4) == 0 {
				d, v = d.Plus(1), v+1
			}
			return d, v
		}
		d, v := atom()
		for range 1 + rng.IntN(8) {
			e, w := atom()
			switch op := rng.IntN(6); {
			case op < 2 && v%w == 0:
				d, v = d.DividedBy(e), v/w
			case op == 2:
				d, v = d.Plus(e), v+w
			case op == 3:
				d, v = d.Minus(e), v-w
			case op == 4 && rng.IntN(3) == 0:
				d, v = d.FloorDiv(3), (v-((v%3)+3)%3)/3
			default:
				d, v = d.Times(e), v*w
			}
			require.True(t, d.Valid())
			require.Equal(t, v, eval(t, d, values), "%s at %v", d, values)
			require.Equal(t, d, parsed(t, d.String()), "%s is read back", d)
		}
		for _, name := range names {
			bound := d.Subst(name, symbolic.Dim(values[name]))
			require.Equal(t, v, eval(t, bound, values), "%s with %s = %d", d, name, values[name])
		}
	}
}
