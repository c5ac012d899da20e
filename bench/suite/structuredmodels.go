package suite

// The heads of attention in a folding block, their width, and the channels of products of pairs.
const (
	FoldHeads = 4
	FoldWidth = 16
	FoldPairs = 16
)

// folding makes what is known of aligned sequences and of pairs of their places, and the parameters of a block in which
// each tells the other, as in J. Jumper et al., Highly accurate protein structure prediction with AlphaFold (2021):
// attention along sequences with what is known of pairs, mean products of places, products of the sides of triangles,
// attention along pairs that begin at one place, and two layers behind each.
func folding(sequences, places, d, pair int) func(*source) {
	return func(s *source) {
		s.normal("x", sequences, places, d)
		s.normal("z", places, places, pair)
		attention := func(name string, width int) {
			s.numberedNorm("g"+name, "c"+name, 0, width)
			s.weight("qkv"+name, 3*FoldHeads*FoldWidth, width)
			s.weight("pair"+name, FoldHeads, pair)
			s.linear("gate"+name, "bgate"+name, width, FoldHeads*FoldWidth)
			s.linear("out"+name, "bout"+name, FoldHeads*FoldWidth, width)
		}
		layers := func(name string, width int) {
			s.numberedNorm("g"+name, "c"+name, 0, width)
			s.linear("w"+name, "b"+name, width, 4*width)
			s.linear("v"+name, "d"+name, 4*width, width)
		}
		attention("row", d)
		layers("rows", d)
		s.numberedNorm("gouter", "couter", 0, d)
		s.linear("sides", "bsides", d, 2*FoldPairs)
		s.linear("outer", "bouter", FoldPairs*FoldPairs, pair)
		s.numberedNorm("gtriangle", "ctriangle", 0, pair)
		s.linear("ab", "bab", pair, 2*pair)
		s.linear("open", "bopen", pair, 2*pair)
		s.numberedNorm("gproduct", "cproduct", 0, pair)
		s.linear("product", "bproduct", pair, pair)
		s.linear("passes", "bpasses", pair, pair)
		attention("start", pair)
		layers("pairs", pair)
	}
}

// The frequencies of a Fourier layer along each axis, and the layers.
const (
	FourierModes  = 12
	FourierLayers = 3
)

// fourier makes functions on a grid, what an operator makes of them, and the parameters of layers that multiply low
// frequencies with matrices of complex numbers, as in Z. Li et al., Fourier Neural Operator for Parametric Partial
// Differential Equations, arXiv:2010.08895.
func fourier(batch, size, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 1, size, size)
		s.normal("y", batch, 1, size, size)
		s.filters("lift", "blift", d, d, 1, 1, 1)
		for i := range FourierLayers {
			for _, name := range []string{"low", "high"} {
				s.scaled(numbered(name, i), 1/float64(d), d, d, FourierModes, FourierModes, 2)
			}
			s.filters(numbered("w", i), numbered("b", i), d, d, d, 1, 1)
		}
		s.filters("last", "blast", 1, 1, d, 1, 1)
	}
}

// The pieces of a spline between -1 and 1, and its order.
const (
	SplinePieces = 5
	SplineOrder  = 3
)

// splines makes a batch with its classes and the parameters of layers that add up a spline of each element, as in Z.
// Liu et al., KAN: Kolmogorov-Arnold Networks, arXiv:2404.19756. Knots are given for each element.
func splines(batch int, widths ...int) func(*source) {
	return func(s *source) {
		s.uniform("x", -1, 1, batch, widths[0])
		s.classes("t", widths[len(widths)-1], batch)
		for i, in := range widths[:len(widths)-1] {
			const knots = SplinePieces + 2*SplineOrder + 1
			at := 0
			s.add(numbered("knots", i), []int{in, knots}, func() float32 {
				k := at % knots
				at++
				return float32(k-SplineOrder)*2/SplinePieces - 1
			})
			s.weight(numbered("base", i), widths[i+1], in)
			s.scaled(numbered("spline", i), 0.1, widths[i+1], in, SplinePieces+SplineOrder)
		}
	}
}

// RoutingSteps is how often capsules are asked which of the next ones they agree with.
const RoutingSteps = 3

// capsules makes images with their classes and the parameters of convolutions and of what each vector of the first
// capsules says of each class, as in S. Sabour, N. Frosst, G. E. Hinton, Dynamic Routing Between Capsules,
// arXiv:1710.09829.
func capsules(batch, size int) func(*source) {
	const classes, channels, width, out = 10, 64, 8, 16
	return func(s *source) {
		s.normal("x", batch, 1, size, size)
		s.classes("t", classes, batch)
		s.filters("w0", "b0", channels, channels, 1, 9, 9)
		s.filters("w1", "b1", channels, channels, channels, 9, 9)
		left := (size-8-9)/2 + 1
		s.scaled("votes", 0.1, classes, channels/width*left*left, out, width)
	}
}

// nowcast makes consecutive images, the next one, and the parameters of a recurrent convolution, as in X. Shi et al.,
// Convolutional LSTM Network, arXiv:1506.04214, without peepholes.
func nowcast(batch, length, size, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, length, 1, size, size)
		s.normal("y", batch, 1, size, size)
		s.filters("w", "b", 4*d, 4*d, 1+d, 3, 3)
		s.filters("last", "blast", 1, 1, d, 1, 1)
	}
}

// tagger makes sequences of words with a tag for each, and the parameters of a recurrent layer in both directions and
// of which tag follows which, as in Z. Huang, W. Xu, K. Yu, Bidirectional LSTM-CRF Models for Sequence Tagging,
// arXiv:1508.01991.
func tagger(batch, length, words, d, tags int) func(*source) {
	return func(s *source) {
		s.classes("x", words, batch, length)
		s.classes("t", tags, batch, length)
		s.scaled("words", 0.1, words, d)
		s.cell("lstm", "_l0", 4, d, d)
		s.cell("lstm", "_l0_reverse", 4, d, d)
		s.linear("head", "bias", 2*d, tags)
		s.scaled("follows", 0.1, tags, tags)
	}
}

// MoleculeLayers is the number of layers in which atoms exchange messages.
const MoleculeLayers = 3

// molecules makes atoms with places, a property of each molecule and where its atoms go, and the parameters of layers
// that see distances between atoms and move them, as in V. G. Satorras, E. Hoogeboom, M. Welling, E(n) Equivariant
// Graph Neural Networks, arXiv:2102.09844.
func molecules(batch, atoms, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, atoms, 3)
		s.normal("h", batch, atoms, d)
		s.normal("y", batch, 1)
		s.normal("to", batch, atoms, 3)
		for i := range MoleculeLayers {
			s.linear(numbered("edge", i), numbered("bedge", i), 2*d+1, d)
			s.linear(numbered("tell", i), numbered("btell", i), d, d)
			s.linear(numbered("pull", i), numbered("bpull", i), d, d)
			s.scaled(numbered("far", i), 0.001, 1, d)
			s.linear(numbered("node", i), numbered("bnode", i), 2*d, d)
			s.linear(numbered("next", i), numbered("bnext", i), d, d)
		}
		s.linear("head", "bias", d, 1)
	}
}

// The steps that bring a plan closer to its margins, and how much the plan is smoothed.
const (
	TransportSteps  = 50
	TransportSmooth = 0.1
)

// transport makes two clouds of points and the parameters of a layer in which moving one to the other is to cost
// little, as in M. Cuturi, Sinkhorn Distances, arXiv:1306.0895.
func transport(points, width, d int) func(*source) {
	return func(s *source) {
		s.normal("x", points, width)
		s.normal("y", points, width)
		s.linear("w", "b", width, d)
	}
}

// The constants of what a policy learns.
const (
	PolicyClip    = 0.2
	PolicyEntropy = 0.01
)

// policy makes what was seen and done with what it brought, and the parameters of a policy and of what it is worth, as
// in J. Schulman et al., Proximal Policy Optimization Algorithms, arXiv:1707.06347.
func policy(batch, seen, moves, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, seen)
		s.normal("move", batch, moves)
		s.normal("gain", batch)
		s.normal("worth", batch)
		s.uniform("before", -10, -8, batch)
		for _, net := range []string{"p", "v"} {
			out := map[string]int{"p": moves, "v": 1}[net]
			for i, w := range [][2]int{{seen, d}, {d, d}, {d, out}} {
				s.linear(numbered(net+"w", i), numbered(net+"b", i), w[0], w[1])
			}
		}
		s.zeros("deviation", moves)
	}
}

// The grids of a hashed table, of which the finest has some cells along each axis, the entries of one of them, and
// their width.
const (
	HashLevels  = 8
	HashFinest  = 256
	HashEntries = 1 << 14
	HashWidth   = 2
)

// hashed makes points with colours, a table for each of some grids, from which a point takes what is told for the
// corners of its cell, and layers behind them, as in T. Müller et al., Instant Neural Graphics Primitives,
// arXiv:2201.05989.
func hashed(points, d int) func(*source) {
	return func(s *source) {
		s.uniform("x", 0, 1, points, 3)
		s.uniform("y", 0, 1, points, 3)
		for i := range HashLevels {
			s.scaled(numbered("table", i), 0.1, HashEntries, HashWidth)
		}
		for i, w := range [][2]int{{HashLevels * HashWidth, d}, {d, d}, {d, 3}} {
			s.linear(numbered("w", i), numbered("b", i), w[0], w[1])
		}
	}
}
