package gorgonia

import (
	"runtime/debug"
	"strings"

	G "gorgonia.org/gorgonia"

	"github.com/broadloom/broadloom/bench/suite"
)

// builder writes a workload down: its results, from its inputs.
type builder func(*inputs) []*G.Node

// builders has an entry for every kind that Gorgonia can express; for those that train, only the loss is built here.
// There is no error function, so GELU, Black-Scholes and the transformer are missing.
var builders = map[suite.Kind]builder{
	suite.ChainFwd:      chain,
	suite.ChainGrad:     chainGrad,
	suite.AddFwd:        add,
	suite.Softmax:       softmax,
	suite.XentGrad:      xentGrad,
	suite.LayerNormGrad: layerNormGrad,
	suite.ColRowSum:     colRowSum,
	suite.MatMul:        matMul,
	suite.MLP:           mlp,
	suite.LogReg:        logReg,
	suite.LeNet:         leNet,
}

// Peer is Gorgonia.
type Peer struct{}

// Name implements suite.Peer.
func (Peer) Name() string { return "gorgonia" }

// Mode implements suite.Peer: the machine, and the build tag with which
// Gorgonia's vectors are added in assembly.
func (Peer) Mode(suite.Config) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" && strings.Contains(s.Value, "avx") {
				return "tape,avx"
			}
		}
	}
	return "tape"
}

// Modules implements suite.Peer.
func (Peer) Modules() []string {
	return []string{"gorgonia.org/gorgonia", "gorgonia.org/tensor", "gorgonia.org/vecf32", "gonum.org/v1/gonum"}
}

// Prepare implements suite.Peer.
func (Peer) Prepare(w suite.Workload, in *suite.Inputs, _ suite.Config) (suite.Program, error) {
	build, ok := builders[w.Kind]
	if !ok {
		return nil, suite.ErrNotExpressible
	}
	return newProgram(w, in, build)
}
