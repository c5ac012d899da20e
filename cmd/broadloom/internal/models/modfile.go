package models

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lacksModules reports whether a build failed because the user's module does not list
// what the action needs: its go.sum has only what the user's own packages import.
func lacksModules(output []byte) bool {
	return bytes.Contains(output, []byte("missing go.sum entry")) ||
		bytes.Contains(output, []byte("no required module provides package"))
}

// ownModfile copies the module's files, so that go build may complete the copies and
// leaves the user's alone. It gives the arguments and environment that go build needs.
func (p *program) ownModfile() (args, env []string, err error) {
	cmd := exec.Command("go", "env", "GOMOD")
	cmd.Dir, cmd.Env = p.pkg.Dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, nil, err
	}
	mod := strings.TrimSpace(string(out))
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(mod), name))
		if err != nil && !(name == "go.sum" && os.IsNotExist(err)) {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(p.dir, name), data, 0o600); err != nil {
			return nil, nil, err
		}
	}
	return []string{"-mod=mod", "-modfile=" + filepath.Join(p.dir, "go.mod")}, []string{"GOWORK=off"}, nil
}
