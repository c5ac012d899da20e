package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/weights"
)

// Loop says how to train. Session, Loss, Batches and Epochs are required, the others are optional.
type Loop struct {
	Session *exec.Session // of a program with the training updates
	Loss    *graph.Node   // a scalar output of its program
	Batches Source
	Epochs  int

	// Measures are further scalar outputs that are recorded with the loss, such as the learning rate or an accuracy, by
	// name.
	Measures []*graph.Node
	// Evaluate is called after each epoch; its results are added to the epoch's metrics, under names that are not in
	// use: "loss" is the training loss.
	Evaluate func(context.Context) (map[string]float64, error)
	// Stop ends training that no longer improves.
	Stop *Stop
	// Best is a file of package weights to which the parameters are saved after each epoch that Stop finds better than
	// all before. Its folder is created.
	Best string
	// Checkpoints keep the state of training. Run resumes from the newest one, if there is one.
	Checkpoints *weights.Checkpoints
	// Every is the number of steps after which a checkpoint is saved; 0 saves one after each epoch. Checkpoints are
	// also saved when the context ends, and at the end.
	Every int
	// Observers are notified of each step and epoch, in order.
	Observers []Observer
	// AllowNonFinite continues after a loss that is NaN or infinite. Otherwise such a loss is an error, a
	// *[NonFiniteError].
	AllowNonFinite bool
	// Blame copies and examines the parameters in each step, so that the error for a loss or parameter that is no
	// longer finite names the operation that caused it. Each step then takes about as much longer as reading and
	// writing all parameters twice.
	Blame bool
}

// Result is the result of Run.
type Result struct {
	Epochs  []Epoch // that ended in this call
	Total   int     // steps, including those before a checkpoint
	Resumed int     // the step from which it resumed, or 0
	Stopped bool    // whether Stop ended it
}

// Run trains. When the context ends, the error is its cause, and the result says what was done by then. With
// Checkpoints a step in progress is finished and saved first, so that a later Run arrives at the same parameters, to
// the last bit, as an uninterrupted one; without, the step stops between kernels.
func (l *Loop) Run(ctx context.Context) (*Result, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	r := &runner{Loop: l, result: &Result{}, state: &state{}}
	if err := r.makeRoom(); err != nil {
		return nil, err
	}
	if err := r.restore(); err != nil {
		return nil, err
	}
	r.result.Resumed = r.state.Total
	var err error
	if r.before, err = r.snapshot(); err != nil {
		return nil, err
	}
	err = r.run(ctx)
	r.result.Total = r.state.Total
	return r.result, err
}

// check reports missing fields.
func (l *Loop) check() error {
	switch {
	case l.Session == nil:
		return errors.New("train: Loop has no Session")
	case l.Loss == nil:
		return errors.New("train: Loop has no Loss")
	case l.Batches == nil:
		return errors.New("train: Loop has no Batches: data.Loader.Feeds makes them")
	case l.Epochs < 1:
		return fmt.Errorf("train: Loop has %d Epochs: it must be at least 1", l.Epochs)
	case l.Every < 0:
		return fmt.Errorf("train: Loop saves a checkpoint every %d steps", l.Every)
	case l.Stop != nil && l.Stop.Patience < 1:
		return fmt.Errorf("train: Stop has a patience of %d epochs: it must be at least 1", l.Stop.Patience)
	case l.Blame && l.AllowNonFinite:
		return errors.New("train: Loop has both Blame, which ends a training at the first NaN, and AllowNonFinite")
	case l.Stop == nil && l.Best != "":
		return errors.New("train: Best needs a Stop, which says what is better")
	}
	names := map[string]bool{lossName: true}
	for _, m := range l.Measures {
		if m == nil || m.Name() == "" {
			return errors.New("train: a node of Measures is nil or has no name: set one with Named")
		}
		if names[m.Name()] {
			return fmt.Errorf("train: the name %q of a node of Measures (%s) is taken: set another one with Named",
				m.Name(), m.Pos())
		}
		names[m.Name()] = true
	}
	if s := l.Stop; s != nil && s.Measure != "" && (s.Measure == lossName || l.Evaluate == nil && !names[s.Measure]) {
		delete(names, lossName)
		return noMeasure("Stop", s.Measure, slices.Sorted(maps.Keys(names)))
	}
	for _, o := range l.Observers {
		if v := reflect.ValueOf(o); !v.IsValid() ||
			(v.Kind() == reflect.Func || v.Kind() == reflect.Pointer) && v.IsNil() {
			return errors.New("train: an observer is nil")
		}
	}
	return nil
}

// runner is one call of Run.
type runner struct {
	*Loop
	result *Result
	state  *state
	before snapshot // of the parameters before the step, with Blame
}

// makeRoom makes the folder of Best, so that a path that cannot be written is reported before the first epoch.
func (r *runner) makeRoom() error {
	if r.Best == "" {
		return nil
	}
	if err := weights.CheckPath(r.Best); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Dir(r.Best), 0o777)
}

// restore goes back to the newest checkpoint.
func (r *runner) restore() error {
	if r.Checkpoints == nil {
		return nil
	}
	found, err := r.Checkpoints.Restore(r.Session)
	if err != nil || found == nil {
		return err
	}
	if r.state, err = readState(found.Metadata); err != nil {
		return err
	}
	// More epochs may be requested than at first.
	r.state.Finished = r.state.Finished && (r.stopped() || r.state.Epoch >= r.Epochs)
	return nil
}

// stopped reports whether Stop's patience is at its end.
func (r *runner) stopped() bool { return r.Stop != nil && r.state.Judged.Worse >= r.Stop.Patience }

func (r *runner) run(ctx context.Context) error {
	for r.state.Epoch < r.Epochs && !r.state.Finished {
		if err := r.epoch(ctx); err != nil {
			return r.leave(ctx, err)
		}
	}
	r.result.Stopped, r.state.Finished = r.stopped(), true
	return r.save()
}

// leave saves a training whose context ended.
func (r *runner) leave(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return errors.Join(err, r.save())
}

// epoch runs the rest of an epoch, and evaluates.
func (r *runner) epoch(ctx context.Context) error {
	began := time.Now()
	if r.state.Sums == nil {
		r.state.Sums = map[string]exactFloat{}
	}
	batches := r.Batches(ctx, r.state.Epoch, r.state.Number)
	if batches == nil {
		return fmt.Errorf("train: Batches returned nil for epoch %d", r.state.Epoch)
	}
	for feed, err := range batches {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = r.step(ctx, feed)
		}
		if err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.state.Number == 0 {
		return fmt.Errorf("train: epoch %d has no batches", r.state.Epoch)
	}
	e := r.summary()
	if r.Evaluate != nil {
		measures, err := r.Evaluate(ctx)
		if err != nil {
			return err
		}
		for name, v := range measures {
			if _, taken := e.Measures[name]; taken || name == lossName {
				return fmt.Errorf(
					"train: Evaluate returned %q, which training already measures: use another name, such as \"test %s\"",
					name, name)
			}
			e.Measures[name] = v
		}
	}
	e.Took = time.Since(began)
	return r.end(e)
}

// summary returns the means of an epoch.
func (r *runner) summary() Epoch {
	n := float64(r.state.Number)
	e := Epoch{Number: r.state.Epoch, Steps: r.state.Number, Total: r.state.Total, Loss: float64(r.state.Sum) / n,
		Measures: map[string]float64{}}
	for name, sum := range r.state.Sums {
		e.Measures[name] = float64(sum) / n
	}
	return e
}

// end closes an epoch.
func (r *runner) end(e Epoch) error {
	if r.Stop != nil {
		better, err := r.Stop.judge(&r.state.Judged, e)
		if err != nil {
			return err
		}
		if better && r.Best != "" {
			if err := weights.Save(r.Best, r.Session); err != nil {
				return err
			}
		}
	}
	r.result.Epochs = append(r.result.Epochs, e)
	*r.state = state{Epoch: e.Number + 1, Total: r.state.Total, Judged: r.state.Judged, Finished: r.stopped()}
	for _, o := range r.Observers {
		if err := o.Epoch(e); err != nil {
			return err
		}
	}
	if r.Every > 0 {
		return nil
	}
	return r.save()
}

// step takes one step and reports it.
func (r *runner) step(ctx context.Context, feed exec.Feed) error {
	if r.Checkpoints != nil {
		ctx = context.WithoutCancel(ctx) // half a step could not be resumed
	}
	began := time.Now()
	results, err := r.Session.Run(ctx, feed)
	if err != nil {
		return err
	}
	s := Step{Epoch: r.state.Epoch, Number: r.state.Number, Total: r.state.Total + 1, Measures: map[string]float64{},
		Feed: feed, Results: results, Took: time.Since(began)}
	if s.Loss, err = results.Scalar(r.Loss); err != nil {
		return err
	}
	for _, m := range r.Measures {
		if s.Measures[m.Name()], err = results.Scalar(m); err != nil {
			return err
		}
	}
	if !r.AllowNonFinite {
		if err := r.examine(ctx, s); err != nil {
			return err
		}
	}
	r.state.Number, r.state.Total, r.state.Sum = r.state.Number+1, s.Total, r.state.Sum+exactFloat(s.Loss)
	for name, v := range s.Measures {
		r.state.Sums[name] += exactFloat(v)
	}
	for _, o := range r.Observers {
		if err := o.Step(s); err != nil {
			return err
		}
	}
	if r.Every > 0 && r.state.Total%r.Every == 0 {
		return r.save()
	}
	return nil
}

// save writes a checkpoint.
func (r *runner) save() error {
	if r.Checkpoints == nil || r.state.Total == 0 {
		return nil
	}
	pairs, err := r.state.metadata()
	if err != nil {
		return err
	}
	return r.Checkpoints.Save(r.Session, r.state.Total, pairs)
}
