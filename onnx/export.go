package onnx

import (
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/export"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/shapeinfer"
)

// ExportOption says what [Export] and [Encode] write, and how; nil says nothing.
type ExportOption func(*exported)

type exported struct {
	export.Request
	params      *exec.Session
	largestFile int64
}

// DefaultOpset is the version of ONNX's operators that is written if nothing else is said.
const DefaultOpset = 20

// largestFile is the most bytes of parameters that stand in the model's own file if nothing else is said.
const largestFile = 1 << 30

// WithOutputs names the values that the model gives. An output has the name of its node, or "output_0" and so on by its place.
func WithOutputs(nodes ...*graph.Node) ExportOption {
	return func(r *exported) { r.Outputs = append(r.Outputs, nodes...) }
}

// WithUpdates names in-place writes that the model carries out, such as an optimiser's. What is written is an input of the model, and its
// new value an output of the input's name with ".next" behind it, which is fed to the next run.
func WithUpdates(nodes ...*graph.Node) ExportOption {
	return func(r *exported) { r.Updates = append(r.Updates, nodes...) }
}

// WithParams writes the parameters as they are in a session into the model, but for those that updates write. Without it, all
// parameters are inputs.
func WithParams(s *exec.Session) ExportOption {
	return func(r *exported) { r.params = s }
}

// WithOpset chooses the version of ONNX's operators: 20 to 26. [DefaultOpset] is the one that most programs read.
func WithOpset(version int) ExportOption {
	return func(r *exported) { r.Opset = version }
}

// WithPrimitives writes all operations with what they are made of, also those for which ONNX has an operator of its own, such as Conv: models are longer
// and slower, and mean what the operations say of themselves to the last special number.
func WithPrimitives() ExportOption {
	return func(r *exported) { r.Primitives = true }
}

// WithSizes gives named sizes their numbers. Those that have none stay names in the model, for any size; some operations, such as
// factorizations of matrices, can only be written with numbers.
func WithSizes(sizes shapeinfer.Sizes) ExportOption {
	return func(r *exported) {
		for name, n := range sizes {
			r.Sizes[name] = n
		}
	}
}

// WithDataBeside has [Export] write the parameters into a file beside the model's if they take more than a number of bytes: 1 GiB if
// nothing else is said. A model's own file can have 2 GiB.
func WithDataBeside(bytes int64) ExportOption {
	return func(r *exported) { r.largestFile = bytes }
}

// Export writes the model that computes outputs, and carries out updates, of a graph. The path names the whole new file, or what
// it named before. Large parameters are written into a file of their own beside it, whose name ends with .data and tells its content: that of an earlier model
// stays.
//
// The error holds every mistake of the graph, as that of exec.Compile, or says at the user's line which operation has no form in
// ONNX, and what to do. Claims of elements, such as of ops.Assert, and of indices, are not checked in the model: an index below 0 counts from
// the end there. Whether the greatest element of a window is NaN is up to the engine, as is the order of sums.
//
// Inputs, parameters that are inputs and outputs have the names of their nodes. A named size is read from the shape of an input; one
// that no input shows is an input of its own, an int64 without axes, with the name "size:n".
func Export(path string, g *graph.Graph, opts ...ExportOption) error {
	m, r, err := model(g, opts)
	if err != nil {
		return err
	}
	if err := writeModel(path, m, r.largestFile); err != nil {
		return fmt.Errorf("onnx: %s: %w", path, err)
	}
	return nil
}

// Encode returns the bytes of the file that [Export] writes, with all parameters in it. The error is Export's, or tells that they take more than 2 GiB.
func Encode(g *graph.Graph, opts ...ExportOption) ([]byte, error) {
	m, _, err := model(g, opts)
	if err != nil {
		return nil, err
	}
	return m.Encode()
}

// model exports a graph.
func model(g *graph.Graph, opts []ExportOption) (*wire.Model, *exported, error) {
	r := &exported{largestFile: largestFile}
	r.Sizes, r.Opset = shapeinfer.Sizes{}, DefaultOpset
	for _, o := range opts {
		if o != nil {
			o(r)
		}
	}
	if s := r.params; s != nil {
		r.Param = func(n *graph.Node) (any, error) {
			a, err := s.Param(n)
			return a.Data, err
		}
	}
	m, err := export.Model(g, r.Request)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: %w", err)
	}
	return m, r, nil
}
