package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/cmd/broadloom/modelrun"
)

// Builder runs the models of one package repeatedly while its source changes. Unchanged packages are not built again:
// the first run takes as long as [Run], and later ones only the fractions of a second in which the package is compiled
// and linked. A Builder serves one goroutine at a time.
type Builder struct {
	dir       string // of the package
	action    Action
	temporary string
	warm      *warm // nil before the first build, and after a change that it does not know how to follow
}

// NewBuilder makes a builder for the package in a directory.
func NewBuilder(dir string, action Action) (*Builder, error) {
	temporary, err := os.MkdirTemp("", "broadloom-")
	if err != nil {
		return nil, err
	}
	return &Builder{dir: dir, action: action, temporary: temporary}, nil
}

// Close removes the builder's files.
func (b *Builder) Close() { os.RemoveAll(b.temporary) }

// DependsOn reports whether the package imports, directly or not, a package in a directory of the user. It is known
// after a run.
func (b *Builder) DependsOn(dir string) bool {
	return b.warm != nil && slices.Contains(b.warm.localDirs, dir)
}

// Run runs an action on all models of the package. A package that does not compile is a
// [BuildError].
func (b *Builder) Run(ctx context.Context, overlay Overlay, o Options) (pkg Package, outcomes []Outcome, err error) {
	l, err := b.listed(ctx, overlay)
	if err != nil {
		return pkg, nil, err
	}
	if pkg, err = read(l, overlay); err != nil || len(pkg.Models) == 0 {
		return pkg, nil, err
	}
	o.Action = b.action
	p := newProgram(pkg, b.temporary)
	if err := p.write(b.action, overlay); err != nil {
		return pkg, nil, err
	}
	if err := b.build(ctx, p, overlay); err != nil {
		return pkg, nil, err
	}
	outcomes, err = p.runAll(ctx, o)
	return pkg, outcomes, err
}

// listed returns the go command's description of the package.
func (b *Builder) listed(ctx context.Context, overlay Overlay) (listed, error) {
	if b.warm != nil && b.warm.isCurrent(overlay) {
		return b.warm.pkg, nil
	}
	b.warm = nil
	args := []string{"-e", "-json=Dir,ImportPath,Name,GoFiles,CgoFiles,Error"}
	if len(overlay) > 0 {
		p := newProgram(Package{Dir: b.dir, Name: "main"}, b.temporary)
		if err := p.write(b.action, overlay); err != nil {
			return listed{}, err
		}
		args = append(args, "-overlay", p.overlayFile())
	}
	lists, err := list(ctx, b.dir, append(args, ".")...)
	switch {
	case err != nil:
		return listed{}, err
	case len(lists) != 1:
		return listed{}, fmt.Errorf("%s is not one package", b.dir)
	case lists[0].Error != nil && len(lists[0].GoFiles) == 0:
		return listed{}, errors.New(strings.TrimSpace(lists[0].Error.Err))
	}
	l := lists[0]
	l.GoFiles = slices.DeleteFunc(l.GoFiles, func(name string) bool { return name == modelrun.HookFile })
	return l, nil
}

// build makes the program.
func (b *Builder) build(ctx context.Context, p *program, overlay Overlay) error {
	if b.warm != nil {
		err := b.warm.recompile(ctx, p)
		if err == nil || ctx.Err() != nil || isBuildError(err) {
			return err
		}
		b.warm = nil // the go command has the last word
	}
	warm, err := newWarm(ctx, p, overlay)
	if err != nil {
		return err
	}
	if warm.isSimple {
		b.warm = warm
	}
	return nil
}

func isBuildError(err error) bool {
	var e *BuildError
	return errors.As(err, &e)
}
