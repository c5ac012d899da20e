package difftest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

// TestRefusalsAreJudgedBySizes excuses a refusal of sizes that are equal by chance in the runs,
// and none of sizes that are always equal.
func TestRefusalsAreJudgedBySizes(t *testing.T) {
	p := &Program{Names: []eager.Name{{Name: "n"}, {Name: "m", AtLeast: 2}, {Name: "k"}}, Policy: "strict", Equal: true}
	c := &checker{p: p}
	for sizes, differ := range map[string]bool{
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
		require.Equal(t, differ, c.mayDiffer(message), sizes)
		v := Verdict{}
		judge := &checker{p: p, v: &v}
		judge.refused("compile", &graph.Mistake{Code: graph.CodeNames, Summary: message, Node: graph.New("g").Input("x", graph.Float32)})
		require.Equal(t, differ, v.Refused != "", sizes)
		require.Equal(t, differ, v.Fault == "", sizes)
	}
	require.False(t, c.mayDiffer("another sentence"))
}
