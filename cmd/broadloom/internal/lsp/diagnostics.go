package lsp

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/broadloom/broadloom/cmd/broadloom/internal/findings"
	"github.com/broadloom/broadloom/graph"
)

// diagnostic is a finding as the editor shows it, in the text in which it was found.
type diagnostic struct {
	protocol.Diagnostic
	file   string
	source *source
}

var severities = map[graph.Severity]protocol.DiagnosticSeverity{graph.Error: protocol.DiagnosticSeverityError,
	graph.Warning: protocol.DiagnosticSeverityWarning, graph.Note: protocol.DiagnosticSeverityInformation}

// diagnostic returns a finding for the editor.
func (t *snapshot) diagnostic(f findings.Finding) diagnostic {
	d := diagnostic{file: f.At.File, source: t.source(f.At.File)}
	d.Range = t.span(f.At)
	d.Severity = severities[f.Severity]
	d.Code = protocol.String(f.Code)
	d.Source = protocol.NewOptional("broadloom")
	d.Message = protocol.String(f.Text())
	for _, r := range f.Related {
		d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{
			Location: protocol.Location{URI: uri.File(r.At.File), Range: t.span(r.At)}, Message: r.Text})
	}
	return d
}

// span returns the range of the call at a place, or of the text of its line.
func (t *snapshot) span(at findings.Place) protocol.Range {
	s := t.source(at.File)
	if call := s.begun(at.Line, at.Column); call != nil {
		return s.span(call)
	}
	return s.lineSpan(at.Line)
}

// toPublish returns the diagnostics of all files that are open, and of others that have some, or had. The server is
// locked.
func (s *server) toPublish() (lists []*protocol.PublishDiagnosticsParams) {
	byFile := map[string][]protocol.Diagnostic{}
	for file := range s.published { // these are told where they have none any more
		byFile[file] = nil
	}
	for file := range s.docs { // an editor that waits for a check is told of its end
		if s.packages[filepath.Dir(file)] != nil {
			byFile[file] = nil
		}
	}
	for _, p := range s.packages {
		list := slices.Clone(p.broken)
		for _, name := range slices.Sorted(maps.Keys(p.models)) {
			if m := p.models[name]; m != nil {
				list = append(list, m.diagnostics...)
			}
		}
		for _, d := range list {
			if now, isThere := d.now(strings.Split(s.textOf(d.file), "\n")); isThere && filepath.IsAbs(d.file) {
				byFile[d.file] = append(byFile[d.file], now)
			}
		}
	}
	s.published = map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		list := byFile[file]
		slices.SortStableFunc(list, func(a, b protocol.Diagnostic) int {
			return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
				cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
		})
		list = slices.CompactFunc(list, func(a, b protocol.Diagnostic) bool {
			return a.Range == b.Range && a.Message == b.Message
		})
		params := &protocol.PublishDiagnosticsParams{URI: uri.File(file), Diagnostics: list}
		if d := s.docs[file]; d != nil {
			params.Version = protocol.NewOptional(d.version)
		}
		if len(list) > 0 {
			s.published[file] = true
		} else {
			params.Diagnostics = []protocol.Diagnostic{} // null is no list
		}
		lists = append(lists, params)
	}
	return lists
}

// now returns the diagnostic in the present text, if its lines still exist.
func (d diagnostic) now(lines []string) (protocol.Diagnostic, bool) {
	moved := d.source.moved(lines)
	start, end := moved(d.Range.Start.Line), moved(d.Range.End.Line)
	if start < 0 || end < start {
		return protocol.Diagnostic{}, false
	}
	now := d.Diagnostic
	now.Range.Start.Line, now.Range.End.Line = uint32(start), uint32(end)
	return now, true
}
