package difftest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// TestRefusalsAreJudgedBySizes excuses a refusal of sizes that may differ, and of such as are never
// equal, and none of others.
func TestRefusalsAreJudgedBySizes(t *testing.T) {
	p := &Program{Names: []eager.Name{{Name: "n"}, {Name: "m", AtLeast: 2}, {Name: "k"}}, Policy: "strict", Equal: true}
	for sizes, right := range map[string]bool{
		`1 and "floor((n+2)/12)+1"`: true,
		`"n" and 8`:                 true,
		`"min(3, n)" and 3`:         true,
		`"k" and "n"`:               true,
		`"n" and "m"`:               false, // they are said to be equal
		`"2*k-k" and "k"`:           false,
		`"min(2, m)" and 2`:         false,
		`"max(n, 2)" and "n"`:       false, // n is m
		`"oops(n)" and 2`:           false,
	} {
		message := fmt.Sprintf("the sizes %s meet on axis -1, and nothing says that they are equal", sizes)
		require.Equal(t, right, excused(p, message), sizes)
	}
	for sizes, right := range map[string]bool{
		"min(1, k) is never 3": true, "min(1, k) is never 1": false, "k+1 is never k": true, "n is never m": false,
		"k is never oops(k)": false,
	} {
		require.Equal(t, right, excused(p, "axis -1: "+sizes), sizes)
	}
	for sizes, right := range map[string]bool{
		"min(3, n+1) elements do not fit [3, 1]": false, // n is at least 2
		"min(4, n+1) elements do not fit [4, 1]": true,
		"n*k elements do not fit [k, 1, m]":      false,
		"n*k elements do not fit [k, n, 2]":      true,
	} {
		require.Equal(t, right, excused(p, "Reshape(x, 3, 1): "+sizes), sizes)
	}
	expanded := "The expanded size of the tensor (%s) must match the existing size (%s) at non-singleton dimension 0."
	require.True(t, excused(p, fmt.Sprintf(expanded, "2", "min(1, k)")))
	require.False(t, excused(p, fmt.Sprintf(expanded, "k", "k+0*n")))
	subscripts := `einsum(): subscript j is "%s" in operand 0 and "%s" in operand 1, and nothing says that they are equal`
	require.True(t, excused(p, fmt.Sprintf(subscripts, "min(k, m)", "k")))
	require.False(t, excused(p, fmt.Sprintf(subscripts, "n", "m")))
	scalar := "grad can be implicitly created only for scalar outputs, but y has shape [%s]"
	require.True(t, excused(p, fmt.Sprintf(scalar, "min(1, k)"))) // k may be 0
	require.False(t, excused(p, fmt.Sprintf(scalar, "1, min(1, n)")))
	p.Policy = "numpy" // a size of 1 meets all
	require.False(t, excused(p, "axis -1: min(1, k) is never 3"))
	require.False(t, excused(p, "another sentence"))
}

// excused reports whether a refusal with that text is no fault.
func excused(p *Program, text string) bool {
	v := Verdict{}
	c := &checker{p: p, v: &v}
	c.refused("compile",
		&graph.Mistake{Code: graph.CodeNames, Summary: text, Node: graph.New("g").Input("x", graph.Float32)})
	return v.Refused != "" && v.Fault == ""
}

// TestSizesOfOneDoNotStretch excuses a run that refuses a size of 1 beside another one, unless
// named sizes may stretch.
func TestSizesOfOneDoNotStretch(t *testing.T) {
	refusal := func(values string) error {
		return errors.New("error BL501: 1 requirement not met by the sizes bound\n      min(1, n) == m fails: " +
			values +
			"\n      m = 12   set explicitly\n      required by AtMost(y, x) at main.go:12 (broadcasting)")
	}
	for policy, stretches := range map[string]bool{"numpy": true, "unify": false, "strict": false} {
		c := &checker{p: &Program{Policy: policy}}
		require.Equal(t, !stretches, c.mayRefuse(refusal("1 against 12")))
		require.Equal(t, !stretches, c.mayRefuse(refusal("12 against 1")))
		require.False(t, c.mayRefuse(refusal("2 against 12")))
		require.False(t, c.mayRefuse(refusal("11 against 12")))
		require.False(t, c.mayRefuse(errors.New("error BL102: 1 against 12 (broadcasting)")))
		inner := "error BL501: 1 requirement not met by the sizes bound\n      n == m fails: 6 against 1\n      required by %s(x, y) at main.go:12 (the inner sizes of a matrix product)"
		require.True(t, c.mayRefuse(fmt.Errorf(inner, "Einsum")))
		require.False(t, c.mayRefuse(fmt.Errorf(inner, "MatMul")))
	}
}
