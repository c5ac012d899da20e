package dense

import "math"

// secular is the equation
//
//	1/rho + Σ z[i]²/(p[i] - x) = 0
//
// whose poles p rise; rho is positive. There is one solution behind each pole, before the next one. Poles are the
// numbers d, or their squares; d is not negative then.
type secular struct {
	d, z    []float64
	rho     float64
	squares bool
	gaps    []float64 // from one pole, that of [secular.from]
}

// gap is how far a pole is from another one.
func (s *secular) gap(i, origin int) float64 {
	if s.squares {
		return (s.d[i] - s.d[origin]) * (s.d[i] + s.d[origin])
	}
	return s.d[i] - s.d[origin]
}

func (s *secular) from(origin int) {
	for i := range s.gaps {
		s.gaps[i] = s.gap(i, origin)
	}
}

// sums are those of the terms of some poles, and their derivatives.
func (s *secular) sums(x float64, first, end int) (sum, slope float64) {
	gaps, z := s.gaps[first:end], s.z[first:end]
	for i, v := range z {
		share := v / (gaps[i] - x)
		sum += float64(v * share)
		slope += float64(share * share)
	}
	return sum, slope
}

const (
	epsilon         = 0x1p-52
	rootSteps       = 8   // that most roots take, roughly
	maxSecularSteps = 120 // more than halving an interval until its ends are neighbours wants
)

// root finds the solution behind a pole. It writes the poles' distances from it, p[i] - x, exact to some last digits,
// and returns the pole that it is near to, and how far it is from that. A step solves an equation with two poles that
// has the value and the slope of the sums on both sides: Bunch, Nielsen and Sorensen, Rank-one modification of the
// symmetric eigenproblem, 1978. Steps that leave the interval halve it.
func (s *secular) root(behind int, distances []float64) (origin int, x float64) {
	origin = behind
	last := len(s.d) - 1
	left, right := behind, behind+1 // the poles of a step
	s.from(origin)
	low, high := 0.0, 0.0
	if behind == last {
		for _, v := range s.z {
			high += float64(v * v)
		}
		high *= s.rho
		left, right = last-1, last
		x = high / 2
		if last == 0 {
			left, x = 0, high
		}
	} else {
		middle := s.gaps[right] / 2
		sum, _ := s.sums(middle, 0, len(s.z))
		a, b := float64(s.z[left]*s.z[left]), float64(s.z[right]*s.z[right])
		rest := 1/s.rho + (sum - (a/(s.gaps[left]-middle) + b/(s.gaps[right]-middle)))
		if gap := s.gaps[right]; 1/s.rho+sum >= 0 {
			high = middle
			x = ofQuadratic(rest, float64(rest*gap)+a+b, a*gap, false)
		} else {
			origin = right
			s.from(origin)
			low = -middle
			x = ofQuadratic(rest, a+b-float64(rest*gap), -b*gap, false)
		}
		if !(x > low && x < high) {
			x = (low + high) / 2
		}
	}
	for range maxSecularSteps {
		below, belowSlope := s.sums(x, 0, left+1)
		above, aboveSlope := s.sums(x, left+1, len(s.z))
		value := 1/s.rho + (below + above)
		if math.Abs(value) <= 4*epsilon*(1/s.rho+math.Abs(below)+math.Abs(above)) {
			break
		}
		if value < 0 {
			low = x
		} else {
			high = x
		}
		// Distances from the poles of the step.
		l, r := s.gaps[left]-x, s.gaps[right]-x
		rest := value - float64(l*belowSlope) - float64(r*aboveSlope)
		next := x + ofQuadratic(rest, float64((l+r)*value)-float64(l*r*(belowSlope+aboveSlope)), l*r*value,
			behind == last)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if next == x || next == low || next == high {
			break
		}
		x = next
	}
	for i, gap := range s.gaps {
		distances[i] = gap - x
	}
	return origin, x
}

// ofQuadratic is a solution of a·x² - b·x + c = 0: that nearer to 0, if b is positive, or the other one.
func ofQuadratic(a, b, c float64, other bool) float64 {
	root := math.Sqrt(math.Abs(float64(b*b) - float64(4*a*c)))
	switch {
	case other && b >= 0:
		return (b + root) / (2 * a)
	case other:
		return 2 * c / (b - root)
	case b > 0:
		return 2 * c / (b + root)
	}
	return (b - root) / (2 * a)
}

// weights writes the z with which the solutions that were found are exact, from all poles' distances of them, rows by
// solutions: Gu and Eisenstat, A stable and efficient algorithm for the rank-one modification of the symmetric
// eigenproblem, 1994. The vectors of the solutions are orthogonal with these.
func (s *secular) weights(memory Memory, weights, distances []float64) {
	k := len(s.d)
	for i := range weights {
		weights[i] = -distances[i*k+i]
	}
	for j := range k {
		memory.Poll(k)
		row := distances[j*k : (j+1)*k]
		for i, v := range row {
			if i != j {
				weights[i] *= v / s.gap(i, j)
			}
		}
	}
	for i, v := range weights {
		weights[i] = math.Copysign(math.Sqrt(math.Abs(v)), s.z[i])
	}
}
