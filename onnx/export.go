package onnx

import (
	"fmt"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx/internal/export"
	"github.com/broadloom/broadloom/onnx/internal/wire"
	"github.com/broadloom/broadloom/shapeinfer"
)

// ExportOption is an option of [Export] and [Encode]; nil has no effect.
type ExportOption func(*exported)

type exported struct {
	export.Request
	params      *exec.Session
	largestFile int64
}

// DefaultOpset is the default version of ONNX's operators.
const DefaultOpset = 20

// largestFile is the most bytes of parameters that stand in the model's own file if nothing else is said.
const largestFile = 1 << 30

// WithOutputs sets the outputs of the model. An output has the name of its node, or "output_0" and so on by its
// position.
func WithOutputs(nodes ...*graph.Node) ExportOption {
	return func(r *exported) { r.Outputs = append(r.Outputs, nodes...) }
}

// WithUpdates sets the in-place writes that the model performs, such as those of an optimiser. A written value is an
// input of the model, and its new value an output with ".next" appended to that name: feed it to the next run.
func WithUpdates(nodes ...*graph.Node) ExportOption {
	return func(r *exported) { r.Updates = append(r.Updates, nodes...) }
}

// WithParams stores the current values of a session's parameters in the model, except those that updates write.
// Without it, all parameters are inputs.
func WithParams(s *exec.Session) ExportOption {
	return func(r *exported) { r.params = s }
}

// WithOpset sets the version of ONNX's operators, from 20 to 26. Most programs can read [DefaultOpset].
func WithOpset(version int) ExportOption {
	return func(r *exported) { r.Opset = version }
}

// WithPrimitives writes all operations as compositions of primitives, even if ONNX has an operator for them, such as
// Conv. Models are longer and slower, but compute exactly what the operations define, down to special numbers.
func WithPrimitives() ExportOption {
	return func(r *exported) { r.Primitives = true }
}

// WithSizes binds named sizes to numbers. Others stay names in the model, for any size; some operations, such as
// matrix factorizations, can only be written with numbers.
func WithSizes(sizes shapeinfer.Sizes) ExportOption {
	return func(r *exported) {
		for name, n := range sizes {
			r.Sizes[name] = n
		}
	}
}

// WithDataBeside makes [Export] write the parameters to a file next to the model's if they take more than the given
// number of bytes. The default is 1 GiB; the model's own file is limited to 2 GiB.
func WithDataBeside(bytes int64) ExportOption {
	return func(r *exported) { r.largestFile = bytes }
}

// Export writes the model that computes the outputs, and performs the updates, of a graph. The path always names a
// complete file: the new one, or the earlier one until then. Large parameters are written to a file next to it, whose
// name contains a hash of its content and ends in .data; those of earlier models are not removed.
//
// The error lists every mistake of the graph, like that of exec.Compile, or names the user's line of an operation
// that cannot be written in ONNX and says what to do. The model does not check assertions, such as ops.Assert, or
// indices: an index below 0 counts from the end there. Whether the maximum of a window with NaN is NaN depends on the
// engine, as does the order of sums.
//
// Inputs, parameters that are inputs, and outputs have the names of their nodes. A named size is read from the shape
// of an input; if no input has it, it is an input of its own, an int64 scalar named "size:n".
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

// Encode returns the bytes of the file that [Export] writes, with all parameters in it. The error is that of Export;
// it is also an error if they take more than 2 GiB.
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
