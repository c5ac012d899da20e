package weights

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/atomicfile"
)

// Checkpoints are files of a training in a folder, of which the newest are kept. A file holds all parameters,
// including the state of optimisers, and the step, so that training can be resumed exactly where it stopped.
type Checkpoints struct {
	folder string
	keep   int
}

// NewCheckpoints keeps the newest files in a folder, at least one. The folder is created when the first is saved.
func NewCheckpoints(folder string, keep int) *Checkpoints {
	return &Checkpoints{folder, max(keep, 1)}
}

const (
	checkpointPrefix = "step-"
	checkpointEnding = ".safetensors"
	stepKey          = "step"
)

// Save writes a checkpoint after a step, with metadata of the caller, such as the state of a data reader. Then it
// removes those that are too many. Options are those of the function [Save].
func (c *Checkpoints) Save(s *exec.Session, step int, metadata map[string]string, opts ...Option) error {
	switch {
	case step < 0:
		return fmt.Errorf("weights: the step is %d", step)
	case c.folder == "":
		return errors.New("weights: the checkpoints have no folder: pass one to NewCheckpoints")
	}
	if err := os.MkdirAll(c.folder, 0o777); err != nil {
		return err
	}
	pairs := maps.Clone(metadata)
	if pairs == nil {
		pairs = map[string]string{}
	}
	pairs[stepKey] = strconv.Itoa(step)
	if err := Save(c.path(step), s, append(slices.Clone(opts), Metadata(pairs))...); err != nil {
		return err
	}
	return c.tidy(step)
}

// tidy removes the oldest files, and what a process that died has left half written. The one of
// the given step stays.
func (c *Checkpoints) tidy(newest int) error {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return err
	}
	var left []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), checkpointPrefix) && strings.Contains(e.Name(), atomicfile.TempMark) {
			left = append(left, filepath.Join(c.folder, e.Name()))
		}
	}
	steps, err := c.Steps()
	if err != nil {
		return err
	}
	steps = slices.DeleteFunc(steps, func(step int) bool { return step == newest })
	for _, step := range steps[:max(len(steps)-(c.keep-1), 0)] {
		left = append(left, c.path(step))
	}
	var errs []error
	for _, path := range left {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (c *Checkpoints) path(step int) string {
	return filepath.Join(c.folder, fmt.Sprintf("%s%010d%s", checkpointPrefix, step, checkpointEnding))
}

// Steps lists the steps for which there is a file, in ascending order.
func (c *Checkpoints) Steps() (steps []int, err error) {
	entries, err := os.ReadDir(c.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		name, isPart := strings.CutPrefix(e.Name(), checkpointPrefix)
		number, isWhole := strings.CutSuffix(name, checkpointEnding)
		step, err := strconv.Atoi(number)
		if isPart && isWhole && err == nil && filepath.Base(c.path(step)) == e.Name() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// Restored describes the checkpoint that was read.
type Restored struct {
	Step     int
	Metadata map[string]string // as passed to Save
	// Skipped says why newer checkpoints could not be read.
	Skipped []error
}

// Restore sets a session's parameters from the newest checkpoint that can be read. It returns nil without an error if
// there is no checkpoint, and an error if none can be read. A file that does not match the session's parameters is an
// error too, a *[MismatchError].
func (c *Checkpoints) Restore(s *exec.Session, opts ...Option) (*Restored, error) {
	steps, err := c.Steps()
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	r := &Restored{}
	for _, step := range slices.Backward(steps) {
		f, err := Open(c.path(step))
		if err != nil {
			r.Skipped = append(r.Skipped, err)
			continue
		}
		defer f.Close()
		if _, err := Load(s, f, opts...); err != nil {
			return nil, err
		}
		r.Step, r.Metadata = step, maps.Clone(f.Metadata())
		delete(r.Metadata, stepKey)
		return r, nil
	}
	return nil, errors.Join(r.Skipped...)
}
