package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/broadloom/broadloom/internal/atomicfile"
	"github.com/broadloom/broadloom/internal/raw"
	"github.com/broadloom/broadloom/weights/internal/safetensors"
)

// writeShards writes values in several files, then the index that names them, and removes the
// files that an index of before named. Files have the names that Hugging Face's libraries give,
// model-00001-of-00003.safetensors; where an index stands already, names of their own, so that it
// holds until the new one takes its place.
func (o options) writeShards(path string, values []Named) error {
	parts, total, err := o.shards(values)
	switch {
	case err != nil:
		return err
	case len(parts) == 0:
		return errors.New("there are no values to write in parts")
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".index.json"), ".safetensors")
	if _, err := os.Lstat(path); err == nil {
		stem += fmt.Sprintf("-%08x", rand.Uint32())
	}
	before, _ := readIndex(path) // what is no index names no files
	idx := index{WeightMap: map[string]string{}}
	idx.Metadata.TotalSize = total
	for i, part := range parts {
		name := fmt.Sprintf("%s-%05d-of-%05d.safetensors", stem, i+1, len(parts))
		for _, v := range part {
			if _, twice := idx.WeightMap[v.Name]; twice {
				return fmt.Errorf("two tensors are called %q", v.Name)
			}
			idx.WeightMap[v.Name] = name
		}
		err := atomicfile.Write(filepath.Join(filepath.Dir(path), name), func(w io.Writer) error {
			return safetensors.Write(w, tensorsOf(part), o.metadata)
		})
		if err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(idx, "", "  ")
	if err != nil {
		return err
	}
	err = atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(append(text, '\n')); return err })
	if err != nil {
		return err
	}
	return before.removeFiles(filepath.Dir(path))
}

// shards divides values, in their order, into files.
func (o options) shards(values []Named) (parts [][]Named, total int64, err error) {
	room := int64(0)
	for _, v := range values {
		d, count, err := raw.DTypeOf(v.Value.Data)
		if err != nil {
			return nil, 0, fmt.Errorf("tensor %q: %w", v.Name, err)
		}
		size := int64(count) * int64(d.Bits()/8)
		if len(parts) == 0 || size > room {
			parts, room = append(parts, nil), o.shardBytes
		}
		last := len(parts) - 1
		parts[last], room = append(parts[last], v), room-size
		total += size
	}
	return parts, total, nil
}
