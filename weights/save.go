package weights

import (
	"fmt"
	"maps"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
)

// Save writes the parameters of a session, including the state of optimisers, to a file: see [Write]. Options are
// [Only], [Except], [With], [Rename], [Transposed], [Metadata] and [ShardBytes]. Other sessions that share the
// parameters must not write them meanwhile.
//
// A session holds all parameters that its graph had when its program was compiled, and those of sessions that it
// shares with. Only(s.Program().Params()...) saves those that its program uses: for an evaluation program, the model
// without the state of its optimiser.
func Save(path string, s *exec.Session, opts ...Option) error {
	o := optionsOf(opts)
	held, err := heldBy(s)
	if err != nil {
		return err
	}
	params, err := o.of(held)
	if err != nil {
		return err
	}
	values := make([]Named, len(params))
	for i, n := range params {
		if len(o.tensorsOf(n)) > 1 {
			return fmt.Errorf("weights: %s: Parts is for loading: parameters are saved whole", path)
		}
		values[i].Name = o.rename(n.Name())
		if values[i].Value, err = s.Param(n); err != nil {
			return err
		}
		if o.isTransposed(n) {
			values[i].Value = kernelOf(values[i].Value)
		}
	}
	for _, other := range o.with {
		state := other.State()
		for _, name := range slices.Sorted(maps.Keys(state)) {
			values = append(values, Named{name, state[name]})
		}
	}
	return Write(path, values, opts...)
}

// kernelOf is a weight [out, in, …] as Flax and Keras keep it, […, in, out].
func kernelOf(weight exec.Array) exec.Array {
	t, _ := graph.DTypeOfSlice(weight.Data)
	return exec.Array{Shape: kernelShape(weight.Shape), Data: toKernel(weight.Data, t, weight.Shape)}
}
