package stablehlo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/weights"
)

// The files of a folder.
const (
	ModuleFile    = "module.mlir"
	SignatureFile = "signature.json"
	WeightsFile   = "weights.safetensors"
)

// Save writes a folder with the module, its signature and, of a session, the parameters that the program reads or
// writes. They are first written to another folder: the old contents of dir, a folder of an earlier Save or nothing,
// stay until all is written. A folder that is not one of Save is not replaced.
func (m *Module) Save(dir string, s *exec.Session) (err error) {
	dir = filepath.Clean(dir)
	if err := replaceable(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return fmt.Errorf("stablehlo: %w", err)
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return fmt.Errorf("stablehlo: %w", err)
	}
	defer os.RemoveAll(beside)
	if err := m.write(beside, s); err != nil {
		return err
	}
	return Move(beside, dir)
}

// Move renames a folder of Save within a file system. It replaces what is at the new name if that is a folder of Save
// too.
func Move(from, to string) error {
	if err := replaceable(to); err != nil {
		return err
	}
	old := from + ".old"
	if err := os.Rename(to, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("stablehlo: %w", err)
	}
	if err := os.Rename(from, to); err != nil {
		return errors.Join(fmt.Errorf("stablehlo: %w", err), os.Rename(old, to))
	}
	return os.RemoveAll(old)
}

// replaceable refuses anything that is not a folder of Save.
func replaceable(dir string) error {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("stablehlo: %w", err)
	}
	for _, e := range list {
		if name := e.Name(); name != ModuleFile && name != SignatureFile && name != WeightsFile {
			return fmt.Errorf("stablehlo: %s holds %s, which no export has written: give another folder", dir, name)
		}
	}
	return nil
}

// write writes the files into an empty folder.
func (m *Module) write(dir string, s *exec.Session) error {
	signature, err := json.MarshalIndent(&m.signature, "", "  ")
	if err != nil {
		return fmt.Errorf("stablehlo: %w", err)
	}
	for name, data := range map[string][]byte{ModuleFile: []byte(m.String()), SignatureFile: signature} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return fmt.Errorf("stablehlo: %w", err)
		}
	}
	if s == nil {
		return os.Chmod(dir, 0o755)
	}
	var params []*graph.Node
	for _, n := range m.inputs {
		if n.IsParam() {
			params = append(params, n)
		}
	}
	if len(params) > 0 {
		if err := weights.Save(filepath.Join(dir, WeightsFile), s, weights.Only(params...)); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o755) // as a folder that anyone makes
}
