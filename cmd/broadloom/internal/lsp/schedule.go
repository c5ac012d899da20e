package lsp

import (
	"context"
	"path/filepath"
	"time"

	"go.lsp.dev/protocol"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
)

// pkg is a package that is checked while the editor has a file of it open.
type pkg struct {
	dir     string
	builder *models.Builder
	cancel  context.CancelFunc // of the check that is to come or under way; nil where there is none
	done    chan struct{}      // closed when that has ended
	models  map[string]*model  // by name: what was found when it could last be checked
	broken  []diagnostic       // why models could not be checked
}

func (p *pkg) close() {
	if p.builder != nil {
		p.builder.Close()
	}
}

// schedule has the package of a file checked after a delay, and those that import it. A check that is
// under way is given up: its text is not the present one. The server is locked.
func (s *server) schedule(file string, delay time.Duration) {
	if filepath.Ext(file) != ".go" && filepath.Base(file) != "go.mod" || s.isShut {
		return
	}
	dir := filepath.Dir(file)
	if s.packages[dir] == nil && s.docs[file] != nil {
		s.packages[dir] = &pkg{dir: dir}
	}
	for _, p := range s.packages {
		if p.dir == dir || p.builder != nil && p.builder.DependsOn(dir) {
			s.start(p, delay)
		}
	}
}

// start starts a check of a package. The server is locked.
func (s *server) start(p *pkg, delay time.Duration) {
	before := p.done
	if p.cancel != nil {
		p.cancel()
	}
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	p.cancel, p.done = cancel, done
	s.wait.Go(func() {
		defer close(done)
		defer cancel()
		if before != nil {
			<-before
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(delay):
		}
		select {
		case <-ctx.Done():
			return
		case s.checking <- struct{}{}:
		}
		defer func() { <-s.checking }()
		s.check(ctx, p)
	})
}

// current waits until a file's package is checked, if the editor would not be told later, and reports whether the
// package is known. The error says that the request was cancelled.
func (s *server) current(ctx context.Context, file string) (p *pkg, err error) {
	s.mu.Lock()
	p = s.packages[filepath.Dir(file)]
	if p == nil || p.done == nil || len(p.models) > 0 && s.canRefresh {
		s.mu.Unlock()
		return p, nil
	}
	done := p.done
	s.mu.Unlock()
	select {
	case <-done:
		return p, nil
	case <-ctx.Done():
	case <-s.ctx.Done():
	}
	return nil, protocol.ErrRequestCancelled
}
