package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/broadloom/broadloom/graph"
)

// shaped is an initialiser of some shapes only.
type shaped struct {
	rule
	trouble func(shape []int) string
}

// CheckShape implements graph.ShapeChecker.
func (s shaped) CheckShape(shape []int) string { return s.trouble(shape) }

// TruncNormal draws from the normal distribution with the given mean and standard deviation, restricted to the range
// from low to high: PyTorch's trunc_normal_. It inverts the distribution function, so that narrow ranges far out cost
// no more.
func TruncNormal(mean, std, low, high float64) graph.Initializer {
	below := func(x float64) float64 { return math.Erf((x - mean) / (std * math.Sqrt2)) } // 2Φ-1
	return drawn(fmt.Sprintf("trunc_normal(%g,%g,%g,%g)", mean, std, low, high),
		func(rng *rand.Rand, _ []int) func() float64 {
			from, to := below(low), below(high)
			return func() float64 {
				x := mean + std*math.Sqrt2*math.Erfinv(from+(to-from)*rng.Float64())
				return min(max(x, low), high)
			}
		})
}

// Orthogonal draws a matrix [rows, columns] whose rows or columns, whichever are fewer, are orthogonal and of length
// gain. All axes but the first count as columns. Source: Saxe and others, Exact solutions to the nonlinear dynamics
// of learning in deep linear neural networks, 2013.
func Orthogonal(gain float64) graph.Initializer {
	init := drawn("orthogonal", func(rng *rand.Rand, shape []int) func() float64 {
		rows, columns := shape[0], elements(shape[1:])
		vectors, long := rows, columns
		if rows > columns {
			vectors, long = columns, rows
		}
		q := orthonormal(rng, vectors, long)
		i := -1
		return func() float64 {
			i++
			r, c := i/columns, i%columns
			if rows > columns {
				r, c = c, r
			}
			return gain * q[r][c]
		}
	})
	return shaped{init.(rule), atLeastRank(2)}
}

// orthonormal draws vectors from the normal distribution and makes them orthogonal by the method of
// Gram and Schmidt, each twice since once leaves rounding errors behind.
func orthonormal(rng *rand.Rand, vectors, length int) [][]float64 {
	q := make([][]float64, vectors)
	for i := range q {
		v := make([]float64, length)
		for k := range v {
			v[k] = rng.NormFloat64()
		}
		for range 2 {
			for _, u := range q[:i] {
				addTo(v, u, -dot(u, v))
			}
		}
		norm := math.Sqrt(dot(v, v))
		for k := range v {
			v[k] /= norm
		}
		q[i] = v
	}
	return q
}

func dot(u, v []float64) (sum float64) {
	for k := range u {
		sum += u[k] * v[k]
	}
	return sum
}

func addTo(v, u []float64, factor float64) {
	for k := range v {
		v[k] += factor * u[k]
	}
}

// Eye makes an identity matrix: 1 on the diagonal, and 0 elsewhere.
func Eye() graph.Initializer {
	return shaped{placed("eye", func(shape []int) func(index []int) float64 {
		return func(index []int) float64 { return one(index[0] == index[1]) }
	}), func(shape []int) string {
		if len(shape) != 2 {
			return fmt.Sprintf("an identity needs a matrix, but the parameter has shape %v", shape)
		}
		return ""
	}}
}

// Dirac makes the weight of a convolution, [out, in/groups, …], that passes through as many channels of each group as
// possible: PyTorch's dirac_.
func Dirac(groups int) graph.Initializer {
	return shaped{placed("dirac", func(shape []int) func(index []int) float64 {
		each := shape[0] / groups
		return func(index []int) float64 {
			at := index[0]%each == index[1]
			for axis, i := range index[2:] {
				at = at && i == shape[axis+2]/2
			}
			return one(at)
		}
	}), func(shape []int) string {
		if groups < 1 || len(shape) > 0 && shape[0]%groups != 0 {
			return fmt.Sprintf("%d groups do not divide the outputs of %v", groups, shape)
		}
		return atLeastRank(3)(shape)
	}}
}

// Sparse draws from the normal distribution with mean 0 and the given standard deviation, and sets the given fraction
// of each column of a matrix, rounded up, to 0: PyTorch's sparse_ (Martens, Deep learning via Hessian-free
// optimization, 2010).
func Sparse(sparsity, std float64) graph.Initializer {
	init := drawn(fmt.Sprintf("sparse(%g,%g)", sparsity, std), func(rng *rand.Rand, shape []int) func() float64 {
		rows, columns := shape[0], shape[1]
		zero := make([]bool, rows*columns)
		for c := range columns {
			for _, r := range rng.Perm(rows)[:int(math.Ceil(sparsity*float64(rows)))] {
				zero[r*columns+c] = true
			}
		}
		i := -1
		return func() float64 {
			if i++; zero[i] {
				return 0
			}
			return std * rng.NormFloat64()
		}
	})
	return shaped{init.(rule), func(shape []int) string {
		if len(shape) != 2 || !(sparsity >= 0 && sparsity <= 1) {
			return fmt.Sprintf("it needs a matrix and a fraction of zeros from 0 to 1, but the parameter has shape %v",
				shape)
		}
		return ""
	}}
}

// placed is an initialiser whose elements follow from their indices.
func placed(name string, element func(shape []int) func(index []int) float64) rule {
	return rule{name, func(shape []int, _ uint64) func() float64 {
		at, index := element(shape), make([]int, len(shape))
		next := -1
		return func() float64 {
			next++
			rest := next
			for axis := len(shape) - 1; axis >= 0; axis-- {
				index[axis], rest = rest%shape[axis], rest/shape[axis]
			}
			return at(index)
		}
	}}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func atLeastRank(rank int) func(shape []int) string {
	return func(shape []int) string {
		if len(shape) < rank {
			return fmt.Sprintf("it needs at least %d axes, but the parameter has shape %v", rank, shape)
		}
		return ""
	}
}
