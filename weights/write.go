package weights

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/atomicfile"
	"github.com/broadloom/broadloom/weights/internal/npy"
	"github.com/broadloom/broadloom/weights/internal/safetensors"
)

// Named is a value to be written, and its name.
type Named struct {
	Name  string
	Value exec.Array
}

// Write writes values to a file. Its extension is .safetensors, .npz, .npy (one value), or with [ShardBytes]
// .index.json. The path always names a complete file: the new one, or the earlier one until then. The index of a
// sharded file is written last. Options are [Metadata] and [ShardBytes].
func Write(path string, values []Named, opts ...Option) error {
	if err := optionsOf(opts).write(path, values); err != nil {
		return fmt.Errorf("weights: %s: %w", path, err)
	}
	return nil
}

// CheckPath returns the errors of [Write] and [Save] that depend only on the path, such as an unknown extension,
// without reading values or the disk: call it before a long training.
func CheckPath(path string, opts ...Option) error {
	if err := optionsOf(opts).checkPath(path); err != nil {
		return fmt.Errorf("weights: %s: %w", path, err)
	}
	return nil
}

func (o options) checkPath(path string) error {
	ending := filepath.Ext(path)
	isIndex := isIndexPath(path)
	switch {
	case isIndex != (o.shardBytes > 0):
		return errors.New("ShardBytes and a path ending in .index.json require each other")
	case !isIndex && o.metadata != nil && ending != ".safetensors":
		return errors.New("only .safetensors has metadata")
	case !isIndex && !slices.Contains([]string{".safetensors", ".npz", ".npy"}, ending):
		return fmt.Errorf("the extension %q is unknown: use .safetensors, .npz, .npy or .index.json", ending)
	}
	return nil
}

func isIndexPath(path string) bool { return strings.HasSuffix(filepath.Base(path), ".index.json") }

func (o options) write(path string, values []Named) error {
	if err := o.checkPath(path); err != nil {
		return err
	}
	if isIndexPath(path) {
		return o.writeShards(path, values)
	}
	switch filepath.Ext(path) {
	case ".safetensors":
		return atomicfile.Write(path, func(w io.Writer) error {
			return safetensors.Write(w, tensorsOf(values), o.metadata)
		})
	case ".npz":
		return atomicfile.Write(path, func(w io.Writer) error { return writeZip(w, values) })
	}
	if len(values) != 1 {
		return fmt.Errorf("an .npy file holds one value, not %d: write .npz", len(values))
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		return npy.Write(w, values[0].Value.Shape, values[0].Value.Data)
	})
}

func writeZip(w io.Writer, values []Named) error {
	z := npy.NewZip(w)
	for _, v := range values {
		if err := z.Add(v.Name, v.Value.Shape, v.Value.Data); err != nil {
			return err
		}
	}
	return z.Close()
}

func tensorsOf(values []Named) []safetensors.Tensor {
	tensors := make([]safetensors.Tensor, len(values))
	for i, v := range values {
		tensors[i] = safetensors.Tensor{Name: v.Name, Shape: v.Value.Shape, Data: v.Value.Data}
	}
	return tensors
}
