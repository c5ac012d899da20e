package onnxnodes

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// operators are the lines of all files.
var operators = map[string]rule{}

func join(lines map[string]rule) {
	for name, r := range lines {
		if operators[name] != nil {
			panic("two lines for " + name)
		}
		operators[name] = r
	}
}

// TestNodes runs ONNX's node tests. Each that is not run has a reason, and their numbers are known.
func TestNodes(t *testing.T) {
	cases := readCases(t)
	require.Len(t, cases, 1884)
	left := map[string]int{}
	ran := 0
	for _, c := range cases {
		if because := c.because(); because != "" {
			left[because]++
			continue
		}
		ran++
		t.Run(c.Name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("panic: %v", r)
				}
			}()
			if err := c.run(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, because := range slices.Sorted(maps.Keys(left)) {
		t.Logf("%4d are left out: %s", left[because], because)
	}
	require.Contains(t, []int{1550, 1649}, ran, "the cases of few elements, or all")
	fmt.Println(ran, "of ONNX's node tests were run")
}

// because is why a case is not run, or "".
func (c nodeCase) because() string {
	for _, n := range c.Nodes {
		if because := leftOut[n.Op]; because != "" {
			return n.Op + ": " + because
		}
	}
	if because := leftCases[c.Name]; because != "" {
		return because
	}
	return c.Left
}
