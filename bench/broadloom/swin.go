package broadloom

import (
	"github.com/broadloom/broadloom/bench/suite"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// swin is the cross-entropy of blocks of attention in windows of [batch, height, width, channels]. Every other block
// shifts by half a window.
func swin(in leaves) node {
	z := ops.Permute(ops.Conv2D(in["x"], in["patch"], in["bpatch"], ops.Stride(4)), 0, 2, 3, 1)
	for i := 0; in[numbered("wqkv", i)] != nil; i++ {
		if i == 2 {
			z = in.merge(z)
		}
		shift := i % 2 * (suite.SwinWindow / 2)
		y := in.layerNorm(z, "g1_", "c1_", i)
		y = ops.Roll(ops.Roll(y, 1, -shift), 2, -shift)
		y = in.attendInWindows(y, i, shift)
		z = ops.Add(z, ops.Roll(ops.Roll(y, 1, shift), 2, shift))
		z = ops.Add(z, in.feedForward(in.layerNorm(z, "g2_", "c2_", i), "1_", "2_", i))
	}
	z = ops.Mean(in.layerNorm(z, "g", "c", 0), 1, 2)
	return ops.CrossEntropy(in.linear(z, "head", "bias"), in["t"])
}

// merge concatenates the channels of 2×2 places, and halves their number.
func (in leaves) merge(z node) node {
	s := z.Shape()
	z = ops.Reshape(z, s[0], s[1]/2, 2, s[2]/2, 2, s[3])
	z = ops.Reshape(ops.Permute(z, 0, 1, 3, 4, 2, 5), s[0], s[1]/2, s[2]/2, 4*s[3])
	return ops.Linear(in.layerNorm(z, "gm", "cm", 0), in["merge"], nil)
}

// attendInWindows lets the places of each window attend to each other, of those that were neighbours before the image
// moved.
func (in leaves) attendInWindows(z node, i, shift int) node {
	const window = suite.SwinWindow
	s, places := z.Shape(), graph.Dim(window*window)
	rows, columns, heads := s[1]/window, s[2]/window, s[3]/32
	z = ops.Reshape(z, s[0], rows, window, columns, window, s[3])
	z = ops.Reshape(ops.Permute(z, 0, 1, 3, 2, 4, 5), s[0]*rows*columns, places, s[3])
	qkv := ops.Reshape(in.numberedLinear(z, "wqkv", "bqkv", i), s[0], rows*columns, places, 3, heads, 32)
	qkv = ops.Permute(qkv, 3, 0, 1, 4, 2, 5)
	g := z.Graph()
	bias := ops.Permute(ops.Embedding(windowDistances(g), in[numbered("distances", i)]), 2, 0, 1)
	if shift > 0 {
		bias = ops.Add(bias, windowMask(g, int(s[1]), int(s[2]), shift))
	}
	y := ops.ScaledDotProductAttention(ops.Select(qkv, 0, 0), ops.Select(qkv, 0, 1), ops.Select(qkv, 0, 2),
		ops.AttentionMask(bias))
	y = ops.Reshape(ops.Transpose(y, 2, 3), s[0], rows, columns, window, window, s[3])
	y = ops.Reshape(ops.Permute(y, 0, 1, 3, 2, 4, 5), s...)
	return in.numberedLinear(y, "wo", "bo", i)
}

// windowDistances numbers how far two places of a window are apart, in rows and columns.
func windowDistances(g *graph.Graph) node {
	const window = suite.SwinWindow
	list := make([]int64, 0, window*window*window*window)
	for a := range window * window {
		for b := range window * window {
			rows, columns := a/window-b/window+window-1, a%window-b%window+window-1
			list = append(list, int64(rows*(2*window-1)+columns))
		}
	}
	return graph.ConstantOf(g, list, window*window, window*window)
}

// windowMask is -100 if two places of a window, [windows, 1, places, places], were not neighbours before the shift.
func windowMask(g *graph.Graph, height, width, shift int) node {
	const window = suite.SwinWindow
	region := func(at, size int) int {
		switch {
		case at < size-window:
			return 0
		case at < size-shift:
			return 1
		}
		return 2
	}
	var list []float32
	for w := range height / window * (width / window) {
		top, left := w/(width/window)*window, w%(width/window)*window
		of := func(place int) [2]int {
			return [2]int{region(top+place/window, height), region(left+place%window, width)}
		}
		for a := range window * window {
			for b := range window * window {
				if of(a) != of(b) {
					list = append(list, -100)
				} else {
					list = append(list, 0)
				}
			}
		}
	}
	return graph.ConstantOf(g, list, graph.Dim(height/window*(width/window)), 1, window*window, window*window)
}
