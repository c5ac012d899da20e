package train

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/broadloom/broadloom/exec"
)

// Step describes a step that has ended.
type Step struct {
	Epoch    int // from 0
	Number   int // in its epoch, from 0
	Total    int // steps so far, including this one and those before a checkpoint
	Loss     float64
	Measures map[string]float64 // of Loop.Measures, by their names
	Feed     exec.Feed          // what the inputs were fed
	Results  *exec.Results      // valid until the next step
	Took     time.Duration      // of the run itself
}

// Epoch describes an epoch that has ended, and its evaluation.
type Epoch struct {
	Number   int                // from 0
	Steps    int                // in this epoch
	Total    int                // steps so far, those before a checkpoint among them
	Loss     float64            // mean over the epoch's steps
	Measures map[string]float64 // means over the epoch's steps, and what Loop.Evaluate returned
	Took     time.Duration      // since the epoch began, or was resumed from a checkpoint
}

// measure returns the measure that who uses: a measure by its name, or the mean loss of training.
func (e Epoch) measure(who, name string) (float64, error) {
	if name == "" {
		return e.Loss, nil
	}
	v, known := e.Measures[name]
	if !known {
		return 0, noMeasure(who, name, slices.Sorted(maps.Keys(e.Measures)))
	}
	return v, nil
}

// noMeasure is the error if who uses a measure that no epoch has.
func noMeasure(who, name string, known []string) error {
	if name == lossName {
		return fmt.Errorf(
			"train: %s uses measure %q: leave the name empty for the mean training loss, and use another name for one that Evaluate returns, such as \"test %s\"",
			who, name, name)
	}
	has := "no measures"
	if len(known) > 0 {
		has = fmt.Sprintf("%q", known)
	}
	return fmt.Errorf(
		"train: %s uses measure %q, but the epoch has %s: return it from Evaluate, or name a node of Measures", who,
		name, has)
}

// Observer is notified as training runs. An error ends training, and is returned by [Loop.Run].
type Observer interface {
	Step(Step) error
	Epoch(Epoch) error
}

// OnStep makes an observer of steps.
type OnStep func(Step) error

// Step implements [Observer].
func (f OnStep) Step(s Step) error { return f(s) }

// Epoch implements [Observer].
func (OnStep) Epoch(Epoch) error { return nil }

// OnEpoch makes an observer of epochs.
type OnEpoch func(Epoch) error

// Step implements [Observer].
func (OnEpoch) Step(Step) error { return nil }

// Epoch implements [Observer].
func (f OnEpoch) Epoch(e Epoch) error { return f(e) }
