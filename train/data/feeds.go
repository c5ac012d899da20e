package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Feeds returns the batches as feeds of inputs: the first column to the first input, and so on. An input that is nil
// leaves its column out. The function takes the number of an epoch and that of the first batch: it is the source of
// package train's loop. Columns of this package know the type of their examples: an input that cannot be fed with them
// is an error.
func (l *Loader) Feeds(inputs ...*graph.Node) (func(ctx context.Context, epoch, first int) iter.Seq2[exec.Feed, error],
	error) {
	if len(inputs) != len(l.columns) {
		return nil, fmt.Errorf("data: got %d inputs for %d columns", len(inputs), len(l.columns))
	}
	if !slices.ContainsFunc(inputs, func(in *graph.Node) bool { return in != nil }) {
		return nil, errors.New("data: all inputs are nil: nothing would be fed")
	}
	for i, in := range inputs {
		if in == nil {
			continue
		}
		if slices.Contains(inputs[:i], in) {
			return nil, fmt.Errorf("data: input %s is used for two columns", in.Called())
		}
		if err := l.fits(in, i); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, epoch, first int) iter.Seq2[exec.Feed, error] {
		return func(yield func(exec.Feed, error) bool) {
			for b, err := range l.From(ctx, epoch, first) {
				if err != nil {
					yield(nil, err)
					return
				}
				feed := exec.Feed{}
				for i, in := range inputs {
					if in != nil {
						feed[in] = b.Columns[i]
					}
				}
				if !yield(feed, nil) {
					return
				}
			}
		}
	}, nil
}

// fits says why an input cannot be fed with the batches of column i.
func (l *Loader) fits(in *graph.Node, i int) error {
	if !in.IsInput() {
		return fmt.Errorf("data: %s (%s), to be fed with column %d, is not an input: declare inputs with Graph.Input",
			in, in.Pos(), i)
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("data: input %s (%s) is fed with column %d: %s", in, in.Pos(), i,
			fmt.Sprintf(format, args...))
	}
	if in.Rank() == 0 {
		return wrong("a scalar has no axis of examples: declare one, such as g.Dim(\"batch\")")
	}
	c, tells := l.columns[i].(exampled)
	if tells {
		dtype, example, known := c.example()
		if known && dtype != in.DType() {
			return wrong("its elements are %s; declare the input with that dtype, or convert them with data.Converted",
				dtype)
		}
		if known && !canBe(in, example) {
			return wrong("its examples have shape %v, but the input's have %s", example, in.Shape()[1:])
		}
	}
	batch, known := in.Graph().Known(in.Shape()[0])
	full := min(l.size, l.n)
	switch rest := l.n % l.size; {
	case !known || l.n == 0:
	case batch != int64(full):
		return wrong("batches have %d examples; name the size of the first axis, such as g.Dim(\"batch\")", full)
	case rest > 0 && full == l.size && !l.dropLast:
		return wrong(
			"the last batch of an epoch has %d examples; leave it out by data.DropLast, or name the size of the first axis",
			rest)
	}
	return nil
}

// exampled is a column that knows the type and shape of its examples.
type exampled interface {
	example() (dtype graph.DType, shape []int, known bool)
}

func (v *values[S, T]) example() (graph.DType, []int, bool) { return graph.DTypeOf[T](), v.shape, true }

func (p *pixels[T]) example() (graph.DType, []int, bool) {
	return graph.DTypeOf[T](), []int{p.channels, p.height, p.width}, true
}

func (p *part) example() (dtype graph.DType, shape []int, known bool) {
	if c, tells := p.of.(exampled); tells {
		return c.example()
	}
	return graph.InvalidDType, nil, false
}

// canBe reports whether the input's sizes after the first can be those of an example.
func canBe(in *graph.Node, example []int) bool {
	if in.Rank() != 1+len(example) {
		return false
	}
	for axis, size := range example {
		if n, known := in.Graph().Known(in.Shape()[1+axis]); known && n != int64(size) {
			return false
		}
	}
	return true
}
