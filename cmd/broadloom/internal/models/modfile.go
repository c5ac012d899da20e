package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lacksModules reports whether a build failed because the user's module does not list a dependency of the action: its
// go.mod, its go.sum and its vendor directory only cover the imports of the user's own packages.
func lacksModules(output []byte) bool {
	for _, sign := range []string{"updates to go.mod needed", "updates to go.sum needed", "missing go.sum entry",
		"no required module provides package", "import lookup disabled by -mod=vendor"} {
		if bytes.Contains(output, []byte(sign)) {
			return true
		}
	}
	return false
}

// ownModfile copies the files of the module, or of the workspace, so that go build may complete the copies without
// changing the user's. It returns the arguments and the environment that go build needs. If a file lacks a sum, the
// copy is completed from the module cache or the network.
func (p *program) ownModfile() (args, env []string, err error) {
	out, err := p.goOutput("env", "-json", "GOMOD", "GOWORK")
	if err != nil {
		return nil, nil, err
	}
	var files struct{ GOMOD, GOWORK string }
	if err := json.Unmarshal(out, &files); err != nil {
		return nil, nil, err
	}
	if files.GOWORK != "" && files.GOWORK != "off" {
		return p.ownWorkspace(files.GOWORK)
	}
	if err := p.copyModfiles(files.GOMOD, "go.mod", "go.sum"); err != nil {
		return nil, nil, err
	}
	return []string{"-mod=mod", "-modfile=" + filepath.Join(p.dir, "go.mod")}, []string{"GOWORK=off"}, nil
}

// ownWorkspace copies a workspace's file, with paths that do not depend on its place.
func (p *program) ownWorkspace(file string) (args, env []string, err error) {
	out, err := p.goOutput("work", "edit", "-json", file)
	if err != nil {
		return nil, nil, err
	}
	type module struct{ Path, Version string }
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct{ Old, New module }
	}
	if err := json.Unmarshal(out, &work); err != nil {
		return nil, nil, err
	}
	if err := p.copyModfiles(file, "go.work", "go.work.sum"); err != nil {
		return nil, nil, err
	}
	isLocal := func(path string) bool {
		return strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path == "." || path == ".."
	}
	from := func(path string) string { return filepath.Join(filepath.Dir(file), filepath.FromSlash(path)) }
	edit := []string{"work", "edit"}
	for _, use := range work.Use {
		if isLocal(use.DiskPath) {
			edit = append(edit, "-dropuse="+use.DiskPath, "-use="+from(use.DiskPath))
		}
	}
	for _, r := range work.Replace {
		if old := strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@"); isLocal(r.New.Path) {
			edit = append(edit, "-replace="+old+"="+from(r.New.Path))
		}
	}
	copied := filepath.Join(p.dir, "go.work")
	if _, err := p.goOutput(append(edit, copied)...); err != nil {
		return nil, nil, err
	}
	return []string{"-mod=readonly"}, []string{"GOWORK=" + copied}, nil
}

// copyModfiles copies a file under a name, and the file of sums next to it, which may be missing.
func (p *program) copyModfiles(file, name, sums string) error {
	for from, to := range map[string]string{file: name, filepath.Join(filepath.Dir(file), sums): sums} {
		data, err := os.ReadFile(from)
		if err != nil && !(to == sums && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
		if err := os.WriteFile(filepath.Join(p.dir, to), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// goOutput returns the output of a go command.
func (p *program) goOutput(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = p.pkg.Dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, exit.Stderr)
	}
	return out, err
}
