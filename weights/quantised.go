package weights

import (
	"fmt"
	"slices"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/internal/raw"
)

// This file loads weights of nn.Int8Weights, nn.Int4Weights, nn.Uint8Weights and nn.Uint4Weights.

// withScales returns parameters with the others of each such weight: integers mean nothing without their scales.
func withScales(params []*graph.Node) []*graph.Node {
	all := slices.Clone(params)
	for _, n := range params {
		w := blockwise.Of(n)
		if w == nil {
			continue
		}
		for _, part := range w.Params() {
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

// isExact reports whether a tensor consists of integers with scales that a weight of a format holds as they are.
func (o options) isExact(w *blockwise.Weight, as blockwise.Format, t raw.Info) bool {
	return t.ScaleBlock > 0 && t.LevelBits <= as.Bits && t.ScaleBlock%as.Block == 0 &&
		(as.HasMinima || !t.HasMinima) && holds(w.Scales.DType(), graph.Float32) && !o.isTransposed(w.Levels)
}

// roundingMismatch says why numbers of a file cannot be the weight; nothing where they can.
func (o options) roundingMismatch(w *blockwise.Weight, t raw.Info) string {
	if o.narrowing || o.isExact(w, w.Format, t) {
		return ""
	}
	exact := ""
	shape, _ := w.KnownShape()
	for i := range 4 {
		as := blockwise.Format{Bits: 4 << (i / 2), Block: max(t.ScaleBlock, 1), HasMinima: i%2 == 1}
		if len(shape) > 0 && shape[len(shape)-1]%as.Block == 0 && o.isExact(w, as, t) {
			exact = fmt.Sprintf(", or %s(%d), which holds it as it is", as.Option(), as.Block)
			break
		}
	}
	return fmt.Sprintf("%s is held %s (%s), but the file has %s: use AllowNarrowing() to round it%s",
		w.Levels.Name(), w.Describe(), w.Option(), t.Stored(), exact)
}

// heldValues reads the values of a weight's parameters from its tensors.
func (o options) heldValues(f *File, w *blockwise.Weight, tensors []string) ([]exec.Array, error) {
	params := w.Params()
	parts, values := make([][]any, len(params)), make([]exec.Array, len(params))
	for _, name := range tensors {
		held, err := o.heldPart(f, w, name)
		if err != nil {
			return nil, err
		}
		for i := range params {
			parts[i] = append(parts[i], held[i])
		}
	}
	for i, n := range params {
		values[i].Shape, _ = n.KnownShape()
		values[i].Data = joined(parts[i], n.DType())
	}
	return values, nil
}

// heldPart reads one tensor as the parameters of a weight hold it.
func (o options) heldPart(f *File, w *blockwise.Weight, name string) (held []any, err error) {
	t := w.Scales.DType()
	if info := f.infos([]string{name})[0]; o.isExact(w, w.Format, info) {
		levels, err := f.levels(name)
		if err != nil {
			return nil, err
		}
		integers, minima := integersOf(levels, info.LevelBits, w.HasMinima)
		held = []any{w.Store(integers)}
		for _, numbers := range [][]float32{levels.Scales, minima}[:len(w.Params())-1] {
			each, err := converted(repeated(numbers, info.ScaleBlock/w.Block), t)
			if err != nil {
				return nil, err
			}
			held = append(held, each)
		}
		return held, nil
	}
	values, err := o.part(f, w.Levels, name, t)
	if err != nil {
		return nil, err
	}
	if held, err = w.Quantize(values); err != nil {
		return nil, f.wrong(name, err)
	}
	return held, nil
}

// levels reads the integers and scales of a tensor that consists of them.
func (f *File) levels(name string) (levels raw.Levels, err error) {
	t, err := f.tensor(name)
	if err != nil {
		return levels, err
	}
	if err := guarded(func() (err error) { levels, err = t.ReadLevels(); return err }); err != nil {
		return levels, f.wrong(name, err)
	}
	return levels, nil
}

// integersOf returns integers of so many bits as a format with or without minima has them. Those with signs lose them
// by a minimum, which rounds nothing: the products of the formats with signs leave bits for it.
func integersOf(levels raw.Levels, bits int, hasMinima bool) (integers []int16, minima []float32) {
	minima, offset := levels.Minima, 0
	if hasMinima && minima == nil {
		offset, minima = 1<<(bits-1), make([]float32, len(levels.Scales))
		for i, scale := range levels.Scales {
			minima[i] = -scale * float32(offset)
		}
	}
	integers = make([]int16, len(levels.Integers))
	for i, q := range levels.Integers {
		integers[i] = int16(q) + int16(offset)
	}
	return integers, minima
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
