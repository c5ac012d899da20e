package shapeinfer

import (
	"encoding/json"

	"github.com/broadloom/broadloom/graph"
)

// The JSON form of a report. Fields are only ever added: programs may rely on these.

// ReportJSON is a [Report] in JSON.
type ReportJSON struct {
	Graph        string            `json:"graph"`    // its name
	Errors       []MistakeJSON     `json:"errors"`   // by place in the program
	Warnings     []MistakeJSON     `json:"warnings"` // by place in the program
	Notes        []MistakeJSON     `json:"notes"`    // by place in the program
	Requirements []RequirementJSON `json:"requirements"`
	Nodes        int               `json:"nodes"`      // nodes of the graph
	NotJudged    int               `json:"not_judged"` // nodes whose operands failed
}

// MistakeJSON is an error, a warning or a note in JSON.
type MistakeJSON struct {
	Code     graph.Code `json:"code"`           // such as "BL101"
	Severity string     `json:"severity"`       // "error", "warning" or "note"
	Summary  string     `json:"summary"`        // one line
	Node     string     `json:"node,omitempty"` // as the user wrote it: "Add(x, b)"
	PlaceJSON
	Operands []OperandJSON `json:"operands,omitempty"`
	Sizes    []SizeJSON    `json:"sizes,omitempty"` // named sizes that take part
	Detail   []string      `json:"detail,omitempty"`
	Fixes    []FixJSON     `json:"fixes,omitempty"` // changes that were tried and fix it
	Help     []string      `json:"help,omitempty"`  // advice that cannot be tried
	Text     string        `json:"text"`            // the whole message
}

// PlaceJSON is a source position; the file is empty if unknown.
type PlaceJSON struct {
	File string `json:"file"` // full path
	Line int    `json:"line"`
	// Column is that of the call, in bytes from 1; it is missing if the source cannot be read.
	Column int `json:"column,omitempty"`
	// CalledAt are the calls that led to the line, innermost first, as far as needed to distinguish them if the line
	// was reached in several ways.
	CalledAt []PlaceJSON `json:"called_at,omitempty"`
}

// OperandJSON is a value that is involved in a mistake.
type OperandJSON struct {
	Name  string   `json:"name"`            // its name in messages
	DType string   `json:"dtype,omitempty"` // such as "float32"
	Shape []string `json:"shape"`           // sizes as text: "batch", "128", "h-2"
	Bad   []int    `json:"bad_axes"`        // counted from 0
	PlaceJSON
}

// SizeJSON is a named size with the source position of its declaration.
type SizeJSON struct {
	Name string `json:"name"`
	PlaceJSON
}

// FixJSON is a suggestion.
type FixJSON struct {
	Kind  graph.FixKind `json:"kind"`
	Text  string        `json:"text"`
	Gives []string      `json:"gives,omitempty"` // the shape of the changed value
	PlaceJSON
}

// RequirementJSON is a requirement that is left to binding.
type RequirementJSON struct {
	Text string `json:"text"` // such as "h == w"
	Why  string `json:"why,omitempty"`
	Node string `json:"node,omitempty"`
	PlaceJSON
}

// MarshalJSON returns the report as a [ReportJSON].
func (r *Report) MarshalJSON() ([]byte, error) { return json.Marshal(r.JSON()) }

// JSON returns the struct that is written as JSON.
func (r *Report) JSON() ReportJSON {
	w := reportWriter{}
	j := ReportJSON{Nodes: r.Nodes, NotJudged: r.NotJudged, Requirements: []RequirementJSON{},
		Errors: w.mistakes(r.Errors), Warnings: w.mistakes(r.Warnings), Notes: w.mistakes(r.Notes)}
	if r.Graph != nil {
		j.Graph = r.Graph.Name()
	}
	for _, need := range r.Requirements {
		q := RequirementJSON{Text: RequirementText(need), Why: need.Why}
		if need.Node != nil {
			q.Node, q.PlaceJSON = graph.Describe(need.Node), w.place(need.Node)
		}
		j.Requirements = append(j.Requirements, q)
	}
	return j
}

// reportWriter writes a report as JSON. It remembers the places of operations: nodes of a
// loop are made at one.
type reportWriter map[madeAt]PlaceJSON

type madeAt struct {
	op  *graph.Op
	pos graph.Pos
}

// place returns the place of a node.
func (w reportWriter) place(n *graph.Node) PlaceJSON {
	key := madeAt{n.Op(), n.Place()}
	p, known := w[key]
	if !known {
		p = placeJSON(n.Graph(), n.Place())
		if n.Place() == n.Pos() {
			for _, f := range n.CalledFrom() {
				p.CalledAt = append(p.CalledAt, PlaceJSON{File: f.File, Line: f.Line, Column: f.Column})
			}
		}
		w[key] = p
	}
	return p
}

func (w reportWriter) mistakes(ms []*graph.Mistake) []MistakeJSON {
	list := make([]MistakeJSON, len(ms))
	for i, m := range ms {
		list[i] = w.mistake(m)
	}
	return list
}

func (w reportWriter) mistake(m *graph.Mistake) MistakeJSON {
	j := MistakeJSON{Code: m.Code, Severity: m.Severity.String(), Summary: m.Summary, Detail: m.Detail, Help: m.Help,
		Text: m.Error()}
	if m.Node == nil {
		j.PlaceJSON = placeJSON(nil, m.Place())
	} else {
		j.PlaceJSON = placeJSON(m.Node.Graph(), m.Place())
		j.Node = graph.Describe(m.Node)
		if m.Place() == m.Node.Pos() {
			j.PlaceJSON = w.place(m.Node)
		}
	}
	for _, o := range m.Shown() {
		j.Operands = append(j.Operands, w.operand(o))
	}
	for _, name := range m.Sizes {
		j.Sizes = append(j.Sizes, SizeJSON{name, placeJSON(m.Node.Graph(), m.Node.Graph().DimPos(name))})
	}
	for _, f := range m.Fixes {
		fix := FixJSON{Kind: f.Kind, Text: f.Text, PlaceJSON: j.PlaceJSON}
		if f.Gives != nil {
			fix.Gives = sizeTexts(f.Gives)
		}
		if f.At != nil {
			fix.PlaceJSON = w.place(f.At)
		}
		j.Fixes = append(j.Fixes, fix)
	}
	return j
}

func (w reportWriter) operand(o graph.OperandNote) OperandJSON {
	j := OperandJSON{Name: o.Label, Shape: sizeTexts(o.Shape), Bad: append([]int{}, o.Bad...)}
	if n := o.Node.Written(); n != nil {
		if j.Name == "" {
			j.Name = n.Called()
		}
		if o.Shape == nil {
			j.Shape = sizeTexts(n.Shape())
		}
		j.DType, j.PlaceJSON = n.DType().String(), w.place(n)
	}
	return j
}

func sizeTexts(s graph.Shape) []string {
	list := make([]string, len(s))
	for i, d := range s {
		list[i] = d.String()
	}
	return list
}

func placeJSON(g *graph.Graph, p graph.Pos) PlaceJSON {
	f, _ := g.Locate(p)
	return PlaceJSON{File: f.File, Line: f.Line, Column: f.Column}
}
