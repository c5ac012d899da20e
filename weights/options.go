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
	except     []string // patterns of names
	rename     func(param string) string
	parts      func(param string) []string // or nil
	missing    []string                    // patterns of names
	transposed []string                    // the same
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

// Only loads or saves only these parameters: those of a part of a model, or all but the state of an optimiser.
func Only(params ...*graph.Node) Option {
	return func(o *options) { o.only = append(o.only, params...) }
}

// Except loads or saves all parameters but those whose names match one of the patterns of [path.Match]. What the file
// has for them is passed over: Except("head.*") loads a classifier with another number of classes, whose head is
// trained anew.
func Except(patterns ...string) Option {
	return func(o *options) {
		o.except = append(o.except, patterns...)
		o.checkPatterns("Except", patterns)
	}
}

// Rename sets the name of a parameter in the file, given its name in the graph. The default is the same name.
func Rename(name func(param string) string) Option {
	return func(o *options) {
		if name != nil {
			o.rename = name
		}
	}
}

// AllowMissing allows parameters that are missing in the file: they keep their values. Patterns of [path.Match]
// restrict it to parameters with matching names: AllowMissing("*.exp_avg*", "*.step") is for files of other programs,
// without the state of an optimiser.
func AllowMissing(patterns ...string) Option {
	return func(o *options) {
		o.missing, o.anyMissing = append(o.missing, patterns...), o.anyMissing || len(patterns) == 0
		o.checkPatterns("AllowMissing", patterns)
	}
}

// Transposed loads and saves weights whose names match a pattern of [path.Match] with the axes of Flax and Keras: a
// matrix [out, in] as a kernel [in, out], and the weight of a convolution, [out, in, …], as […, in, out].
// Transposed("*.weight") is right for a file with only such layers; embedding tables have the same axes everywhere.
func Transposed(patterns ...string) Option {
	return func(o *options) {
		o.transposed = append(o.transposed, patterns...)
		o.checkPatterns("Transposed", patterns)
	}
}

// checkPatterns records an invalid pattern of an option.
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

// AllowUnexpected allows tensors in the file that are not parameters.
func AllowUnexpected() Option { return func(o *options) { o.unexpected = true } }

// AllowNarrowing allows dtypes of less precision or range. Floating-point numbers are rounded to the nearest, such as
// float64 to float32 and float32 to bfloat16, or to the integers and scales of nn.Int8Weights and nn.Int4Weights.
// Integers must fit into the narrower dtype.
func AllowNarrowing() Option { return func(o *options) { o.narrowing = true } }

// Metadata adds strings to a safetensors file.
func Metadata(pairs map[string]string) Option {
	return func(o *options) { o.metadata = pairs }
}

// ShardBytes saves files of at most n bytes of elements (a single tensor may be larger), next to their index at the
// given path, which must end in .index.json.
func ShardBytes(n int64) Option { return func(o *options) { o.shardBytes = n } }

// Stateful is a value with state between steps besides parameters, such as a minimizer of package optim/lbfgs.
// SetState sets what State returned; an error changes nothing.
type Stateful interface {
	State() map[string]exec.Array
	SetState(map[string]exec.Array) error
}

// With saves these values' arrays with the parameters, under their own names, and sets them on loading. All arrays of
// a value must be in the file, or none if AllowMissing allows that.
func With(others ...Stateful) Option {
	return func(o *options) {
		if o.with = append(o.with, others...); slices.Contains(others, nil) {
			o.err = errors.New("weights: With got nil")
		}
	}
}
