package hostile

import (
	"reflect"
	gostrings "strings"
	"testing"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// TestPartsSpeakOfTheCall differentiates every function that builds nodes, with arguments that it
// takes, and reads how the parts of its gradient, and those of the compiled program, are called: by the
// call that was made, never by the operations that they are made of.
func TestPartsSpeakOfTheCall(t *testing.T) {
	heard := 0
	for _, pkg := range []string{"ops", "nn"} {
		for _, f := range functions[pkg] {
			fn := reflect.ValueOf(f)
			if name := nameOf(fn); !general[name] && !spared[name] {
				t.Run(name, func(t *testing.T) { heard += hearParts(t, name[len(pkg)+1:], fn) })
			}
		}
	}
	if heard < 1000 {
		t.Errorf("only %d parts", heard)
	}
}

func hearParts(t *testing.T, name string, fn reflect.Value) (heard int) {
	told := map[string]bool{}
	hear := func(n *graph.Node) {
		user, _ := n.User()
		if n.Op().Class == graph.Source || user.Op().Class == graph.Source || n.Written() != n {
			return // of a weight, of a number that was found, or of the sum that is differentiated
		}
		if f, _ := user.Pos().Frame(); f.Call != name {
			return // of an argument, which may be converted
		}
		heard++
		text := graph.Describe(n)
		if !gostrings.HasPrefix(gostrings.TrimPrefix(text, "the gradient of "), name+"(") && !told[text] {
			told[text] = true
			t.Errorf("a part of %s is called %s", name, text)
		}
	}
	for _, in := range combinations(fn.Type(), 1, 0) {
		w := newWorld()
		roots := nodesIn(call(fn, in, w))
		made := len(w.g.Nodes())
		grads := gradients(w, roots)
		for _, n := range w.g.Nodes()[made:] {
			hear(n)
		}
		program, err := exec.Compile(w.g, exec.Outputs(grads...))
		if err != nil {
			continue
		}
		var last *graph.Graph
		for _, s := range program.Snapshots() {
			g := s.Graph()
			if g == last {
				continue
			}
			last = g
			for _, n := range g.Nodes() {
				hear(n)
			}
		}
	}
	return heard
}

// Parts of an optimiser's step are called by what they update.
func TestUpdatesSpeakOfTheParameter(t *testing.T) {
	for name, o := range map[string]optim.Optimizer{
		"SGD":     optim.SGD(0.1, optim.WeightDecay(0.1)),
		"RMSProp": optim.RMSProp(0.1, optim.Momentum(0.9), optim.Centered()),
		"Adam":    optim.Adam(0.1), "AdamW": optim.AdamW(0.1, optim.WeightDecay(0.2)),
	} {
		w := newWorld()
		p := w.param("w", 3)
		loss := ops.Sum(ops.Square(p))
		made := len(w.g.Nodes())
		step := o.Minimize(loss, p)
		for _, n := range w.g.Nodes()[made:] {
			text := graph.Describe(n)
			isGradient := gostrings.HasPrefix(text, "the gradient of S")
			if !isGradient && n.Op().Class != graph.Source && text != "the update of w by optim."+name {
				t.Errorf("a part of %s is called %s", name, text)
			}
		}
		if text := step[0].Called(); text != "update of w" {
			t.Errorf("the update of %s is called %s", name, text)
		}
	}
}
