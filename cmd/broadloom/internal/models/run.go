package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/modelrun"
)

// Options say how models are run.
type Options struct {
	Action  Action
	Args    any                    // the action's arguments, sent as JSON
	Match   func(name string) bool // which models
	Timeout time.Duration          // for each model
	Sizes   map[string]int64       // of files, which may not be built without
	Output  io.Writer              // what models print
}

// Outcome is the result of a model.
type Outcome struct {
	Package Package
	Model   Model
	Result  json.RawMessage // the action's
	Failure string          // why there is no result
}

// Name is the model's name with its package, or its file.
func (o Outcome) Name() string {
	if o.Package.ImportPath == "" {
		return o.Model.File
	}
	return o.Package.ImportPath + "." + o.Model.Name
}

// Run runs the action on the models of a package. A model that panics, hangs or ends the
// program does not keep the others from being run. The error says why none could be.
func Run(ctx context.Context, pkg Package, o Options) ([]Outcome, error) {
	if !slices.ContainsFunc(pkg.Models, func(m Model) bool { return o.Match(m.Name) }) {
		return nil, nil
	}
	p, err := build(ctx, pkg, o.Action)
	if err != nil {
		return nil, err
	}
	defer p.remove()
	return p.runAll(ctx, o)
}

// runAll runs the program until each of the models has its outcome.
func (p *program) runAll(ctx context.Context, o Options) ([]Outcome, error) {
	pkg := p.pkg
	var left []string
	for _, m := range pkg.Models {
		if o.Match(m.Name) {
			left = append(left, m.Name)
		}
	}
	done := map[string]modelrun.Event{}
	for len(left) > 0 {
		before := len(left)
		if err := p.run(ctx, left, o, done); err != nil {
			return nil, err
		}
		left = left[:0]
		for _, m := range pkg.Models {
			if _, is := done[m.Name]; !is && o.Match(m.Name) {
				left = append(left, m.Name)
			}
		}
		if len(left) == before {
			return nil, fmt.Errorf("the program of %s ran no model", pkg.ImportPath)
		}
	}
	var outcomes []Outcome
	for _, m := range pkg.Models {
		if e, is := done[m.Name]; is {
			outcomes = append(outcomes, Outcome{pkg, m, e.Result, e.Failure})
		}
	}
	return outcomes, nil
}

// startTime is the time that the program may take besides its models.
const startTime = 30 * time.Second

// run starts the program once and records the models' events. If the program ends early, the model that was running
// gets the blame.
func (p *program) run(ctx context.Context, names []string, o Options, done map[string]modelrun.Event) error {
	args, err := json.Marshal(o.Args)
	if err != nil {
		return err
	}
	events := filepath.Join(p.dir, "events.json")
	os.Remove(events)
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	request, err := json.Marshal(
		modelrun.Request{Models: names, Out: events, Timeout: o.Timeout, Args: args, Dir: here, Overlay: p.replaced})
	if err != nil {
		return err
	}
	requestFile := filepath.Join(p.dir, "request.json")
	if err := os.WriteFile(requestFile, request, 0o600); err != nil {
		return err
	}
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, startTime+time.Duration(len(names))*o.Timeout)
	defer cancel()
	var stderr tail
	cmd := exec.CommandContext(ctx, p.binary)
	// A graph is small and its program soon over: garbage is collected only if there is a lot of it.
	cmd.Dir, cmd.Env = p.pkg.Dir,
		append([]string{"GOGC=off", "GOMEMLIMIT=1GiB"},
			append(os.Environ(), modelrun.RequestVariable+"="+requestFile)...)
	cmd.Stdout, cmd.Stderr = o.Output, io.MultiWriter(o.Output, &stderr)
	cmd.WaitDelay = time.Second
	runErr := cmd.Run()
	running, err := readEvents(events, done)
	switch {
	case outer.Err() != nil:
		return outer.Err()
	case err != nil:
		return err
	case ctx.Err() != nil && running == "":
		return fmt.Errorf("the program of %s did not get to its models: a package's initialisation hangs",
			p.pkg.ImportPath)
	case running != "":
		failure := fmt.Sprintf("the program ended: %v\n%s", ended(runErr), stderr.text())
		done[running] = modelrun.Event{Model: running, Failure: failure}
	case runErr != nil && len(done) == 0:
		return fmt.Errorf("the program of %s ended before its models were run: %w\n%s", p.pkg.ImportPath, runErr,
			stderr.text())
	}
	return nil
}

func ended(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// readEvents records the models that are done and returns the one that was running last.
func readEvents(file string, done map[string]modelrun.Event) (running string, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		var e modelrun.Event
		if err := d.Decode(&e); err != nil {
			return running, nil // the end, or an event that was cut off with the program
		}
		if e.Started {
			running = e.Model
			continue
		}
		running = ""
		done[e.Model] = e
	}
}

// tail keeps the end of a program's output.
type tail struct{ buf []byte }

const (
	tailSize  = 1 << 16
	shownSize = 800
)

// Write keeps the end.
func (t *tail) Write(p []byte) (int, error) {
	t.buf = append(t.buf, p...)
	if len(t.buf) > tailSize {
		t.buf = slices.Clone(t.buf[len(t.buf)-tailSize:])
	}
	return len(p), nil
}

// text returns the beginning of Go's message of a crash, or the end of the output.
func (t *tail) text() string {
	text := strings.TrimSpace(string(t.buf))
	for _, mark := range []string{"panic: ", "fatal error: ", "runtime: goroutine stack exceeds"} {
		if at := strings.Index(text, mark); at >= 0 {
			return text[at:min(at+shownSize, len(text))]
		}
	}
	return text[max(0, len(text)-shownSize):]
}
