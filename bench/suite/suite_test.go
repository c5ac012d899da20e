package suite

import (
	"reflect"
	"testing"
)

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range All() {
		if seen[w.Name] {
			t.Errorf("%s is there twice", w.Name)
		}
		seen[w.Name] = true
		if got, ok := Lookup(w.Name); !ok || got.Kind != w.Kind {
			t.Errorf("Lookup(%q) = %v, %v", w.Name, got.Kind, ok)
		}
		if w.Optimizer != "" && !w.HasLoss {
			t.Errorf("%s trains without a loss", w.Name)
		}
	}
}

func TestInputs(t *testing.T) {
	if testing.Short() {
		t.Skip("makes all the data")
	}
	for _, w := range All() {
		in := w.Inputs()
		if trains := len(in.Trained()) > 0; trains != (w.Optimizer != "") {
			t.Errorf("%s: %d trained tensors and update rule %q", w.Name, len(in.Trained()), w.Optimizer)
		}
		for _, x := range in.Tensors {
			if len(x.Float)+len(x.Int) != x.Len() {
				t.Errorf("%s: %s of shape %v has %d elements", w.Name, x.Name, x.Shape, len(x.Float)+len(x.Int))
			}
			if in.Get(x.Name) != x {
				t.Errorf("%s: %s is there twice", w.Name, x.Name)
			}
			for _, class := range x.Int {
				if class < 0 || class >= int64(x.Classes) {
					t.Fatalf("%s: class %d of %d", w.Name, class, x.Classes)
				}
			}
		}
	}
}

func TestInputsAreTheSameEveryTime(t *testing.T) {
	w, _ := Lookup("mlp_64_32_10_b32_sgd")
	if !reflect.DeepEqual(w.Inputs(), w.Inputs()) {
		t.Error("they differ")
	}
}

// TestTheMainGroup expects the workloads whose means are published to be a group of their own, and the others behind
// them.
func TestTheMainGroup(t *testing.T) {
	const published = 31
	for i, w := range All() {
		if (w.Group == Main) != (i < published) {
			t.Errorf("workload %d, %s, is in the group %q", i, w.Name, w.Group)
		}
	}
}

func TestMatch(t *testing.T) {
	if n := len(Match(nil)); n != len(All()) {
		t.Errorf("no parts match %d workloads", n)
	}
	got := Match([]string{"logreg", "chain_64", "16_b32"})
	if len(got) != 2 || got[0].Name != "chain_64_fwd" || got[1].Name != "logreg_16_b32_sgd" {
		t.Errorf("matched %v", got)
	}
}

func TestOneHot(t *testing.T) {
	classes := &Tensor{Shape: []int{2}, Int: []int64{2, 0}, Classes: 3}
	rows := classes.OneHot()
	if !reflect.DeepEqual(rows.Shape, []int{2, 3}) || !reflect.DeepEqual(rows.Float, []float32{0, 0, 1, 1, 0, 0}) {
		t.Errorf("shape %v, elements %v", rows.Shape, rows.Float)
	}
}
