package weights

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/mapped"
	"github.com/broadloom/broadloom/internal/raw"
	"github.com/broadloom/broadloom/weights/internal/gguf"
	"github.com/broadloom/broadloom/weights/internal/npy"
	"github.com/broadloom/broadloom/weights/internal/safetensors"
)

// Info describes a tensor in a file: its name, its dtype in safetensors' notation ("F32", "BF16") or GGUF's quantised
// format ("Q4_K"), and its shape.
type Info struct {
	Name  string
	DType string
	Shape []int
}

// File is an open file of tensors, or a sharded one. It must not be used by several goroutines at once.
type File struct {
	path     string
	parts    []*mapped.File
	tensors  []raw.Tensor
	byName   map[string]int
	metadata map[string]string
	fields   map[string]any
	isClosed bool
}

// Open opens a file. Its extension is .safetensors, .gguf, .npz, .npy (with one tensor, named like the file without the
// extension), or .index.json, next to the shards. It reads and checks headers, but no elements. The file must not be
// written while it is open.
func Open(path string) (*File, error) {
	f := &File{path: path, byName: map[string]int{}}
	if err := f.open(); err != nil {
		f.Close()
		if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path == path {
			return nil, fmt.Errorf("weights: %w", err) // which names the path
		}
		return nil, fmt.Errorf("weights: %s: %w", path, err)
	}
	return f, nil
}

// OpenReader opens the content of a file, such as one that is embedded in the program: size bytes of r. Its name has
// the extension of a file of [Open], but for .index.json. r must not change, and is not closed.
func OpenReader(name string, r io.ReaderAt, size int64) (*File, error) {
	f := &File{path: name, byName: map[string]int{}}
	if err := f.openReader(r, size); err != nil {
		return nil, fmt.Errorf("weights: %s: %w", name, err)
	}
	return f, nil
}

func (f *File) openReader(r io.ReaderAt, size int64) error {
	switch {
	case isIndexPath(f.path):
		return errors.New("an index has other files next to it: use Open")
	case r == nil || size < 0:
		return fmt.Errorf("the reader is %v, and its size is %d", r, size)
	default:
		read, err := f.format(filepath.Base(f.path))
		if err != nil {
			return err
		}
		return f.add(r, size, read)
	}
}

func (f *File) open() error {
	if isIndexPath(f.path) {
		return f.openIndex()
	}
	read, err := f.format(filepath.Base(f.path))
	if err != nil {
		return f.withoutExtension(err)
	}
	return f.openPart(f.path, read)
}

// withoutExtension returns what is wrong with a path that is not that of a file with an extension, or err.
func (f *File) withoutExtension(err error) error {
	switch at, absent := os.Stat(f.path); {
	case absent != nil && filepath.Ext(f.path) == "":
		return absent
	case absent == nil && at.IsDir():
		return errors.New(
			"it is a folder: open a file in it, such as model.safetensors or model.safetensors.index.json")
	}
	return err
}

// reader finds the tensors in a file of so many bytes.
type reader func(r io.ReaderAt, size int64) ([]raw.Tensor, error)

// format returns what reads a file, according to the extension of its name.
func (f *File) format(name string) (reader, error) {
	ending := filepath.Ext(name)
	switch ending {
	case ".safetensors":
		return func(r io.ReaderAt, size int64) (tensors []raw.Tensor, err error) {
			tensors, f.metadata, err = safetensors.Read(r, size)
			return tensors, err
		}, nil
	case ".gguf":
		return func(r io.ReaderAt, size int64) (tensors []raw.Tensor, err error) {
			tensors, f.fields, err = gguf.Read(r, size)
			return tensors, err
		}, nil
	case ".npz":
		return npy.ReadZip, nil
	case ".npy":
		return func(r io.ReaderAt, size int64) ([]raw.Tensor, error) {
			t, err := npy.Read(r, size, strings.TrimSuffix(name, ending))
			return []raw.Tensor{t}, err
		}, nil
	case ".pt", ".pth", ".bin", ".pkl", ".pickle", ".ckpt":
		return nil, errors.New(
			"files of PyTorch's own format run code when they are read: convert it with safetensors.torch.save_file (the package's documentation has the three lines)")
	}
	return nil, fmt.Errorf("the extension %q is unknown: use .safetensors, .npz, .npy, .gguf or .index.json; "+
		"read other files in Python and write them with safetensors.numpy.save_file or numpy.savez (for ONNX, see docs/weights.md)",
		ending)
}

// openPart maps a file and adds the tensors that read finds in it.
func (f *File) openPart(path string, read reader) error {
	m, err := mapped.Open(path)
	if err != nil {
		return err
	}
	f.parts = append(f.parts, m)
	return f.add(m.ReaderAt, m.Size, read)
}

// add adds the tensors that read finds.
func (f *File) add(r io.ReaderAt, size int64, read reader) error {
	var tensors []raw.Tensor
	if err := guarded(func() (err error) { tensors, err = read(r, size); return err }); err != nil {
		return err
	}
	for _, t := range tensors {
		f.byName[t.Name] = len(f.tensors)
		f.tensors = append(f.tensors, t)
	}
	return nil
}

// guarded calls a function that reads mapped memory. Where somebody cuts off the file
// meanwhile, touching its memory is a fault, which becomes an error.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errors.New("the file was truncated while it was read")
		default:
			panic(fault)
		}
	}()
	return read()
}

// Close closes the file. Values that were read stay valid.
func (f *File) Close() error {
	var errs []error
	for _, m := range f.parts {
		errs = append(errs, m.Close())
	}
	f.parts, f.isClosed = nil, true
	return errors.Join(errs...)
}

// Tensors lists the tensors of the file, in its order.
func (f *File) Tensors() []Info {
	infos := make([]Info, len(f.tensors))
	for i, t := range f.tensors {
		infos[i] = Info{t.Name, t.Stored(), slices.Clone(t.Shape)}
	}
	return infos
}

// Metadata returns the metadata of a safetensors file.
func (f *File) Metadata() map[string]string { return f.metadata }

// Fields returns the metadata of a GGUF file, such as "general.architecture": numbers of the Go type that the file
// states, booleans, strings, slices of these, and []any for arrays of arrays.
func (f *File) Fields() map[string]any { return f.fields }

// Read reads a tensor, as a slice of the Go type of its dtype: F16 as []half.Float16, F8_E4M3 as []half.Float8E4M3FN,
// U8 as []uint8. Quantised elements of GGUF become []float32. A dtype without a Go type, such as F8_E8M0, is an error.
func (f *File) Read(name string) (exec.Array, error) {
	t, err := f.tensor(name)
	if err != nil {
		return exec.Array{}, err
	}
	value := exec.Array{Shape: slices.Clone(t.Shape)}
	if err := guarded(func() (err error) { value.Data, err = t.Read(); return err }); err != nil {
		return exec.Array{}, f.wrong(name, err)
	}
	return value, nil
}

// tensor finds a tensor of an open file.
func (f *File) tensor(name string) (t raw.Tensor, err error) {
	i, ok := f.byName[name]
	switch {
	case !ok:
		return t, fmt.Errorf("weights: %s has no tensor %q", f.path, name)
	case f.isClosed:
		return t, fmt.Errorf("weights: %s is closed", f.path)
	}
	return f.tensors[i], nil
}

// wrong is an error of a tensor.
func (f *File) wrong(name string, err error) error {
	return fmt.Errorf("weights: %s: tensor %q: %w", f.path, name, err)
}
