package importer

import (
	"math"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

func init() {
	join(map[string]rule{
		"HannWindow": signalWindow(ops.HannWindow), "HammingWindow": signalWindow(hamming),
		"BlackmanWindow": signalWindow(ops.BlackmanWindow),
		"DFT":            func(c *call) []node { return []node{dft(c)} },
		"STFT":           func(c *call) []node { return []node{stft(c)} },
	})
}

// hamming has 25/46 where PyTorch has 0.54.
func hamming(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) node {
	hann := ops.HannWindow(g, t, size, periodic)
	return ops.Add(ops.Mul(hann, graph.Num(42.0/46)), graph.Num(4.0/46))
}

func signalWindow(f func(g *graph.Graph, t graph.DType, size graph.Dim, periodic bool) node) rule {
	return func(c *call) []node {
		n := c.dims(0)[0]
		w := f(c.g, c.dtype("output_datatype", graph.Float32), n, c.int("periodic", 1) == 1)
		isOne, known := c.equal(n, 1)
		if known && !isOne {
			return []node{w}
		}
		// PyTorch's window of one element is 1, and ONNX's what others begin with
		ends := ops.Narrow(f(c.g, w.DType(), 3, false), 0, 0, 1)
		if known {
			return []node{ends}
		}
		return []node{ops.Where(ops.Equal(c.length(n), whole(1)), ends, w)}
	}
}

func dft(c *call) node {
	x, axis := c.in(0), c.int("axis", 1)
	if list := c.list(2); list != nil {
		axis = list[0]
	} else if c.version >= 20 {
		axis = -2
	}
	axis = c.fromEnd(axis)
	opts := []ops.FFTOption{ops.FFTAxis(axis)}
	n := x.Shape()[axis]
	if list := c.dims(1); list != nil {
		n = list[0]
		opts = append(opts, ops.FFTSize(n))
	}
	whole := x.Shape()[x.Rank()-1] == 2
	inverse, half := c.int("inverse", 0) == 1, c.int("onesided", 0) == 1
	switch {
	case inverse && half:
		return ops.Unsqueeze(ops.IRFFT(x, opts...), -1)
	case inverse:
		return ops.IFFT(pairs(x, whole), opts...)
	case half && !whole:
		return ops.RFFT(ops.Squeeze(x, -1), opts...)
	}
	y := ops.FFT(pairs(x, whole), opts...)
	if half {
		y = ops.Narrow(y, axis, 0, n.FloorDiv(2).Plus(1))
	}
	return y
}

// pairs gives numbers an imaginary part of 0.
func pairs(x node, already bool) node {
	if already {
		return x
	}
	return ops.Pad(x, -1, 0, 1, 0)
}

func stft(c *call) node {
	x, hop, window := ops.Squeeze(c.in(0), -1), c.list(1)[0], c.at(2)
	n := 0
	if window != nil {
		n = c.size(window, 0)
	}
	if list := c.list(3); list != nil {
		n = list[0]
	}
	opts := []ops.STFTOption{ops.STFTHop(hop), ops.STFTBeside()}
	if window != nil {
		opts = append(opts, ops.STFTWindow(window))
	}
	if c.int("onesided", 1) == 0 {
		opts = append(opts, ops.STFTWhole())
	}
	return ops.Transpose(ops.STFT(x, n, opts...), 1, 2)
}

func init() {
	join(map[string]rule{"MelWeightMatrix": func(c *call) []node { return []node{mel(c)} }})
}

// mel is a constant: triangles over the places of frequencies on the scale of mels.
func mel(c *call) node {
	bins, points := c.list(0)[0], c.list(1)[0]
	rate, low, high := c.floats(2)[0], c.floats(3)[0], c.floats(4)[0]
	rows := points/2 + 1
	toMel := func(f float64) float64 { return 2595 * math.Log10(1+f/700) }
	step := (toMel(high) - toMel(low)) / float64(bins+2)
	place := func(i int) int {
		f := 700 * (math.Pow(10, (float64(i)*step+toMel(low))/2595) - 1)
		return int(math.Floor(float64(points+1) * f / rate))
	}
	data := make([]float32, rows*bins)
	for i := range bins {
		low, middle, high := place(i), place(i+1), place(i+2)
		if low == middle {
			data[middle*bins+i] = 1
		}
		for j := low; j < middle+1 && low != middle; j++ {
			data[j*bins+i] = float32(float64(j-low) / float64(middle-low))
		}
		for j := middle; j < high && high != middle; j++ {
			data[j*bins+i] = float32(float64(high-j) / float64(high-middle))
		}
	}
	return graph.Constant(c.g, data, graph.Dim(rows), graph.Dim(bins))
}
