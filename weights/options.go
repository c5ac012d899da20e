package weights

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// options are those of one call.
type options struct {
	only       []*graph.Node
	rename     func(param string) string
	missing    []string // patterns of names
	transposed []string // the same
	anyMissing bool
	unexpected bool
	narrowing  bool
	metadata   map[string]string
	shardBytes int64
	with       []Stateful
	err        error
}

// Option changes how parameters are loaded or saved.
type Option func(*options)

func optionsOf(opts []Option) options {
	o := options{rename: func(param string) string { return param }}
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

// Rename says what a parameter is called in the file, by its name in the graph. Without it the
// two are the same.
func Rename(name func(param string) string) Option {
	return func(o *options) {
		if name != nil {
			o.rename = name
		}
	}
}

// AllowMissing loads also where parameters stand in no tensor of the file: they keep their
// values. With patterns of [path.Match] these are only parameters whose names match one of
// them: AllowMissing("*.exp_avg*", "*.step") for a file that another program wrote, without
// the state of an optimiser.
func AllowMissing(patterns ...string) Option {
	return func(o *options) {
		o.missing, o.anyMissing = append(o.missing, patterns...), o.anyMissing || len(patterns) == 0
		o.checkPatterns("AllowMissing", patterns)
	}
}

// Transposed loads weights whose names match one of the patterns of [path.Match] from tensors with the axes of Flax and Keras: a matrix [out, in] from
// a kernel [in, out], and the weight of a convolution, [out, in, …], from […, in, out]; and saves them as such. Transposed("*.weight") is right for a file of such layers alone:
// tables of embeddings have the same axes everywhere.
func Transposed(patterns ...string) Option {
	return func(o *options) {
		o.transposed = append(o.transposed, patterns...)
		o.checkPatterns("Transposed", patterns)
	}
}

// checkPatterns notes a pattern of an option that is none.
func (o *options) checkPatterns(option string, patterns []string) {
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			o.err = fmt.Errorf("weights: %s(%q): %w", option, pattern, err)
		}
	}
}

// matches reports whether a name matches one of some patterns, which are checked.
func matches(name string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// mayMiss reports whether the file need not have the parameter.
func (o options) mayMiss(name string) bool {
	return o.anyMissing || matches(name, o.missing...)
}

// AllowUnexpected loads also where tensors of the file are no parameters.
func AllowUnexpected() Option { return func(o *options) { o.unexpected = true } }

// AllowNarrowing loads floating-point numbers into a dtype of less precision or range, such as float64 into float32 and float32
// into bfloat16, rounded to the nearest; and integers into one that does not hold all of theirs, where all values fit.
func AllowNarrowing() Option { return func(o *options) { o.narrowing = true } }

// Metadata adds strings to a file of safetensors.
func Metadata(pairs map[string]string) Option {
	return func(o *options) { o.metadata = pairs }
}

// ShardBytes saves in files of at most so many bytes of elements (a single tensor may be larger),
// beside their index at the given path, which then ends with .index.json.
func ShardBytes(n int64) Option { return func(o *options) { o.shardBytes = n } }

// Stateful is what remembers more between steps than parameters do, such as a minimizer of package
// optim/lbfgs. SetState takes what State of such a one returned; an error changes nothing.
type Stateful interface {
	State() map[string]exec.Array
	SetState(map[string]exec.Array) error
}

// With saves the arrays of these beside the parameters, under their own names, and sets them when it loads: all of one, or
// none where AllowMissing allows that.
func With(others ...Stateful) Option {
	return func(o *options) {
		if o.with = append(o.with, others...); slices.Contains(others, nil) {
			o.err = errors.New("weights: With is given nil")
		}
	}
}
