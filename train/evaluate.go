package train

import (
	"context"
	"errors"
	"iter"

	"github.com/broadloom/broadloom/exec"
)

// Source yields the feeds of an epoch, from a given step on; both count from 0. The same numbers must give the same
// batches, so that training can resume from a checkpoint. It ends with the first error. data.Loader.Feeds makes one; a
// function around it can feed more, such as a learning rate.
type Source func(ctx context.Context, epoch, first int) iter.Seq2[exec.Feed, error]

// Evaluate runs a session over batches without performing updates, and passes each result to a function. It stops at
// the first error.
func Evaluate(ctx context.Context, s *exec.Session, batches iter.Seq2[exec.Feed, error],
	each func(exec.Feed, *exec.Results) error) error {
	if s == nil || batches == nil || each == nil {
		return errors.New("train: Evaluate got a nil session, nil batches or a nil function")
	}
	for feed, err := range batches {
		if err != nil {
			return err
		}
		r, err := s.RunWithoutUpdates(ctx, feed)
		if err != nil {
			return err
		}
		if err := each(feed, r); err != nil {
			return err
		}
	}
	return nil
}
