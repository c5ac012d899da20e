package difftest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/difftest/eager"
	"github.com/broadloom/broadloom/ops"
)

// reductions are the words for how elements are combined.
var reductions = map[string]ops.Reduction{
	"sum": ops.ReduceSum, "prod": ops.ReduceProd, "mean": ops.ReduceMean, "max": ops.ReduceMax, "min": ops.ReduceMin}

// modes are the words of how images are resized.
var modes = map[string]ops.ResizeMode{"nearest": ops.ResizeNearest, "exact": ops.ResizeNearestExact,
	"linear": ops.ResizeLinear, "cubic": ops.ResizeCubic, "area": ops.ResizeArea}

// resizeOptions maps the words of options of images to their arguments.
var resizeOptions = map[string]argument{
	"corners": {ops.AlignCorners(), "ops.AlignCorners()"}, "antialias": {ops.Antialias(), "ops.Antialias()"},
	"catmull": {ops.CubicCoefficient(-0.5), "ops.CubicCoefficient(-0.5)"},
	"half":    {ops.PlacesHalf, "ops.PlacesHalf"}, "middle": {ops.PlacesMiddle, "ops.PlacesMiddle"},
	"halfOrOne": {ops.PlacesHalfOrOne, "ops.PlacesHalfOrOne"},
	"first":     {ops.PlacesFirst, "ops.PlacesFirst"}, "down": {ops.RoundDown, "ops.RoundDown"},
	"up":       {ops.RoundUp, "ops.RoundUp"},
	"halfDown": {ops.RoundHalfDown, "ops.RoundHalfDown"}, "halfUp": {ops.RoundHalfUp, "ops.RoundHalfUp"},
	"nothing": {ops.OutsideNothing, "ops.OutsideNothing"}, "repeated": {ops.OutsideRepeated, "ops.OutsideRepeated"},
}

// frameOptions is the same for short-time transforms.
var frameOptions = map[string]argument{
	"beside": {ops.STFTBeside(), "ops.STFTBeside()"}, "normalized": {ops.STFTNormalized(), "ops.STFTNormalized()"},
	"whole":   {ops.STFTWhole(), "ops.STFTWhole()"},
	"reflect": {ops.STFTPad(ops.PadReflect), "ops.STFTPad(ops.PadReflect)"},
	"zeros":   {ops.STFTPad(ops.PadZeros), "ops.STFTPad(ops.PadZeros)"},
}

// scales are the words for the divisor of a transform.
var scales = map[string]ops.FFTScale{"forward": ops.ScaleForward, "ortho": ops.ScaleBoth}

// operandOptions returns the options that have operands, and lists of them.
func (b *built) operandOptions(word string, s *eager.Step) (list []argument) {
	put := func(v any, format string, args ...any) {
		list = append(list, argument{v, fmt.Sprintf(format, args...)})
	}
	node := func(k int) (*graph.Node, string) {
		a := b.operand(k)
		return a.value.(*graph.Node), a.text
	}
	switch word {
	case "bag":
		if len(s.I) > 0 {
			put(ops.PaddingIndex(s.I[0]), "ops.PaddingIndex(%d)", s.I[0])
		}
		if w, text := node(s.In[2]); s.In[2] >= 0 {
			put(ops.PerSampleWeights(w), "ops.PerSampleWeights(%s)", text)
		}
		if w, text := node(s.In[3]); s.In[3] >= 0 {
			put(ops.Offsets(w), "ops.Offsets(%s)", text)
		}
		if s.Keep {
			put(ops.IncludeLastOffset(), "ops.IncludeLastOffset()")
		}
	case "stft":
		put(ops.STFTHop(s.I[1]), "ops.STFTHop(%d)", s.I[1])
		if w, text := node(s.In[1]); s.In[1] >= 0 {
			put(ops.STFTWindow(w), "ops.STFTWindow(%s)", text)
		}
		for _, option := range strings.Fields(s.Text) {
			list = append(list, frameOptions[option])
		}
	case "starts":
		var nodes []*graph.Node
		var texts []string
		for _, k := range s.In[1:] {
			n, text := node(k)
			nodes, texts = append(nodes, n), append(texts, text)
		}
		put(nodes, "[]*graph.Node{%s}", strings.Join(texts, ", "))
	case "add":
		if s.Text == "add" {
			put(ops.Accumulate(), "ops.Accumulate()")
		}
	case "out":
		return b.outside(s)
	case "index", "put", "get":
		var nodes []*graph.Node
		var texts []string
		for i, axis := range s.I {
			for len(nodes) < axis {
				nodes, texts = append(nodes, nil), append(texts, "nil")
			}
			n, text := node(s.In[1+i])
			nodes, texts = append(nodes, n), append(texts, text)
		}
		if word == "put" {
			put(nodes, "[]*graph.Node{%s}", strings.Join(texts, ", "))
			list = append(list, b.operand(s.In[len(s.In)-1]))
			if s.Text == "add" {
				put(ops.Accumulate(), "ops.Accumulate()")
			}
			return list
		}
		if word == "get" {
			put(nodes, "[]*graph.Node{%s}", strings.Join(texts, ", "))
			return list
		}
		for i, n := range nodes {
			put(n, "%s", texts[i])
		}
	}
	return list
}

// outside returns the option for indices out of range, if there is one.
func (b *built) outside(s *eager.Step) []argument {
	switch s.Outside {
	case "clip":
		return []argument{{ops.ClipOutside(), "ops.ClipOutside()"}}
	case "wrap":
		return []argument{{ops.WrapOutside(), "ops.WrapOutside()"}}
	case "drop":
		return []argument{{ops.DropOutside(), "ops.DropOutside()"}}
	case "fill":
		v := int(s.F[len(s.F)-1])
		return []argument{{ops.FillOutside(graph.Num(v)), fmt.Sprintf("ops.FillOutside(graph.Num(%d))", v)}}
	}
	return nil
}

// options returns the options of a call, by their word.
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
	case "fft":
		if len(s.S) > 0 {
			put(ops.FFTSize(b.dim(s.S[0])), "ops.FFTSize("+goSize(s.S[0])+")")
		}
		if scale, said := scales[s.Text]; said {
			put(ops.FFTNorm(scale), "ops.FFTNorm("+scale.String()+")")
		}
	case "resize":
		words := strings.Fields(s.Text)
		put(modes[words[0]], "ops."+modes[words[0]].String())
		if s.Op == "ResizeBy" {
			put(s.F, goFloats(s.F))
		} else {
			put([]graph.Dim(b.shape(s.S)), "[]graph.Dim"+goSizes(s.S))
		}
		for _, option := range words[1:] {
			if option != "crop" {
				list = append(list, resizeOptions[option])
				continue
			}
			var start, end []float64
			for i := 1; i < len(s.F); i += 2 {
				start, end = append(start, s.F[i]), append(end, s.F[i+1])
			}
			put(ops.ResizeCrop(start, end, s.F[0]),
				fmt.Sprintf("ops.ResizeCrop(%s, %s, %s)", goFloats(start), goFloats(end), goFloat(s.F[0])))
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
	case "by", "fold":
		by := reductions[s.Text]
		put(by, by.String())
		if s.Keep && word == "by" {
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
