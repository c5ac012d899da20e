package weights_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/optim"
	"github.com/broadloom/broadloom/weights"
)

// newSession is a session of a model of two layers, in a scope.
func newSession(scope string, seed uint64) (*graph.Graph, *exec.Session) {
	g := graph.New("model")
	x := g.Input("x", graph.Float32, g.Dim("batch"), 4)
	network := nn.Sequential(nn.NewLinear(g, scope+"body", 4, 3), nn.NewLinear(g, scope+"head", 3, 2))
	prog, err := exec.Compile(g, exec.Outputs(network.Apply(nn.Evaluation(g), x)))
	if err != nil {
		log.Fatal(err)
	}
	return g, prog.NewSession(exec.Seed(seed))
}

// inFolder calls f with a file in a folder that is removed.
func inFolder(f func(file string)) {
	folder, err := os.MkdirTemp("", "weights")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	f(filepath.Join(folder, "model.safetensors"))
}

// What was saved is set in another session, by name.
func ExampleSave() {
	inFolder(func(file string) {
		_, trained := newSession("", 1)
		if err := weights.Save(file, trained); err != nil {
			log.Fatal(err)
		}
		_, other := newSession("", 2)
		report, err := weights.LoadFile(other, file)
		fmt.Println(len(report.Loaded), err)
	})
	// Output:
	// 4 <nil>
}

// Names in a file may differ from those in the graph by a rule.
func ExampleRename() {
	inFolder(func(file string) {
		_, trained := newSession("", 1)
		if err := weights.Save(file, trained); err != nil {
			log.Fatal(err)
		}
		_, other := newSession("student.", 2)
		report, err := weights.LoadFile(other, file,
			weights.Rename(func(param string) string { return strings.TrimPrefix(param, "student.") }))
		fmt.Println(len(report.Loaded), err)
	})
	// Output:
	// 4 <nil>
}

// A part of a model is saved and read by its parameters.
func ExampleOnly() {
	inFolder(func(file string) {
		g, trained := newSession("", 1)
		if err := weights.Save(file, trained, weights.Only(optim.Trainable(g, "body")...)); err != nil {
			log.Fatal(err)
		}
		f, err := weights.Open(file)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		for _, t := range f.Tensors() {
			fmt.Println(t.Name, t.Shape)
		}
	})
	// Output:
	// body.bias [3]
	// body.weight [3 4]
}
