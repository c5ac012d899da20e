package onnx

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/broadloom/broadloom/internal/mapped"
	"github.com/broadloom/broadloom/onnx/internal/importer"
	"github.com/broadloom/broadloom/onnx/internal/wire"
)

// Model is an open file. It may be used by several goroutines, but must not be closed meanwhile.
type Model struct {
	path  string
	model *wire.Model

	lock   sync.Mutex
	files  map[string]*mapped.File // those that are open, the model's own one as ""
	bytes  map[string][]byte
	closed bool
}

// Open opens a model. Tensors, also those in files next to it, are memory-mapped and read when they are needed: close
// the model once sessions have loaded them. It returns an error if the file is not a model, is damaged, or has an
// unknown version.
func Open(path string) (*Model, error) {
	m := &Model{path: path, files: map[string]*mapped.File{}, bytes: map[string][]byte{}}
	data, err := m.file("", path)
	if err == nil {
		err = m.decode(data)
	}
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("onnx: %s: %w", path, err)
	}
	return m, nil
}

// Parse is [Open] for the content of a file, which must not change while the model is used. Tensors in other files
// are errors.
func Parse(data []byte) (*Model, error) {
	m := &Model{}
	if err := m.decode(data); err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return m, nil
}

// newest is the newest version of ONNX's operators that is known.
const newest = 28

func (m *Model) decode(data []byte) (err error) {
	if len(data) == 0 {
		return errors.New("the file is empty")
	}
	if m.model, err = wire.Decode(data); err != nil {
		return fmt.Errorf("this is not an ONNX model, or it is damaged: %w", err)
	}
	if m.model.Graph == nil {
		return errors.New("this is not an ONNX model: it has no graph")
	}
	for _, o := range m.model.Opsets {
		if (o.Domain == "" || o.Domain == "ai.onnx") && o.Version > newest {
			return fmt.Errorf(
				"it uses version %d of ONNX's operators, but the newest supported one is %d: export it for that one",
				o.Version, newest)
		}
	}
	return nil
}

// file maps a file, and remembers it under a name.
func (m *Model) file(name, path string) ([]byte, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.closed {
		return nil, errClosed
	}
	if data, ok := m.bytes[name]; ok {
		return data, nil
	}
	f, err := mapped.Open(path)
	if err != nil {
		return nil, err
	}
	m.files[name] = f
	data, isMapped := f.ReaderAt.(interface{ Bytes() []byte })
	if isMapped {
		m.bytes[name] = data.Bytes()
	} else if m.bytes[name], err = io.ReadAll(io.NewSectionReader(f, 0, f.Size)); err != nil {
		return nil, err
	}
	return m.bytes[name], nil
}

var errClosed = errors.New("the model is closed")

// isOpen returns an error where the memory of the files is gone.
func (m *Model) isOpen() error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.closed {
		return fmt.Errorf("onnx: %w", errClosed)
	}
	return nil
}

// Close unmaps the files. Values in sessions and arrays stay valid.
func (m *Model) Close() (err error) {
	if m == nil {
		return nil
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.closed = true
	for _, f := range m.files {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	m.files, m.bytes = nil, nil
	return err
}

// Name returns the file's name without its extension, or the name of the model's graph.
func (m *Model) Name() string {
	if m == nil || m.model == nil {
		return ""
	}
	if m.path != "" {
		return strings.TrimSuffix(filepath.Base(m.path), filepath.Ext(m.path))
	}
	return m.model.Graph.Name
}

// Info describes an input or output of a model.
type Info struct {
	Name  string
	DType string   // in ONNX's notation, such as "float" or "int64"; "" if it is not a tensor
	Shape []string // a number for each axis, or a name for [Size]; nil if the model declares none
}

// String returns it in the form "x float[batch, 3, 224, 224]".
func (i Info) String() string {
	if i.Shape == nil {
		return strings.TrimSpace(i.Name + " " + i.DType)
	}
	return fmt.Sprintf("%s %s[%s]", i.Name, i.DType, strings.Join(i.Shape, ", "))
}

// Inputs describes the model's inputs.
func (m *Model) Inputs() []Info {
	if m == nil || m.model == nil {
		return nil
	}
	constants := map[string]bool{}
	for _, t := range m.model.Graph.Initializers {
		constants[t.Name] = true
	}
	var list []Info
	for _, v := range m.model.Graph.Inputs {
		if !constants[v.Name] {
			list = append(list, m.infoOf(v))
		}
	}
	return list
}

// Outputs describes the model's outputs.
func (m *Model) Outputs() (list []Info) {
	if m == nil || m.model == nil {
		return nil
	}
	for _, v := range m.model.Graph.Outputs {
		list = append(list, m.infoOf(v))
	}
	return list
}

func (m *Model) infoOf(v *wire.ValueInfo) Info {
	i := Info{Name: v.Name}
	t := importer.TensorType(v.Type)
	if t == nil {
		return i
	}
	i.DType = t.Elem.String()
	if !t.HasShape {
		return i
	}
	i.Shape = []string{}
	for axis, d := range t.Dims {
		if d.IsKnown && d.Value >= 0 {
			i.Shape = append(i.Shape, fmt.Sprint(d.Value))
		} else {
			i.Shape = append(i.Shape, importer.SizeName(m.model.Graph, v, axis))
		}
	}
	return i
}

// Metadata returns the model's metadata, pairs of strings.
func (m *Model) Metadata() map[string]string {
	pairs := map[string]string{}
	if m == nil || m.model == nil {
		return pairs
	}
	for _, p := range m.model.Metadata {
		pairs[p.Key] = p.Value
	}
	return pairs
}
