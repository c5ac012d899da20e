package weights

import (
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// options are those of one call.
type options struct {
	only       []*graph.Node
	names      []func(string) string // of a parameter, in the order in which a file is asked
	missing    bool
	unexpected bool
	narrowing  bool
	metadata   map[string]string
	shardBytes int64
}

// Option changes how parameters are loaded or saved.
type Option func(*options)

func optionsOf(opts []Option) options {
	o := options{}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

// Only loads or saves these parameters: those of a part of a model, or all but the state of
// an optimiser.
func Only(params ...*graph.Node) Option {
	return func(o *options) { o.only = append(o.only, params...) }
}

// Rename says what a parameter is called in the file, by its name in the graph. Without it,
// Save takes the name of the graph; Load looks for it, and then for the same with dots in place
// of slashes, as PyTorch has it.
func Rename(name func(param string) string) Option {
	return func(o *options) { o.names = []func(string) string{name} }
}

// DotNames calls a parameter by its name with dots in place of slashes, as PyTorch does.
func DotNames() Option { return Rename(dotted) }

func dotted(name string) string { return strings.ReplaceAll(name, "/", ".") }

// AllowMissing loads also where parameters stand in no tensor of the file: they keep their
// values.
func AllowMissing() Option { return func(o *options) { o.missing = true } }

// AllowUnexpected loads also where tensors of the file are no parameters.
func AllowUnexpected() Option { return func(o *options) { o.unexpected = true } }

// AllowNarrowing loads float64 into float32, rounded to the nearest, and int64 into int32,
// where all values fit.
func AllowNarrowing() Option { return func(o *options) { o.narrowing = true } }

// Metadata adds strings to a file of safetensors.
func Metadata(pairs map[string]string) Option {
	return func(o *options) { o.metadata = pairs }
}

// ShardBytes saves in files of at most so many bytes of elements (a single tensor may be larger),
// beside their index at the given path, which then ends with .index.json.
func ShardBytes(n int64) Option { return func(o *options) { o.shardBytes = n } }
