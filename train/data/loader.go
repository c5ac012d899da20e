package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/broadloom/broadloom/exec"
)

// Loader makes batches of columns, epoch by epoch. It never changes, and any number of goroutines
// may use it if its columns allow that.
type Loader struct {
	columns  []Column
	size     int
	n        int // examples
	shuffled bool
	seed     uint64
	dropLast bool
	ahead    int
}

// Option changes how batches are made.
type Option func(*Loader)

// Shuffled hands out the examples in an order that the seed and the number of the epoch decide.
func Shuffled(seed uint64) Option { return func(l *Loader) { l.shuffled, l.seed = true, seed } }

// DropLast leaves out the last examples of an epoch if they do not fill a batch; one batch must be full. Otherwise
// the last batch is smaller.
func DropLast() Option { return func(l *Loader) { l.dropLast = true } }

// Prefetched makes up to so many batches in the background while one is used.
func Prefetched(batches int) Option { return func(l *Loader) { l.ahead = max(batches, 0) } }

// New makes batches of so many examples from columns of the same length.
func New(batch int, columns []Column, opts ...Option) (*Loader, error) {
	if batch < 1 {
		return nil, fmt.Errorf("data: a batch of %d examples: it must be at least 1", batch)
	}
	if len(columns) == 0 || slices.Contains(columns, nil) {
		return nil, errors.New("data: batches need at least one column, and none may be nil")
	}
	l := &Loader{columns: slices.Clone(columns), size: batch, n: columns[0].Len()}
	for i, c := range columns {
		if c.Len() != l.n {
			return nil, fmt.Errorf("data: column 0 has %d examples, but column %d has %d", l.n, i, c.Len())
		}
		if p, is := c.(*part); is {
			if err := p.check(); err != nil {
				return nil, fmt.Errorf("data: column %d: %w", i, err)
			}
		}
	}
	for _, o := range opts {
		if o != nil {
			o(l)
		}
	}
	if l.dropLast && l.n < l.size {
		return nil, fmt.Errorf(
			"data: DropLast leaves no batch: there are %d examples, but a batch has %d; make the batch smaller, or keep the last one",
			l.n, l.size)
	}
	return l, nil
}

// Len returns the number of examples.
func (l *Loader) Len() int { return l.n }

// Batches returns the number of batches in an epoch.
func (l *Loader) Batches() int {
	if l.dropLast {
		return l.n / l.size
	}
	return l.n/l.size + min(l.n%l.size, 1)
}

// Batch is some examples.
type Batch struct {
	Number  int   // in its epoch, from 0
	Rows    []int // the numbers of the examples
	Columns []exec.Array
}

// Epoch yields all batches of an epoch. It ends with the first error, or that of the context if it ended; the batch of
// an error is empty. When the loop over it is left in any way, nothing runs in the background any more.
func (l *Loader) Epoch(ctx context.Context, epoch int) iter.Seq2[Batch, error] {
	return l.From(ctx, epoch, 0)
}

// From is [Loader.Epoch] without the batches before the given one, for training that resumes.
func (l *Loader) From(ctx context.Context, epoch, first int) iter.Seq2[Batch, error] {
	if ctx == nil {
		ctx = context.Background()
	}
	batches := func(yield func(Batch, error) bool) {
		order := l.order(epoch)
		for number := max(first, 0); number < l.Batches(); number++ {
			b, err := l.batch(ctx, number, order)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
	if l.ahead == 0 {
		return batches
	}
	return prefetch(ctx, l.ahead, func(inner context.Context) iter.Seq2[Batch, error] {
		return (&Loader{columns: l.columns, size: l.size, n: l.n, shuffled: l.shuffled, seed: l.seed,
			dropLast: l.dropLast}).From(inner, epoch, first)
	})
}

// order returns the examples of an epoch in their order.
func (l *Loader) order(epoch int) []int {
	if l.shuffled {
		return rand.New(rand.NewPCG(l.seed, uint64(epoch))).Perm(l.n)
	}
	order := make([]int, l.n)
	for i := range order {
		order[i] = i
	}
	return order
}

func (l *Loader) batch(ctx context.Context, number int, order []int) (Batch, error) {
	if err := context.Cause(ctx); err != nil {
		return Batch{}, err
	}
	b := Batch{Number: number, Rows: order[number*l.size : min((number+1)*l.size, l.n)]}
	for i, c := range l.columns {
		a, err := c.Batch(ctx, b.Rows)
		if err != nil {
			return Batch{}, fmt.Errorf("data: column %d of batch %d: %w", i, number, err)
		}
		b.Columns = append(b.Columns, a)
	}
	return b, nil
}
