package lsp

import (
	"cmp"
	"context"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/broadloom/broadloom/cmd/broadloom/modelvalues"
)

// InlayHint returns the shapes of the values of a range of lines.
func (s *server) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	file := p.TextDocument.URI.FsPath()
	known, err := s.current(ctx, file)
	if err != nil || known == nil {
		return []protocol.InlayHint{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	hints := []protocol.InlayHint{}
	for _, h := range s.hints(file) {
		if line := h.Position.Line; line >= p.Range.Start.Line && line <= p.Range.End.Line {
			hints = append(hints, h)
		}
	}
	return hints, nil
}

// place is a value's place in the present text.
type place struct {
	position   protocol.Position
	isAssigned bool // it stands behind a variable, not behind a call
}

// hints returns the hints of a file, sorted by place. The server is locked.
func (s *server) hints(file string) (list []protocol.InlayHint) {
	shapes := map[place][]string{}
	tooltips := map[place][]string{}
	lines := strings.Split(s.textOf(file), "\n")
	for _, m := range s.models() {
		if len(m.values[file]) == 0 {
			continue
		}
		source := m.texts.source(file)
		moved := source.moved(lines)
		for _, v := range m.values[file] {
			call := source.call(v.Call)
			if call == nil {
				continue
			}
			at := source.place(call)
			line := moved(at.position.Line)
			if line < 0 || s.settings.Hints == "none" || s.settings.Hints == "assigned" && !at.isAssigned {
				continue
			}
			at.position.Line = uint32(line)
			if label := labelOf(v); !slices.Contains(shapes[at], label) {
				shapes[at] = append(shapes[at], label)
				tooltips[at] = append(tooltips[at], v.Made+" "+v.Type)
			}
		}
	}
	padding := true
	for at, labels := range shapes {
		list = append(list, protocol.InlayHint{
			Position: at.position, Label: protocol.String(strings.Join(shortened(labels), " | ")),
			Kind: protocol.InlayHintKindType, PaddingLeft: &padding,
			Tooltip: protocol.String(strings.Join(shortened(tooltips[at]), "\n"))})
	}
	slices.SortFunc(list, func(a, b protocol.InlayHint) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Character, b.Position.Character))
	})
	return list
}

// models lists all models that were checked, in a fixed order. The server is locked.
func (s *server) models() (list []*model) {
	for _, dir := range slices.Sorted(maps.Keys(s.packages)) {
		found := s.packages[dir].models
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if found[name] != nil {
				list = append(list, found[name])
			}
		}
	}
	return list
}

// place returns the place of the hint for a call: after the variable that takes its value, or else after the call.
func (s *source) place(call *ast.CallExpr) place {
	if id := s.assigned[call]; id != nil {
		return place{s.position(s.at(id.End())), true}
	}
	return place{s.position(s.at(call.End())), false}
}

// labelOf returns the shape of a value, with its dtype if that is not the usual one.
func labelOf(v modelvalues.Value) string {
	if v.DType == "float32" {
		return v.Shape
	}
	return v.DType + v.Shape
}

// maxLabels bounds the shapes of one place: a loop may make many.
const maxLabels = 3

func shortened(labels []string) []string {
	if len(labels) > maxLabels {
		return append(labels[:maxLabels:maxLabels], "…")
	}
	return labels
}
