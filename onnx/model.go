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

// Model is a file that was read. It may be used by any number of goroutines, and must not be closed meanwhile.
type Model struct {
	path  string
	model *wire.Model

	lock   sync.Mutex
	files  map[string]*mapped.File // those that are open, the model's own one as ""
	bytes  map[string][]byte
	closed bool
}

// Open reads a model. The tensors of the file, and of such that lie beside it, are read from memory that the system maps, when they are
// wanted: close the model once sessions have them. It returns an error where the file is no model, damaged, or of a version that is
// not known.
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

// Parse is [Open] of a file's content, which must not change as long as the model is used. Tensors in other files are refused.
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
		return fmt.Errorf("this is no model of ONNX, or it is damaged: %w", err)
	}
	if m.model.Graph == nil {
		return errors.New("this is no model of ONNX: it has no graph")
	}
	for _, o := range m.model.Opsets {
		if (o.Domain == "" || o.Domain == "ai.onnx") && o.Version > newest {
			return fmt.Errorf("it uses version %d of ONNX's operators, and %d is the newest that is known here: export it for that one", o.Version, newest)
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

// Close gives the memory of the files back. What sessions and arrays hold stays.
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

// Name is the file's name without its ending, or that of the graph in it.
func (m *Model) Name() string {
	if m == nil || m.model == nil {
		return ""
	}
	if m.path != "" {
		return strings.TrimSuffix(filepath.Base(m.path), filepath.Ext(m.path))
	}
	return m.model.Graph.Name
}

// Info is what a model says of one of its inputs or outputs.
type Info struct {
	Name  string
	DType string   // as ONNX writes it, such as "float" or "int64"; "" of what is no tensor
	Shape []string // a number for each axis, or the name that [Size] takes; nil where nothing is said
}

// String writes it as "x float[batch, 3, 224, 224]".
func (i Info) String() string {
	if i.Shape == nil {
		return strings.TrimSpace(i.Name + " " + i.DType)
	}
	return fmt.Sprintf("%s %s[%s]", i.Name, i.DType, strings.Join(i.Shape, ", "))
}

// Inputs tells what the model takes.
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

// Outputs tells what the model gives.
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

// Metadata are the pairs of words that the model's author left in it.
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
