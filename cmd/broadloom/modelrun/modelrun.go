// Package modelrun is the part of the broadloom command that runs inside the programs that
// it builds around a user's package: it calls the marked functions and hands each graph to
// an action. Users' programs have no need of it.
package modelrun

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/building"
	"github.com/broadloom/broadloom/internal/overlay"
	"github.com/broadloom/broadloom/internal/workdir"
)

// RequestVariable is the environment variable that names the file of the [Request].
const RequestVariable = "BROADLOOM_MODELRUN"

// HookFile is the name of the file that the command adds to a package, only for the compiler, to call its functions. It
// is last by name, so that its init function runs after the package's own.
const HookFile = "zzz_broadloom_models.go"

// Request is the command's request to the program.
type Request struct {
	Models  []string        // which models, by name
	Out     string          // the file to which events are appended, one JSON object a line
	Timeout time.Duration   // for each model
	Args    json.RawMessage // the action's own
	Dir     string          `json:",omitempty"` // to which the places in messages are relative
	// Overlay are the files with the text of others, from which the program was built.
	Overlay map[string]string `json:",omitempty"`
}

// Event reports the progress of a model. If a model has no second event, it ended the program.
type Event struct {
	Model   string
	Started bool            `json:",omitempty"`
	Result  json.RawMessage `json:",omitempty"` // what the action gave
	Failure string          `json:",omitempty"` // why there is no result
}

// Model is a marked function.
type Model struct {
	Name  string
	Build func() (*graph.Graph, error)
}

// Graph returns the results of a function: a graph, or that and an error.
func Graph(g *graph.Graph, err ...error) (*graph.Graph, error) {
	if len(err) > 0 {
		return g, err[0]
	}
	return g, nil
}

// Action is the work of a sub-command on a model's graph. Its result is sent to the command as JSON.
type Action func(g *graph.Graph, args json.RawMessage) (result any, err error)

// Main runs an action on models and ends the program. It is called from an init function,
// so that it works in a main package too, whose main function is then never reached.
func Main(models []Model, action Action) {
	status := 0
	if err := run(models, action); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func run(models []Model, action Action) error {
	data, err := os.ReadFile(os.Getenv(RequestVariable))
	if err != nil {
		return fmt.Errorf("this program is run by the broadloom command only: %w", err)
	}
	var r Request
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	overlay.Set(r.Overlay)
	workdir.Set(r.Dir)
	out, err := os.OpenFile(r.Out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	events := json.NewEncoder(out)
	byName := map[string]Model{}
	for _, m := range models {
		byName[m.Name] = m
	}
	for _, name := range r.Models {
		if err := events.Encode(Event{Model: name, Started: true}); err != nil {
			return err
		}
		result, failure := attempt(byName[name], action, r)
		if err := events.Encode(Event{Model: name, Result: result, Failure: failure}); err != nil {
			return err
		}
	}
	return nil
}

// attempt builds a model and applies the action, in a goroutine that is abandoned if it does not return in time. If the
// function panics, the action is applied to the graph as far as it was built.
func attempt(m Model, action Action, r Request) (result json.RawMessage, failure string) {
	done := make(chan struct{})
	ended := false // by a return or a panic, not by runtime.Goexit
	made := building.Watch()
	go func() {
		defer close(done)
		defer func() {
			p, graphs := recover(), made()
			if p != nil {
				ended, failure = true, fmt.Sprintf("panic: %v%s", p, userFrames(stack(false)))
				result = unfinished(graphs, action, r.Args)
			}
		}()
		result, failure = perform(m, action, r.Args)
		ended = true
	}()
	select {
	case <-done:
		if !ended {
			return nil, "the function ended its goroutine (runtime.Goexit)"
		}
		return result, failure
	case <-time.After(r.Timeout):
		return nil, fmt.Sprintf("no result within %v%s", r.Timeout, userFrames(ours(stack(true))))
	}
}

// unfinished applies the action to the last graph that a function made before it panicked, if mistakes were recorded in
// it. There is no result if the action panics too.
func unfinished(made []any, action Action, args json.RawMessage) (result json.RawMessage) {
	defer func() { _ = recover() }()
	for _, last := range slices.Backward(made) {
		if g := last.(*graph.Graph); len(g.Mistakes()) > 0 {
			result, _ = perform(Model{Build: func() (*graph.Graph, error) { return g, nil }}, action, args)
			return result
		}
	}
	return nil
}

func perform(m Model, action Action, args json.RawMessage) (json.RawMessage, string) {
	g, err := m.Build()
	switch {
	case err != nil:
		return nil, err.Error()
	case g == nil:
		return nil, "the function returned a nil graph"
	}
	result, err := action(g, args)
	if err != nil {
		return nil, err.Error()
	}
	data, err := json.Marshal(result)
	if err != nil {
		return nil, err.Error()
	}
	return data, ""
}

// maxStack bounds the text of the stacks of all goroutines.
const maxStack = 1 << 20

func stack(all bool) string {
	buf := make([]byte, maxStack)
	return string(buf[:runtime.Stack(buf, all)])
}

// ours picks the stack of the goroutine that builds a model.
func ours(stacks string) string {
	for _, s := range strings.Split(stacks, "\n\n") {
		if strings.Contains(s, "modelrun.perform(") {
			return s
		}
	}
	return ""
}

// maxFrames bounds the lines that show where a model panicked or hangs.
const maxFrames = 6

// userFrames returns the places of a stack between the start of the model and Go's runtime, the innermost first.
func userFrames(stack string) string {
	lines := strings.Split(stack, "\n")
	var frames []string
	for i := 1; i+1 < len(lines); i += 2 {
		call, place := lines[i], strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(call, "panic(") {
			frames = nil // what is above it is the recovery
			continue
		}
		if strings.Contains(call, "modelrun.perform(") {
			break
		}
		if strings.HasPrefix(call, "runtime") || strings.Contains(call, "modelrun.") ||
			strings.Contains(place, HookFile) {
			continue
		}
		place, _, _ = strings.Cut(place, " +0x")
		if at := strings.LastIndexByte(call, '('); at > 0 {
			call = call[:at]
		}
		frames = append(frames, "\n      at "+place+"   "+call)
	}
	return strings.Join(frames[:min(len(frames), maxFrames)], "")
}
