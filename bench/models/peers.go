package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"
)

// The programs of the sides. Each is followed by serve.py, which answers requests.
var (
	//go:embed side_torch.py
	sideTorch []byte
	//go:embed sequences_torch.py
	sequencesTorch []byte
	//go:embed images_torch.py
	imagesTorch []byte
	//go:embed scientific_torch.py
	scientificTorch []byte
	//go:embed classifiers_torch.py
	classifiersTorch []byte
	//go:embed generators_torch.py
	generatorsTorch []byte
	//go:embed moresequences_torch.py
	moresequencesTorch []byte
	//go:embed learning_torch.py
	learningTorch []byte
	//go:embed structured_torch.py
	structuredTorch []byte
	//go:embed side_jax.py
	sideJAX []byte
	//go:embed side_onnx.py
	sideONNX []byte
	//go:embed serve.py
	serve []byte
)

// torchScript is PyTorch's side, with all of its models.
var torchScript = slices.Concat(sideTorch, sequencesTorch, imagesTorch, scientificTorch, classifiersTorch,
	generatorsTorch, moresequencesTorch, learningTorch, structuredTorch)

// peer is another library, with a way to run it.
type peer struct {
	name, title string
	mode        string // of PyTorch: eager or compile
	script      []byte
	// python names the variable of the environment that has the interpreter, if a flag does not.
	python string
}

const (
	torchPython = "BROADLOOM_PYTHON"
	xlaPython   = "BROADLOOM_XLA_PYTHON"
)

// peers are the libraries for comparison, in the order of the table's columns.
var peers = []peer{
	{"torch", "PyTorch", "eager", torchScript, torchPython},
	{"torch-compile", "PyTorch, compiled", "compile", torchScript, torchPython},
	{"jax", "JAX", "", sideJAX, xlaPython},
	{"onnxruntime", "ONNX Runtime", "", sideONNX, xlaPython},
}

// interpreter is the Python that has the peer.
func (p peer) interpreter() string { return cmp.Or(os.Getenv(p.python), "python3") }

// choosePeers finds peers by their names, which commas separate.
func choosePeers(names string) ([]peer, error) {
	var chosen []peer
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(peers, func(p peer) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("-peers has %q; it may have %s", name, allPeers())
		}
		chosen = append(chosen, peers[i])
	}
	return chosen, nil
}

// allPeers lists their names.
func allPeers() string {
	var names []string
	for _, p := range peers {
		names = append(names, p.name)
	}
	return strings.Join(names, ",")
}
