package ops

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
)

// The functions here exchange channels and places of images.

// imageAxes is how many axes an image has: channels, rows and columns.
const imageAxes = 3

// notDivided is the refusal of an operand that has no images, of a number that divides nothing, and
// of axes that it does not divide; nil where it may divide them.
func notDivided(call refusedCall, word string, number, by int, axes ...int) node {
	if bad := notNodes(call); bad != nil {
		return bad
	}
	x := call.in[0]
	switch {
	case x.Rank() < imageAxes:
		return refusal(call, &graph.Mistake{Code: graph.CodeRank,
			Summary: fmt.Sprintf("%s expects input to have at least %d dimensions, but %s has shape %s", word,
				imageAxes, x.Called(), x.Shape())})
	case number < 1 || number > 1<<15:
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand,
				Summary: fmt.Sprintf("%s expects a number from 1 to 32768, but got %d", word, number)})
	}
	p := prove.NewProver(x.Graph().Bounds)
	for _, axis := range axes {
		a, b := x.Shape()[axis].Divisibility(graph.Dim(by))
		if !a.IsUnknown() && p.Judge(graph.Requirement{Kind: graph.MustBeMultipleOf, A: a, B: b}) == prove.Refused {
			return refusal(call, &graph.Mistake{
				Code: graph.CodeReshape, Operands: []graph.OperandNote{{Node: x, Bad: []int{axis}}},
				Summary: fmt.Sprintf("%s: axis %d of %s, whose size is %s, is not divisible by %d", word, axis,
					x.Called(), x.Shape()[axis], by)})
		}
	}
	return nil
}

// PixelShuffle rearranges channels into squares of factor × factor pixels: x, [..., C*factor², H, W] of any dtype,
// becomes [..., C, H*factor, W*factor]. It is PyTorch's pixel_shuffle. Source: W. Shi et al., Real-Time Single Image
// and Video Super-Resolution, 2016.
func PixelShuffle(x *graph.Node, factor int) *graph.Node {
	defer building("PixelShuffle", x, factor)()
	lead := leadingAxes(x)
	if bad := notDivided(refused("PixelShuffle", x).with(factor), "pixel_shuffle", factor, factor*factor, lead); bad !=
		nil {
		return bad
	}
	shape, r := x.Shape(), graph.Dim(factor)
	apart := Unflatten(x, lead, -1, r, r)
	if !apart.Judged() {
		return apart
	}
	order := append(counting(lead), lead, lead+3, lead+1, lead+4, lead+2)
	return Reshape(Permute(apart, order...),
		append(slices.Clone(apart.Shape()[:lead+1]), shape[lead+1].Times(r), shape[lead+2].Times(r))...)
}

// PixelUnshuffle is the inverse of [PixelShuffle]: x, [..., C, H*factor, W*factor], becomes [..., C*factor², H, W].
func PixelUnshuffle(x *graph.Node, factor int) *graph.Node {
	defer building("PixelUnshuffle", x, factor)()
	lead := leadingAxes(x)
	if bad := notDivided(refused("PixelUnshuffle", x).with(factor), "pixel_unshuffle", factor, factor, lead+1,
		lead+2); bad != nil {
		return bad
	}
	r := graph.Dim(factor)
	apart := Unflatten(Unflatten(x, -1, -1, r), -3, -1, r)
	if !apart.Judged() {
		return apart
	}
	s := apart.Shape()
	order := append(counting(lead), lead, lead+2, lead+4, lead+1, lead+3)
	return Reshape(Permute(apart, order...),
		append(slices.Clone(s[:lead]), s[lead].Times(r).Times(r), s[lead+1], s[lead+3])...)
}

// ChannelShuffle interleaves the channels of groups: of x, [N, C, …], the result has the first channel of each group,
// then the second ones, and so on. It is PyTorch's channel_shuffle. Source: X. Zhang et al., ShuffleNet, 2017.
func ChannelShuffle(x *graph.Node, groups int) *graph.Node {
	defer building("ChannelShuffle", x, groups)()
	if bad := notDivided(refused("ChannelShuffle", x).with(groups), "channel_shuffle", groups, groups, 1); bad != nil {
		return bad
	}
	return Reshape(Transpose(Unflatten(x, 1, graph.Dim(groups), -1), 1, 2), x.Shape()...)
}

// leadingAxes is how many axes stand before those of images.
func leadingAxes(x node) int {
	if x == nil {
		return 0
	}
	return max(x.Rank()-imageAxes, 0)
}

// counting lists 0 to n-1.
func counting(n int) []int {
	list := make([]int, n, n+5)
	for i := range list {
		list[i] = i
	}
	return list
}

func init() {
	composed("PixelShuffle", "squares of places made of channels.",
		named("", "torch.nn.functional.pixel_shuffle", "", "DepthToSpace", "",
			func(e *graph.Example) node { return PixelShuffle(e.Of("x", "n", "8", "h", "w"), 2) }))
	composed("PixelUnshuffle", "channels made of squares of places.",
		named("", "torch.nn.functional.pixel_unshuffle", "", "", "",
			func(e *graph.Example) node { return PixelUnshuffle(e.Of("x", "n", "c", "8", "8"), 2) }))
	composed("ChannelShuffle", "the first channels of all groups, then the second ones.",
		named("", "torch.nn.functional.channel_shuffle", "", "", "",
			func(e *graph.Example) node { return ChannelShuffle(e.Of("x", "n", "6", "h", "w"), 3) }))
}
