package lsp

import (
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

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
	"github.com/broadloom/broadloom/cmd/broadloom/internal/models"
	"github.com/broadloom/broadloom/cmd/broadloom/modelvalues"
)

// model is what was found in a model, and the texts in which it was found.
type model struct {
	diagnostics []diagnostic
	values      map[string][]modelvalues.Value // by file
	texts       *snapshot
}

var action = models.Action{ImportPath: "github.com/broadloom/broadloom/cmd/broadloom/modelvalues", Func: "Tell"}

// timeout is what a model may take: a user waits for it.
const timeout = 10 * time.Second

// check checks a package and tells the editor what was found.
func (s *server) check(ctx context.Context, p *pkg) {
	s.mu.Lock()
	overlay, texts := s.overlay(), newSnapshot(s.docs)
	s.mu.Unlock()
	found, broken, err := p.check(ctx, overlay, texts)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	p.broken = broken
	if err == nil {
		for name, m := range p.models {
			if known, isModel := found[name]; isModel && known == nil {
				found[name] = m // it cannot be checked now
			}
		}
		p.models = found
	}
	lists := s.toPublish()
	canRefresh := s.canRefresh
	s.mu.Unlock()
	for _, params := range lists {
		s.client.PublishDiagnostics(s.ctx, params)
	}
	if canRefresh {
		go s.client.InlayHintRefresh(s.ctx) // the editor answers when it likes
	}
}

// check runs the package's models. found has nil for those that could not be checked; broken tells why.
// The error says that none could be, and that what was found before stands.
func (p *pkg) check(ctx context.Context, overlay models.Overlay, texts *snapshot) (found map[string]*model,
	broken []diagnostic, err error) {
	if p.builder == nil {
		if p.builder, err = models.NewBuilder(p.dir, action); err != nil {
			return nil, p.failed(texts, err), err
		}
	}
	pk, outcomes, err := p.builder.Run(ctx, overlay,
		models.Options{Args: struct{}{}, Timeout: timeout, Output: io.Discard,
			Match: func(string) bool { return true }})
	if err != nil {
		return nil, p.failed(texts, err), err
	}
	for _, problem := range pk.Problems {
		for _, f := range findings.OfProblem(p.dir, problem) {
			broken = append(broken, texts.diagnostic(f))
		}
	}
	found = map[string]*model{}
	for _, o := range outcomes {
		m, failure := readOutcome(o, texts)
		if found[o.Model.Name] = m; failure != nil {
			broken = append(broken, texts.diagnostic(*failure))
		}
	}
	return found, broken, nil
}

// readOutcome reads what became of a model: of one whose function panicked, why, and the
// mistakes until then.
func readOutcome(o models.Outcome, texts *snapshot) (_ *model, failure *findings.Finding) {
	if o.Failure != "" {
		f := findings.OfFailure(o)
		if failure = &f; len(o.Result) == 0 {
			return nil, failure
		}
	}
	var r modelvalues.Result
	if err := json.Unmarshal(o.Result, &r); err != nil {
		return nil, &findings.Finding{Code: findings.NotChecked,
			At: findings.Place{File: o.Model.File, Line: o.Model.Line}, Message: err.Error()}
	}
	m := &model{values: map[string][]modelvalues.Value{}, texts: texts}
	for _, f := range findings.Merge(findings.OfReport(r.Report)) {
		m.diagnostics = append(m.diagnostics, texts.diagnostic(f))
	}
	for _, v := range r.Values {
		m.values[v.File] = append(m.values[v.File], v)
	}
	return m, failure
}

// stale is added to an error while the editor shows the shapes of an earlier text.
const stale = "The shapes shown are those of the last version that compiled."

// failed returns why no model of the package could be checked: at the first place that the compiler
// names, or at the top of an open file.
func (p *pkg) failed(texts *snapshot, err error) []diagnostic {
	text := err.Error()
	var broken *models.BuildError
	if errors.As(err, &broken) {
		text = broken.Output
	}
	f := findings.OfProblem(p.dir, text)[0]
	if f.At.File == "" {
		f.At = findings.Place{File: p.anyFile(texts), Line: 1}
	}
	if len(p.models) > 0 {
		f.Detail = strings.TrimSpace(f.Detail + "\n" + stale)
	}
	f.Message = fmt.Sprintf("models are not checked: %s", f.Message)
	return []diagnostic{texts.diagnostic(f)}
}

// anyFile returns an open file of the package.
func (p *pkg) anyFile(texts *snapshot) string {
	var files []string
	for file := range texts.texts {
		if filepath.Dir(file) == p.dir {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return append(files, filepath.Join(p.dir, "doc.go"))[0]
}

// snapshot is the text of all files at one time.
type snapshot struct {
	texts   map[string]string // of open files
	sources map[string]*source
}

func newSnapshot(docs map[string]*document) *snapshot {
	t := &snapshot{texts: map[string]string{}, sources: map[string]*source{}}
	for file, d := range docs {
		t.texts[file] = d.text
	}
	return t
}

// source returns a file.
func (t *snapshot) source(file string) *source {
	if known := t.sources[file]; known != nil {
		return known
	}
	text, isOpen := t.texts[file]
	if !isOpen {
		saved, _ := os.ReadFile(file)
		text = string(saved)
	}
	t.sources[file] = newSource(file, text)
	return t.sources[file]
}
