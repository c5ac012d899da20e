package difftest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
)

// reductions are the words of how elements are united.
var reductions = map[string]ops.Reduction{"sum": ops.ReduceSum, "prod": ops.ReduceProd, "mean": ops.ReduceMean, "max": ops.ReduceMax, "min": ops.ReduceMin}

// modes are the words of how images are resized.
var modes = map[string]ops.ResizeMode{"nearest": ops.ResizeNearest, "linear": ops.ResizeLinear, "corners": ops.ResizeLinear, "area": ops.ResizeArea}

// options returns the options that a word of a call stands for.
func (b *built) options(word string, s *eager.Step) (list []argument) {
	put := func(v any, text string) { list = append(list, argument{v, text}) }
	each := func(name string, option func(...int) ops.StepOption, from []int, k int) {
		var v []int
		for ; k < len(from); k += 3 {
			v = append(v, from[k])
		}
		put(option(v...), "ops."+name+"("+joined(v)+")")
	}
	switch word {
	case "axes", "keep":
		if word == "axes" {
			for _, a := range s.I {
				put(ops.Axis(a), strconv.Itoa(a))
			}
			if len(s.I) == 0 {
				put(ops.AllAxes(), "ops.AllAxes()")
			}
		}
		if s.Keep {
			put(ops.KeepDims(), "ops.KeepDims()")
		}
	case "conv":
		axes := int(s.Op[len(s.Op)-2] - '0')
		put(ops.Groups(s.I[0]), fmt.Sprintf("ops.Groups(%d)", s.I[0]))
		each("Stride", ops.Stride, s.I[1:1+3*axes], 0)
		each("Padding", ops.Padding, s.I[1:1+3*axes], 1)
		each("Dilation", ops.Dilation, s.I[1:1+3*axes], 2)
		if more := s.I[1+3*axes:]; len(more) > 0 {
			put(ops.OutputPadding(more...), "ops.OutputPadding("+joined(more)+")")
		}
	case "kernel":
		sizes := s.I[len(s.I)/4*3:]
		put(sizes, "[]int{"+joined(sizes)+"}")
	case "upper":
		if s.Text == "upper" {
			put(ops.UpperTriangle(), "ops.UpperTriangle()")
		}
	case "resize":
		mode := modes[s.Text]
		put(mode, mode.String())
		put([]graph.Dim(b.shape(s.S)), "[]graph.Dim"+goSizes(s.S))
		if s.Text == "corners" {
			put(ops.AlignCorners(), "ops.AlignCorners()")
		}
	case "pool", "pool1", "pool2", "pool3":
		axes := len(s.I) / 4
		each("Stride", ops.Stride, s.I[:3*axes], 0)
		each("Padding", ops.Padding, s.I[:3*axes], 1)
		if strings.HasPrefix(s.Op, "Max") {
			each("Dilation", ops.Dilation, s.I[:3*axes], 2)
		}
		switch s.Text {
		case "ceil":
			put(ops.CeilMode(), "ops.CeilMode()")
		case "exclude":
			put(ops.ExcludePadding(), "ops.ExcludePadding()")
		}
	case "by":
		by := reductions[s.Text]
		put(by, by.String())
		if s.Keep {
			put(ops.ExcludeSelf(), "ops.ExcludeSelf()")
		}
	case "loss":
		switch s.Text {
		case "sum":
			put(ops.SumLoss(), "ops.SumLoss()")
		case "each":
			put(ops.EachLoss(), "ops.EachLoss()")
		}
	}
	return list
}
