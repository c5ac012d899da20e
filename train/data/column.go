package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Element is the element type of a batch: the Go types of the graph's dtypes.
type Element = graph.Element

// Column is one value of each example, such as its image or its class. Columns of the user's own
// may read from the disk or draw at random. One goroutine at a time calls Batch.
type Column interface {
	// Len returns the number of examples.
	Len() int
	// Batch returns the values of some examples, of shape [len(rows), ...], in memory that is not written again. Rows
	// are from 0 to Len()-1.
	Batch(ctx context.Context, rows []int) (exec.Array, error)
}

// Of makes a column of contiguous examples. Each has the given shape; it is a scalar if there is none. The memory is
// not copied.
func Of[T Element](values []T, example ...int) (Column, error) {
	return newValues(values, func(dst, src []T) { copy(dst, src) }, example)
}

// Converted is [Of] values that are converted when a batch is made, such as bytes of pixels: no
// converted copy of all of them is in memory.
func Converted[S any, T Element](values []S, convert func(S) T, example ...int) (Column, error) {
	if convert == nil {
		return nil, errors.New("data: the function of Converted is nil")
	}
	return newValues(values, func(dst []T, src []S) {
		for i, v := range src {
			dst[i] = convert(v)
		}
	}, example)
}

// values is a column in memory.
type values[S any, T Element] struct {
	all   []S
	fill  func(dst []T, src []S)
	shape []int // of one example
	size  int   // the elements of one example
	n     int   // examples
}

func newValues[S any, T Element](all []S, fill func([]T, []S), example []int) (Column, error) {
	size := 1
	for _, n := range example {
		if n < 0 || n > 0 && size > math.MaxInt/n {
			return nil, fmt.Errorf("data: an example cannot have shape %v", example)
		}
		size *= n
	}
	if size == 0 {
		return nil, fmt.Errorf(
			"data: examples of shape %v have no elements, so %d values do not determine their number", example,
			len(all))
	}
	if len(all)%size != 0 {
		return nil, fmt.Errorf("data: %d values are not a whole number of examples of shape %v, which have %d each",
			len(all), example, size)
	}
	return &values[S, T]{all, fill, slices.Clone(example), size, len(all) / size}, nil
}

// Len implements [Column].
func (v *values[S, T]) Len() int { return v.n }

// Batch implements [Column].
func (v *values[S, T]) Batch(_ context.Context, rows []int) (exec.Array, error) {
	made := make([]T, len(rows)*v.size)
	for i, row := range rows {
		if row < 0 || row >= v.n {
			return exec.Array{}, fmt.Errorf("data: there is no example %d of %d", row, v.n)
		}
		v.fill(made[i*v.size:(i+1)*v.size], v.all[row*v.size:(row+1)*v.size])
	}
	return exec.Array{Shape: append([]int{len(rows)}, v.shape...), Data: made}, nil
}

// Rows is a column of some of the examples of another, in the given order.
func Rows(c Column, rows []int) Column { return &part{c, slices.Clone(rows)} }

// part is the result of Rows.
type part struct {
	of   Column
	rows []int
}

// Len implements [Column].
func (p *part) Len() int { return len(p.rows) }

// check finds a row that the column does not have, before there are batches.
func (p *part) check() error {
	if p.of == nil {
		return errors.New("Rows is given no column")
	}
	for _, row := range p.rows {
		if row < 0 || row >= p.of.Len() {
			return fmt.Errorf("Rows names example %d of %d", row, p.of.Len())
		}
	}
	return nil
}

// Batch implements [Column].
func (p *part) Batch(ctx context.Context, rows []int) (exec.Array, error) {
	if p.of == nil {
		return exec.Array{}, errors.New("data: Rows is given no column")
	}
	chosen := make([]int, len(rows))
	for i, row := range rows {
		if row < 0 || row >= len(p.rows) {
			return exec.Array{}, fmt.Errorf("data: there is no example %d of %d", row, len(p.rows))
		}
		chosen[i] = p.rows[row]
	}
	return p.of.Batch(ctx, chosen)
}

// Split divides the numbers from 0 to n-1 at random: about the given fraction of them, from 0 to 1, is kept for
// testing. The seed determines the choice. Pass them to [Rows] of every column.
func Split(n int, fraction float64, seed uint64) (training, test []int) {
	order := rand.New(rand.NewPCG(seed, splitStream)).Perm(max(n, 0))
	kept := int(min(max(fraction, 0), 1)*float64(len(order)) + 0.5)
	return order[kept:], order[:kept]
}

// splitStream keeps the split apart from the orders of epochs of the same seed.
const splitStream = 1 << 63
