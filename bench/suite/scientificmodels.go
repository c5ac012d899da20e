package suite

import "math"

// gat makes nodes of a graph with their classes, edges by their ends, and the parameters of two layers of attention
// along edges, as in P. Veličković et al., arXiv:1710.10903: of width d with some heads, and of the classes with one.
func gat(nodes, edges, features, heads, d int) func(*source) {
	const classes = 7
	return func(s *source) {
		s.normal("x", nodes, features)
		s.classes("t", classes, nodes)
		s.classes("from", nodes, edges)
		s.classes("to", nodes, edges)
		s.weight("w0", heads*d, features)
		s.scaled("from0", 0.1, heads, d)
		s.scaled("to0", 0.1, heads, d)
		s.weight("w1", classes, heads*d)
		s.scaled("from1", 0.1, 1, classes)
		s.scaled("to1", 0.1, 1, classes)
	}
}

// NeRFBands is the number of frequencies that encode a coordinate.
const NeRFBands = 10

// nerf makes origins and directions of rays with the colours that are seen along them, distances of samples, and layers
// that tell the density and the colour at places, as in B. Mildenhall et al., arXiv:2003.08934, without the direction.
func nerf(rays, samples, d, layers int) func(*source) {
	return func(s *source) {
		s.uniform("origin", -1, 1, rays, 3)
		s.normal("direction", rays, 3)
		s.uniform("colour", 0, 1, rays, 3)
		s.uniform("step", 0.01, 0.1, rays, samples)
		in := 3 + 6*NeRFBands
		for i := range layers {
			s.linear(numbered("w", i), numbered("b", i), in, d)
			in = d
		}
		s.linear("head", "bias", d, 4)
	}
}

// neuralODE makes states, where they are to be, and layers that tell how fast a state changes; NeuralODESteps of Runge
// and Kutta's method go from time 0 to 1.
func neuralODE(batch, width, d int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, width)
		s.normal("y", batch, width)
		for i, w := range [][2]int{{width, d}, {d, d}, {d, width}} {
			s.linear(numbered("w", i), numbered("b", i), w[0], w[1])
		}
	}
}

// NeuralODESteps is the number of steps.
const NeuralODESteps = 20

// torus makes temperatures, and what they are to be after HeatSteps.
func torus(n int) func(*source) {
	return func(s *source) {
		s.normal("x", n, n)
		s.normal("y", n, n)
		s.parameter("conductivity", []int{n, n}, func() float32 { return float32(s.rng.Float64()) })
	}
}

// HeatSteps is the number of steps, each of time HeatTime.
const (
	HeatSteps = 50
	HeatTime  = 0.1
)

// bodies makes bodies with masses and speeds, and where they are to be after NBodySteps.
func bodies(n int) func(*source) {
	return func(s *source) {
		s.normal("x", n, 3)
		s.normal("y", n, 3)
		s.uniform("mass", 0, 1, n)
		s.zeros("speed", n, 3)
	}
}

// NBodySteps is the number of steps, each of time NBodyTime.
const (
	NBodySteps = 50
	NBodyTime  = 0.01
)

// gaussianProcess makes points with values, and the logarithms of lengths for each coordinate, of a variance and of the
// noise.
func gaussianProcess(points, width int) func(*source) {
	return func(s *source) {
		s.normal("x", points, width)
		s.normal("y", points, 1)
		s.zeros("lengths", width)
		s.zeros("variance", 1)
		s.parameter("noise", []int{1}, func() float32 { return float32(math.Log(0.1)) })
	}
}
