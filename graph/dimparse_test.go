package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
)

func TestParseDim(t *testing.T) {
	for text, want := range map[string]string{
		"3":                    "3",
		"batch":                "batch",
		" 2 * n + 1 ":          "2*n+1",
		"-n + 5":               "5-n",
		"(h+2*1-3)//2+1":       "floor((h+1)/2)",
		"((m)//2)":             "floor(m/2)",
		"2*n//4":               "floor(n/2)",
		"n//2//2":              "floor(n/4)",
		"mod(n, 4)":            "n-4*floor(n/4)",
		"broadcast(n, 2*m)":    "broadcast(2*m, n)",
		"div(n+1, m)":          "div(n+1, m)",
		"n*m*n":                "m*n*n",
		"?":                    "?",
		"floor((n*m+3)/2)*k":   "k*floor((m*n+1)/2)+k",
		"4611686018427387903":  "4611686018427387903",
		"floor(floor(n/2)/3)":  "floor(n/6)",
		"mod(n*2, 2)":          "0",
		"3 - 5":                "-2",
		"(3)*(b+2)":            "3*b+6",
		"größe*2":              "2*größe",
		"broadcast(n, n)+(-1)": "n-1",
	} {
		d, err := graph.ParseDim(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, d.String(), text)
	}
}

func TestParseDimSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "column 1: a size is missing",
		"n+":                      "column 3: a size is missing",
		"n m":                     `column 3: unexpected "m"`,
		"(n":                      `column 3: ")" is missing`,
		"n//0":                    "the divisor must be a whole number of at least 1",
		"n//m":                    "the divisor must be a whole number of at least 1",
		"99999999999999999999":    "too large",
		"sqrt(n)":                 "sqrt is none of floor, mod, div and broadcast",
		"floor(n)":                `"/" is missing`,
		"n*4611686018427387903*4": "overflows",
		"n$":                      `unexpected "$"`,
	} {
		_, err := graph.ParseDim(text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
	_, err := graph.ParseDim(strings.Repeat("(", 500) + "n" + strings.Repeat(")", 500))
	assert.ErrorContains(t, err, "too many brackets")
}

// FuzzParseDim looks for text that makes ParseDim panic, or for a size that its own text
// does not give back.
func FuzzParseDim(f *testing.F) {
	for _, text := range []string{"n", "2*n+1", "(h+2-3)//2+1", "mod(n, 4)", "broadcast(n, m)*3-k", "div(n*m, k)", "-(-n)", "?", "floor(n/2)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 80 {
			return // products of long sums only take time
		}
		d, err := graph.ParseDim(text)
		if err != nil {
			return
		}
		again, err := graph.ParseDim(d.String())
		if err != nil || again != d {
			t.Fatalf("%q is %s, which is read back as %s (%v)", text, d, again, err)
		}
		if d.IsSymbolic() && len(d.Symbols()) == 0 {
			t.Fatalf("%q is %s, which has no names", text, d)
		}
	})
}
