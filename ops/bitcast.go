package ops

import (
	"slices"

	"github.com/broadloom/broadloom/graph"
)

var opBitCast *graph.Op

// bitCastAttrs are the fixed arguments of opBitCast.
type bitCastAttrs struct{ To graph.DType }

func init() {
	opBitCast = define(graph.Op{
		Name: "bit_cast", Func: "bitCast",
		Doc:   "the bytes of the elements along the last axis, as elements of another dtype.",
		Class: graph.Function, AsStored: true, Reinterprets: true, MinIn: 1, MaxIn: 1, Core: wholeOperands,
		Grad: noGradient,
		Infer: func(c *graph.Call) (graph.DType, graph.Shape) {
			from, to, s := c.DType(0), c.Attrs().(bitCastAttrs).To, slices.Clone(c.Shape(0))
			if from.Size() != to.Size() {
				last := len(s) - 1
				s[last] = s[last].Times(graph.Dim(from.Size())).DividedBy(graph.Dim(to.Size()))
			}
			return to, s
		},
		Function: func(a *graph.Arrays) error {
			copyPolling(a, a.Out.Bytes(), a.In[0].Bytes())
			return nil
		},
	})
	composed(
		"BitCast",
		"the bits of each element as an element of another dtype; along the last axis, several narrower ones as one or one as several.",
		flat("bits have no slope", "numpy.ndarray.view", "torch.Tensor.view", "jax.lax.bitcast_convert_type",
			"BitCast", "",
			func(e *graph.Example) node { return BitCast(e.As(graph.Float32, "x", "n", "4"), graph.Int32) }))
}

// BitCast returns the bits of x, of any dtype, as elements of another dtype: float32 1 becomes int32 0x3f800000. If
// the elements have different sizes, the size of the last axis changes, with bytes in little-endian order: Float32
// [n, 2] becomes Uint8 [n, 8], and Uint8 [n, 8] becomes Float64 [n, 1]. The bits of a Bool are 0 or 1; nothing but a
// Bool can become a Bool. No gradient flows. It is PyTorch's view(dtype).
func BitCast(x *graph.Node, to graph.DType) *graph.Node {
	word := "graph." + to.GoName()
	defer building("BitCast", x, word)()
	call := refused("BitCast", x).with(word)
	if bad := notNodes(call); bad != nil {
		return bad
	}
	from := x.DType()
	switch {
	case !to.Valid():
		return call.wrong(graph.CodeDType, "there is no dtype %s", to)
	case to == from:
		return StopGradient(x)
	case to == graph.Bool:
		return call.wrong(graph.CodeDType,
			"not all bits of %s are valid for Bool: compare with 0 instead, with ops.NotEqual", from)
	case from.Size() != to.Size() && x.Rank() == 0:
		return call.wrong(graph.CodeRank, "self.dim() cannot be 0 to view %s as %s (different element sizes)",
			from.TorchName(), to.TorchName())
	case from.Size() >= to.Size():
		return Apply(opBitCast, bitCastAttrs{to}, x)
	}
	several := graph.Dim(to.Size() / from.Size())
	if n, known := lastSize(x).Int(); known && n%int64(several) != 0 {
		return call.wrong(graph.CodeReshape,
			"self.size(-1) must be divisible by %d to view %s as %s (different element sizes), but got %d", several,
			from.TorchName(), to.TorchName(), n)
	}
	return Squeeze(Apply(opBitCast, bitCastAttrs{to}, Unflatten(x, -1, -1, several)), -1)
}
