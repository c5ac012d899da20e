package launch

import (
	_ "embed" // of the launcher
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Script is the launcher, a program in Python.
//
//go:embed launch.py
var Script []byte

// Config says what [Run] runs. Zero values are the defaults.
type Config struct {
	Folder string // module.mlir, signature.json and weights.safetensors
	Python string // an interpreter that has jax; what FindPython finds where it is ""

	Steps int // at least 1
	// Data is an .npz file, a folder of .npz files, or a folder with an .npy file for each input. For an input of shape
	// S it has an array of shape S, the same in each step; or of [steps, S]; or with more rows along the first axis,
	// from which each step takes the next ones.
	Data      string
	Counters  []string // inputs that are fed the number of the step
	FirstStep int      // where data and counters go on

	Params    string // safetensors to begin with; those of the folder where it is ""
	Save      string // where parameters are written
	SaveEvery int    // steps between checkpoints; 0 for one at the end
	Record    string // where the outputs of all steps are written, as .npz
	HLO       string // where the compiled program is written, as text

	Platform  string        // "cpu", "cuda" or "tpu"; the best that there is where it is ""
	Devices   int           // virtual devices of each process on a CPU; 0 for one
	Processes int           // 0 for one
	Timeout   time.Duration // after which a process that is gone ends the others; 0 for a minute

	ProgressEvery int        // steps between two calls of OnStep; 0 for 10
	OnStep        func(Step) // told of progress; may be nil
}

// check says what is wrong with a configuration.
func (c Config) check() error {
	switch {
	case c.Folder == "":
		return errors.New("launch: the folder of an exported program is missing")
	case c.Steps < 1:
		return fmt.Errorf("launch: %d steps: there must be at least 1", c.Steps)
	case min(c.FirstStep, c.SaveEvery, c.Devices, c.Processes, c.ProgressEvery, int(c.Timeout)) < 0:
		return errors.New("launch: a number of the configuration is negative")
	case c.SaveEvery > 0 && c.Save == "":
		return errors.New("launch: SaveEvery needs Save")
	}
	if _, err := os.Stat(filepath.Join(c.Folder, "module.mlir")); err != nil {
		return fmt.Errorf(
			"launch: %s is not a folder of an exported program, as written by broadloom export and Plan.Export: %w",
			c.Folder, err)
	}
	for _, file := range []string{c.Data, c.Params} {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	}
	return nil
}

// arguments are those of one process; the coordinator is "" for a single one.
func (c Config) arguments(script, coordinator string, process int) []string {
	args := []string{script, c.Folder, "--json", "--until-stdin-ends", "--steps", strconv.Itoa(c.Steps)}
	add := func(flag, value string) {
		if value != "" && value != "0" {
			args = append(args, flag, value)
		}
	}
	add("--data", c.Data)
	for _, name := range c.Counters {
		add("--counter", name)
	}
	add("--first-step", strconv.Itoa(c.FirstStep))
	add("--params", c.Params)
	add("--save", c.Save)
	add("--save-every", strconv.Itoa(c.SaveEvery))
	add("--record", c.Record)
	add("--hlo", c.HLO)
	add("--platform", c.Platform)
	add("--devices", strconv.Itoa(c.Devices))
	add("--progress-every", strconv.Itoa(c.ProgressEvery))
	if c.Timeout > 0 {
		add("--timeout", strconv.Itoa(max(int(c.Timeout/time.Second), 1)))
	}
	if coordinator != "" {
		args = slices.Concat(
			args, []string{"--coordinator", coordinator, "--processes", strconv.Itoa(c.Processes), "--process-id",
				strconv.Itoa(process)})
	}
	return args
}
