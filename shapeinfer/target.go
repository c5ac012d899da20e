package shapeinfer

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// Targets is the shape rule of class indices for scores x [N, C, …]: target is [N, …];
// of one example x [C], a scalar. It gives the target's shape.
func Targets(c *graph.Call, x, target graph.Shape) graph.Shape {
	if len(x) == 0 {
		c.Fail(operandMistake(c, CodeRank, "the scores need an axis of classes"))
		return target
	}
	want := append(graph.Shape{}, x...)
	at := min(1, len(x)-1)
	want = append(want[:at], want[at+1:]...)
	if len(target) != len(want) {
		m := operandMistake(c, CodeRank, fmt.Sprintf("Expected target size %s, got %s", want, target))
		m.Detail = []string{"the target holds one class index for each example: the scores' shape without the axis of classes"}
		c.Fail(m)
		return want
	}
	r := CallRules(c)
	for axis, d := range want {
		r.requireSame(c, d, target[axis], axis, "one target for each example", func() *graph.Mistake {
			summary := fmt.Sprintf("Expected target size %s, got %s", want, target)
			if axis == 0 {
				summary = fmt.Sprintf("Expected input batch_size (%s) to match target batch_size (%s).", d, target[0])
			}
			m := operandMistake(c, CodeBroadcast, summary)
			m.Operands[1].Bad = []int{axis}
			return m
		})
	}
	return want
}
