package models

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// toolchain is Go's compiler and linker with their environment.
type toolchain struct {
	compiler, linker string
	env              []string
	flags            string // that the user gives to all go commands
}

// toolVariables are those that the go command hands to its tools.
var toolVariables = []string{"GOOS", "GOARCH", "GOEXPERIMENT", "GOAMD64", "GOARM", "GOARM64", "GO386", "GOMIPS",
	"GOMIPS64",
	"GOPPC64", "GORISCV64", "GOROOT", "GOFLAGS"}

// findToolchain asks the go command for its tools in a directory.
func findToolchain(ctx context.Context, dir string) (t toolchain, err error) {
	output := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	if t.compiler, err = output("tool", "-n", "compile"); err != nil {
		return t, err
	}
	if t.linker, err = output("tool", "-n", "link"); err != nil {
		return t, err
	}
	text, err := output(append([]string{"env", "-json"}, toolVariables...)...)
	if err != nil {
		return t, err
	}
	values := map[string]string{}
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return t, err
	}
	t.env, t.flags = os.Environ(), values["GOFLAGS"]
	for name, value := range values {
		t.env = append(t.env, name+"="+value)
	}
	return t, nil
}

// ignoresFlags reports whether no flag of all go commands is for the compiler or the linker.
func (t toolchain) ignoresFlags() bool {
	return !slices.ContainsFunc(strings.Fields(t.flags), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return !slices.Contains([]string{"buildvcs", "mod", "modcacherw", "modfile", "p", "tags", "v", "vet", "x"},
			name)
	})
}

// compilation is a package for the compiler.
type compilation struct {
	path, lang string
	imports    string // the file with compiled packages
	files      []string
	replaced   map[string]string // as of a program
	to         string
}

// compile compiles a package. Its code runs once and is seen by no debugger: functions are not inlined,
// and there is no information for one.
func (t toolchain) compile(ctx context.Context, c compilation) error {
	var rewrites []string
	files := slices.Clone(c.files)
	for i, file := range files {
		if other, ok := c.replaced[file]; ok {
			files[i] = other
			rewrites = append(rewrites, other+"=>"+file)
		}
	}
	args := []string{"-p", c.path, "-complete", "-importcfg", c.imports, "-pack", "-l", "-dwarf=false", "-c=2",
		"-trimpath", strings.Join(rewrites, ";"), "-o", c.to}
	if c.lang != "" {
		args = append(args, "-lang=go"+languageVersion(c.lang))
	}
	out, err := t.command(ctx, t.compiler, append(args, files...)...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	text := string(out)
	for i, file := range files { // only what is compiled has the user's names
		text = strings.ReplaceAll(text, file, c.files[i])
	}
	return &BuildError{c.path, text}
}

// languageVersion cuts "1.26.0" to "1.26".
func languageVersion(v string) string {
	parts := strings.SplitN(v, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// link links a program, without what debuggers need.
func (t toolchain) link(ctx context.Context, to, mainFile, packages string) error {
	out, err := t.command(ctx, t.linker, "-importcfg", packages, "-s", "-w", "-buildmode=exe", "-o", to, mainFile)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("link: %w\n%s", err, out)
	}
	return err
}

func (t toolchain) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = t.env
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}
