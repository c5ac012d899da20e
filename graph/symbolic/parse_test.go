package symbolic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph/symbolic"
)

// What a size prints is read back as the same size, and nothing that is read is a surprise.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "12", "batch", "2*batch+1", "h-2", "floor((h-1)/2)+1", "h//2*2", "mod(n, 3)",
		"broadcast(a, b)", "min(n, m-2)*3", "-min(0, -min(3, n))", "-n+7", "n*m*n",
		"?", "", "-", "(((", "9223372036854775807", "9223372036854775807*n", "h//0", "a b", "ʠ2_n", "floor(n/2", "1+?",
		"(n+1)*(n-1)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := symbolic.Parse(s)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.True(t, d.Valid())
		again, err := symbolic.Parse(d.String())
		require.NoError(t, err, "%q prints %q", s, d)
		require.Equal(t, d, again, "%q prints %q", s, d)
	})
}

func TestParseDimErrors(t *testing.T) {
	for s, says := range map[string]string{
		"":                      "a size is missing",
		"n+":                    "column 3: a size is missing",
		"n//0":                  "the divisor must be a whole number of at least 1",
		"(n":                    `")" is missing`,
		"n m":                   `unexpected "m"`,
		"ceil(n)":               "ceil is not one of floor",
		"9223372036854775808":   "is too large",
		"4611686018427387904*4": "the size overflows",
	} {
		_, err := symbolic.Parse(s)
		require.ErrorContains(t, err, says, s)
	}
}
