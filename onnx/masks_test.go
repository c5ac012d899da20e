package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// TestMaskOfCache reads a causal mask as PyTorch writes it: booleans below a diagonal that depends on sizes.
func TestMaskOfCache(t *testing.T) {
	whole := &wire.Attribute{Name: "value", Type: wire.AttributeTensor,
		Tensor: &wire.Tensor{Type: wire.Bool, Dims: []int64{1}, HasRaw: true, Raw: []byte{1}}}
	g := &wire.Graph{
		Inputs:  []*wire.ValueInfo{tensorOf("past", wire.Float, "past"), tensorOf("all", wire.Float, "all")},
		Outputs: []*wire.ValueInfo{tensorOf("y", wire.Float, "new", "all")},
		Initializers: []*wire.Tensor{
			{Name: "zero", Type: wire.Float, HasRaw: true, Raw: make([]byte, 4)},
			{Name: "hidden", Type: wire.Float, HasRaw: true, Raw: []byte{0, 0, 0x80, 0xbf}}},
		Nodes: []*wire.Node{
			op("Shape", []string{"past"}, "p"), op("Shape", []string{"all"}, "a"),
			op("Sub", []string{"a", "p"}, "n"),
			{Op: "Concat", Inputs: []string{"n", "a"}, Outputs: []string{"shape"},
				Attributes: []*wire.Attribute{{Name: "axis", Type: wire.AttributeInt}}},
			{Op: "ConstantOfShape", Inputs: []string{"shape"}, Outputs: []string{"ones"},
				Attributes: []*wire.Attribute{whole}},
			op("Squeeze", []string{"p"}, "k"),
			{Op: "Trilu", Inputs: []string{"ones", "k"}, Outputs: []string{"mask"},
				Attributes: []*wire.Attribute{{Name: "upper", Type: wire.AttributeInt}}},
			op("Where", []string{"mask", "zero", "hidden"}, "y")}}
	b := built(t, file(t, g), MayBeEmpty("past"))
	for _, c := range []struct {
		past, all int
		want      []float32
	}{{1, 3, []float32{0, 0, -1, 0, 0, 0}}, {0, 2, []float32{0, -1, 0, 0}}} {
		got := run(t, b, exec.Feed{b.Input("past"): make([]float32, c.past), b.Input("all"): make([]float32, c.all)})
		require.Equal(t, c.want, got.Data)
	}
}
