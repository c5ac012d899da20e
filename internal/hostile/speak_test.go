package hostile

import (
	"fmt"
	"reflect"
	gostrings "strings"
	"testing"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/shapeinfer"
)

// general are functions that apply an operation which their caller chooses, or state something of a
// value: messages speak of it.
var general = map[string]bool{"ops.Apply": true, "ops.Callback": true, "ops.CallbackResults": true,
	"ops.PureCallback": true,
	"ops.InPlace":      true, "ops.Independent": true, "ops.Expect": true}

// TestMessagesSpeakOfTheCall calls every function that builds nodes with wrong arguments. The messages must name that
// call, never the operations of which it is composed.
func TestMessagesSpeakOfTheCall(t *testing.T) {
	heard := 0
	for _, pkg := range []string{"ops", "nn"} {
		for _, f := range functions[pkg] {
			fn := reflect.ValueOf(f)
			if name := nameOf(fn); !general[name] && !spared[name] {
				t.Run(name, func(t *testing.T) { heard += hearAll(t, name[len(pkg)+1:], fn) })
			}
		}
	}
	if heard < 1000 {
		t.Errorf("only %d messages", heard)
	}
}

func hearAll(t *testing.T, name string, fn reflect.Value) (heard int) {
	told := map[string]bool{}
	for _, in := range chosen(fn.Type()) {
		w := newWorld()
		call(fn, in, w)
		report := shapeinfer.Check(w.g)
		for _, list := range [][]*graph.Mistake{report.Errors, report.Warnings, report.Notes} {
			for _, m := range list {
				f, ok := m.Place().Frame()
				if !ok || f.Call != name || m.Node == nil || m.Node.Written() == nil || m.Node.IsParam() {
					continue
				}
				heard++
				if problem := hear(m, name); problem != "" && !told[problem] {
					told[problem] = true
					t.Errorf("%s%s: %s\n%s", name, textOf(in), problem, m)
				}
			}
		}
	}
	return heard
}

// hear says what is wrong with a message about a call of a function.
func hear(m *graph.Mistake, name string) string {
	if text := graph.Describe(m.Node); !gostrings.HasPrefix(text, name+"(") && !gostrings.HasPrefix(text, "gradient") {
		return "it speaks of " + text
	}
	for _, o := range m.Shown() {
		x := o.Node.Written()
		if x == nil || x == m.Node || x.Op().Class == graph.Source {
			continue
		}
		at, _ := m.Place().Frame()
		if f, _ := x.Pos().Frame(); f == at {
			return "it shows a part, " + x.Op().Func
		}
	}
	text := gostrings.ReplaceAll(m.Error(), name+"(", "") // Rayleigh ends with the name of eigh
	for _, op := range ops.Entries() {
		if inner := op.Func[0] >= 'a' && op.Func[0] <= 'z'; inner && gostrings.Contains(text, op.Func+"(") {
			return fmt.Sprintf("it names %s", op.Func)
		}
	}
	return ""
}
