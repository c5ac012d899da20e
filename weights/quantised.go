package weights

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/raw"
)

// This file loads weights of nn.Int8Weights and nn.Int4Weights.

// withScales returns parameters with the other one of each such weight: integers mean nothing without their scales.
func withScales(params []*graph.Node) []*graph.Node {
	all := slices.Clone(params)
	for _, n := range params {
		w := blockwise.Of(n)
		if w == nil {
			continue
		}
		for _, part := range []*graph.Node{w.Levels, w.Scales} {
			if !slices.Contains(all, part) {
				all = append(all, part)
			}
		}
	}
	return all
}

// quantised returns the weight to which a parameter belongs, if the file has its numbers and not the integers and
// scales as they are held; otherwise nil.
func (o options) quantised(n *graph.Node, f *File) *blockwise.Weight {
	w := blockwise.Of(n)
	if w == nil {
		return nil
	}
	names := o.tensorsOf(w.Levels)
	if len(f.without(names)) > 0 {
		return nil
	}
	for _, t := range f.infos(names) {
		if from, known := readAs[t.DType]; !known || !from.IsFloat() {
			return nil
		}
	}
	return w
}

// isExact reports whether a tensor consists of integers with scales that a weight holds as they are.
func (o options) isExact(w *blockwise.Weight, t raw.Info) bool {
	return t.ScaleBlock > 0 && t.LevelBits <= w.Bits && t.ScaleBlock%w.Block == 0 &&
		holds(w.Scales.DType(), graph.Float32) && !o.isTransposed(w.Levels)
}

// roundingMismatch says why numbers of a file cannot be the weight; nothing where they can.
func (o options) roundingMismatch(w *blockwise.Weight, t raw.Info) string {
	if o.narrowing || o.isExact(w, t) {
		return ""
	}
	return fmt.Sprintf(
		"%s is held in %d bits with a scale for each %d (%s), but the file has %s: use AllowNarrowing() to round it",
		w.Levels.Name(),
		w.Bits,
		w.Block,
		w.Option(),
		t.Stored(),
	)
}

// levelsValue reads a weight from its tensors: integers and scales.
func (o options) levelsValue(f *File, w *blockwise.Weight, tensors []string) (levels, scales exec.Array, err error) {
	allLevels, allScales := make([]any, len(tensors)), make([]any, len(tensors))
	for i, name := range tensors {
		if allLevels[i], allScales[i], err = o.levelsPart(f, w, name); err != nil {
			return levels, scales, err
		}
	}
	levels.Shape, _ = w.Levels.KnownShape()
	scales.Shape, _ = w.Scales.KnownShape()
	levels.Data, scales.Data = joined(allLevels, w.Levels.DType()), joined(allScales, w.Scales.DType())
	return levels, scales, nil
}

// levelsPart reads the integers and scales of one tensor, as the weight holds them.
func (o options) levelsPart(f *File, w *blockwise.Weight, name string) (held, scales any, err error) {
	levels, scales, err := o.readLevels(f, w, name)
	if err != nil || w.Bits == 8 {
		return levels, scales, err
	}
	return blockwise.Pack(levels), scales, nil
}

// readLevels reads the integers and scales of one tensor.
func (o options) readLevels(f *File, w *blockwise.Weight, name string) (levels []int8, scales any, err error) {
	t := w.Scales.DType()
	if info := f.infos([]string{name})[0]; o.isExact(w, info) {
		levels, wide, err := f.levels(name)
		if err != nil {
			return nil, nil, err
		}
		scales, err := converted(repeated(wide, info.ScaleBlock/w.Block), t)
		return levels, scales, err
	}
	values, err := o.part(f, w.Levels, name, t)
	if err != nil {
		return nil, nil, err
	}
	if levels, scales, err = blockwise.Quantize(values, w.Block, w.Bits); err != nil {
		return nil, nil, f.wrong(name, err)
	}
	return levels, scales, nil
}

// levels reads the integers and scales of a tensor that consists of them.
func (f *File) levels(name string) (levels []int8, scales []float32, err error) {
	t, err := f.tensor(name)
	if err != nil {
		return nil, nil, err
	}
	if err := guarded(func() (err error) { levels, scales, err = t.ReadLevels(); return err }); err != nil {
		return nil, nil, f.wrong(name, err)
	}
	return levels, scales, nil
}

// repeated returns each number several times.
func repeated(values []float32, times int) []float32 {
	list := make([]float32, 0, len(values)*times)
	for _, v := range values {
		for range times {
			list = append(list, v)
		}
	}
	return list
}
