package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/broadloom/broadloom/cmd/broadloom/modelrun"
)

// warm is the part of a build that a builder keeps. With it the compiler and the linker are called without the go
// command, which would check all packages again.
type warm struct {
	pkg       listed
	isSimple  bool // a change of its Go files needs the compiler only
	head      string
	stamps    map[string]stamp // files that the build depends on, besides the package's own
	localDirs []string         // directories of the user's packages that this one imports
	exports   string           // packages with the files of their compiled form, for the compiler and the linker
	mainFile  string           // the compiled main package
	tools     toolchain
}

// stamp detects changes of a file.
type stamp struct {
	size    int64
	changed time.Time
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// newWarm builds a program with the go command, and keeps its results.
func newWarm(ctx context.Context, p *program, overlay Overlay) (*warm, error) {
	out, err := p.goTool(ctx, "list", "-deps", "-export",
		"-json=Dir,ImportPath,Name,GoFiles,CgoFiles,SFiles,HFiles,CFiles,SysoFiles,EmbedPatterns,Export,Standard,Module")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &BuildError{p.pkg.ImportPath, string(out)}
	}
	w := &warm{stamps: map[string]stamp{}, mainFile: filepath.Join(p.dir, "main.a")}
	if err := w.readList(p, out); err != nil {
		return nil, err
	}
	if w.tools, err = findToolchain(ctx, p.pkg.Dir); err != nil {
		return nil, err
	}
	w.isSimple = w.isSimple && w.tools.ignoresFlags()
	w.head = head(w.pkg.Dir, overlay)
	for file := range overlay {
		if filepath.Dir(file) != w.pkg.Dir && slices.Contains(w.localDirs, filepath.Dir(file)) {
			w.isSimple = false // the compiled form of a package holds a buffer that changes
		}
	}
	if err := w.tools.link(ctx, p.binary, w.mainFile, w.exports); err != nil {
		if err := p.goBuild(ctx); err != nil {
			return nil, err
		}
		w.isSimple = false
	}
	return w, nil
}

// readList reads go list's description of the program's packages.
func (w *warm) readList(p *program, out []byte) error {
	var exports strings.Builder
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		isProgram := l.Name == "main"
		switch {
		case l.ImportPath == p.pkg.ImportPath:
			w.setPackage(l)
		case !l.Standard && l.isLocal() && !isProgram:
			w.localDirs = append(w.localDirs, l.Dir)
			w.stamps[l.Dir] = stampOf(l.Dir)
			for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.SFiles, l.HFiles, l.CFiles, l.SysoFiles) {
				file := filepath.Join(l.Dir, name)
				w.stamps[file] = stampOf(file)
			}
		}
		switch {
		case isProgram:
			w.mainFile = l.Export
		case l.Export != "":
			fmt.Fprintf(&exports, "packagefile %s=%s\n", l.ImportPath, l.Export)
		}
	}
	w.exports = filepath.Join(p.dir, "exports.cfg")
	return os.WriteFile(w.exports, []byte(exports.String()), 0o600)
}

// isLocal reports whether a package's files may change: it is not from a versioned module.
func (l listed) isLocal() bool {
	m := l.Module
	return m == nil || m.Main || m.Version == "" || m.Replace != nil && m.Replace.Version == ""
}

// setPackage records the package itself.
func (w *warm) setPackage(l listed) {
	l.GoFiles = slices.DeleteFunc(l.GoFiles, func(name string) bool { return name == modelrun.HookFile })
	w.pkg = l
	w.isSimple = len(l.CgoFiles)+len(l.SFiles)+len(l.HFiles)+len(l.CFiles)+len(l.SysoFiles)+len(l.EmbedPatterns) == 0
	if l.Module != nil {
		for _, name := range []string{l.Module.GoMod, filepath.Join(filepath.Dir(l.Module.GoMod), "go.sum")} {
			w.stamps[name] = stampOf(name)
		}
	}
}

// isCurrent reports whether only the texts of the package's own functions have changed.
func (w *warm) isCurrent(overlay Overlay) bool {
	for file, was := range w.stamps {
		if stampOf(file) != was {
			return false
		}
	}
	for file := range overlay {
		if dir := filepath.Dir(file); dir != w.pkg.Dir && slices.Contains(w.localDirs, dir) {
			return false
		}
	}
	return head(w.pkg.Dir, overlay) == w.head
}

// recompile makes the program from the package's present texts.
func (w *warm) recompile(ctx context.Context, p *program) error {
	lang := ""
	if w.pkg.Module != nil {
		lang = w.pkg.Module.GoVersion
	}
	own := compilation{path: p.pkg.ImportPath, lang: lang, imports: w.exports, to: filepath.Join(p.dir, "package.a"),
		replaced: p.replaced}
	for _, name := range w.pkg.GoFiles {
		own.files = append(own.files, filepath.Join(w.pkg.Dir, name))
	}
	own.files = append(own.files, p.hookFile())
	if p.isMain() {
		own.path = "main"
		if err := w.tools.compile(ctx, own); err != nil {
			return err
		}
		return w.tools.link(ctx, p.binary, own.to, w.exports)
	}
	if err := w.tools.compile(ctx, own); err != nil {
		return err
	}
	exports, err := os.ReadFile(w.exports)
	if err != nil {
		return err
	}
	present := filepath.Join(p.dir, "present.cfg")
	lines := strings.Split(string(exports), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "packagefile "+p.pkg.ImportPath+"=")
	})
	lines = append(lines, "packagefile "+p.pkg.ImportPath+"="+own.to, "")
	if err := os.WriteFile(present, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		return err
	}
	main := compilation{path: "main", lang: lang, imports: present, to: filepath.Join(p.dir, "main.a"),
		replaced: p.replaced, files: []string{p.mainFile()}}
	if err := w.tools.compile(ctx, main); err != nil {
		return errors.New(err.Error()) // no mistake of the user's
	}
	return w.tools.link(ctx, p.binary, main.to, present)
}
