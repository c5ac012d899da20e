// Package modelexport is the part of "broadloom export" that runs inside the programs that it builds. It writes a
// model's program for XLA, or a model of ONNX.
package modelexport

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/cmd/broadloom/modelprogram"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/shapeinfer"
	"github.com/broadloom/broadloom/stablehlo"
	"github.com/broadloom/broadloom/weights"
)

// ONNXFile is the model in a folder with a model of ONNX. Large parameters are in another file next to it.
const ONNXFile = "model.onnx"

// Args are the arguments of [Export].
type Args struct {
	Dir     string           // where folders are written
	ONNX    bool             // a model of ONNX, with names of sizes
	Sizes   map[string]int64 // named sizes
	Forward bool             // without gradients and updates
	Params  string           // a file of parameters; those of the model unless given
	Seed    uint64           // of the model's own, where they are drawn
}

// Result is the result of [Export].
type Result struct {
	Folder string   // within Args.Dir
	Dims   []string // the named sizes of the model
}

// DimsOf reads the named sizes of a model from a [Result].
func DimsOf(result json.RawMessage) (dims []string, err error) {
	var r Result
	err = json.Unmarshal(result, &r)
	return r.Dims, err
}

// Export writes a graph's program to a new folder.
func Export(g *graph.Graph, args json.RawMessage) (any, error) {
	var a Args
	if err := json.Unmarshal(args, &a); err != nil {
		return nil, err
	}
	if shapeinfer.Check(g).Err() != nil {
		return nil, modelprogram.ErrMistakes
	}
	outputs, updates, err := modelprogram.Roots(g)
	if err != nil {
		return nil, err
	}
	if a.Forward {
		updates = nil
		outputs = slices.DeleteFunc(outputs, func(n *graph.Node) bool { return n.Origin() != nil })
	}
	bound := shapeinfer.Sizes{}
	for _, name := range g.DimNames() {
		if n, given := a.Sizes[name]; given {
			bound[name] = n
		}
	}
	save, err := a.saver(g, outputs, updates, bound)
	if err != nil {
		return nil, err
	}
	session, err := a.session(g, outputs, updates, bound)
	if err != nil {
		return nil, err
	}
	r := Result{Folder: filepath.Join(a.Dir, fmt.Sprint(countOf(a.Dir))), Dims: g.DimNames()}
	return r, save(r.Folder, session)
}

// saver translates a program, and returns the function that writes it to a folder with a session's parameters.
func (a Args) saver(g *graph.Graph, outputs, updates []*graph.Node, bound shapeinfer.Sizes) (
	save func(folder string, s *exec.Session) error, err error) {
	if a.ONNX {
		return func(folder string, s *exec.Session) error {
			if err := os.Mkdir(folder, 0o777); err != nil {
				return err
			}
			return onnx.Export(filepath.Join(folder, ONNXFile), g, onnx.WithOutputs(outputs...),
				onnx.WithUpdates(updates...), onnx.WithSizes(bound), onnx.WithParams(s))
		}, nil
	}
	m, err := stablehlo.Export(g, stablehlo.Outputs(outputs...), stablehlo.Updates(updates...), stablehlo.Bind(bound))
	if err == nil {
		return m.Save, nil
	}
	err = modelprogram.Unbound(err)
	if len(bound) < len(g.DimNames()) { // the missing one may be misspelt
		err = fmt.Errorf("%w%s", err, a.unknown(g))
	}
	return nil, err
}

// session returns a session of the program, with the parameters of a file if one is given.
func (a Args) session(g *graph.Graph, outputs, updates []*graph.Node, bound shapeinfer.Sizes) (*exec.Session, error) {
	program, err := exec.Compile(g, exec.Outputs(outputs...), exec.Updates(updates...))
	if err != nil {
		return nil, err
	}
	options := []exec.SessionOption{exec.Seed(a.Seed)}
	for name, n := range bound {
		options = append(options, exec.Size(name, int(n)))
	}
	session := program.NewSession(options...)
	if a.Params == "" {
		return session, nil
	}
	var load []weights.Option
	if a.Forward {
		load = append(load, weights.AllowUnexpected()) // an optimiser's state
	}
	_, err = weights.LoadFile(session, a.Params, load...)
	return session, err
}

// unknown reports given sizes that a model does not have.
func (a Args) unknown(g *graph.Graph) (text string) {
	for _, name := range slices.Sorted(maps.Keys(a.Sizes)) {
		if !slices.Contains(g.DimNames(), name) {
			text += fmt.Sprintf("\n      the model has no size %q; it has: %s", name, strings.Join(g.DimNames(), ", "))
		}
	}
	return text
}

// countOf returns how many folders a directory has.
func countOf(dir string) int {
	list, _ := os.ReadDir(dir)
	return len(list)
}
