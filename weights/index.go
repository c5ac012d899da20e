package weights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/broadloom/broadloom/internal/mapped"
	"github.com/broadloom/broadloom/internal/raw"
	"github.com/broadloom/broadloom/weights/internal/safetensors"
)

// index tells which file holds which tensor, as Hugging Face's libraries write it.
type index struct {
	Metadata struct {
		TotalSize int64 `json:"total_size"`
	} `json:"metadata"`
	WeightMap map[string]string `json:"weight_map"`
}

// maxIndex bounds the bytes of an index.
const maxIndex = 100_000_000

// openIndex opens the files that an index names. Each tensor must lie in the very file that it
// says; others in these files are left out.
func (f *File) openIndex() error {
	idx, err := readIndex(f.path)
	if err != nil {
		return err
	}
	left := maps.Clone(idx.WeightMap)
	for _, name := range idx.files() {
		if !isBeside(name) {
			return fmt.Errorf("the index names the file %q, which is not next to it", name)
		}
		read := func(r io.ReaderAt, size int64) ([]raw.Tensor, error) {
			tensors, _, err := safetensors.Read(r, size)
			tensors = slices.DeleteFunc(tensors, func(t raw.Tensor) bool { return idx.WeightMap[t.Name] != name })
			for _, t := range tensors {
				delete(left, t.Name)
			}
			return tensors, err
		}
		err := f.openPart(filepath.Join(filepath.Dir(f.path), name), read)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(left) > 0 {
		name := slices.Min(slices.Collect(maps.Keys(left)))
		return fmt.Errorf("the index says that %s contains %q, but it does not (%d such tensors)", left[name], name,
			len(left))
	}
	return nil
}

// files lists the files that the index names.
func (idx index) files() []string {
	return slices.Compact(slices.Sorted(maps.Values(idx.WeightMap)))
}

// isBeside reports whether a file that an index names lies in the index's folder.
func isBeside(name string) bool {
	return filepath.IsLocal(name) && filepath.Base(name) == name
}

// removeFiles removes the files that the index names.
func (idx index) removeFiles(folder string) error {
	for _, name := range idx.files() {
		if !isBeside(name) || filepath.Ext(name) != ".safetensors" {
			continue
		}
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func readIndex(path string) (idx index, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return idx, err
	case !info.Mode().IsRegular():
		return idx, mapped.NotOrdinary(path)
	case info.Size() > maxIndex:
		return idx, fmt.Errorf("the index has %d bytes: the limit is %d", info.Size(), maxIndex)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return idx, err
	}
	if err := json.Unmarshal(text, &idx); err != nil {
		return idx, fmt.Errorf("the index is not valid JSON: %w", err)
	}
	if len(idx.WeightMap) == 0 {
		return idx, errors.New("the index has no weight_map")
	}
	return idx, nil
}
