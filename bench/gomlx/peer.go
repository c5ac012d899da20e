package gomlx

import (
	"runtime/debug"
	"strings"

	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/broadloom/broadloom/bench/suite"
)

const (
	graphModule   = "github.com/gomlx/gomlx"
	computeModule = "github.com/gomlx/compute"
)

// builder writes a workload down: its results, from its inputs.
type builder func(*inputs) []*graph.Node

// builders has an entry for every kind; for those that train, only the loss is built here.
var builders = map[suite.Kind]builder{
	suite.ChainFwd:      chain,
	suite.ChainGrad:     chainGrad,
	suite.BiasGelu:      biasGelu,
	suite.AddFwd:        add,
	suite.BlackScholes:  blackScholes,
	suite.Softmax:       softmax,
	suite.XentGrad:      xentGrad,
	suite.LayerNormGrad: layerNormGrad,
	suite.ColRowSum:     colRowSum,
	suite.MatMul:        matMul,
	suite.MLP:           mlp,
	suite.LogReg:        logReg,
	suite.Transformer:   transformer,
	suite.LeNet:         leNet,
}

// Peer is GoMLX.
type Peer struct{}

// Name implements suite.Peer.
func (Peer) Name() string { return "gomlx" }

// Mode implements suite.Peer: "simd" if the program was built with Go's experiment of that name. Without it GoMLX has
// no vector code.
func (Peer) Mode(suite.Config) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOEXPERIMENT" && strings.Contains(s.Value, "simd") {
				return "go,simd"
			}
		}
	}
	return "go"
}

// Modules implements suite.Peer.
func (Peer) Modules() []string { return []string{graphModule, computeModule} }

// Prepare implements suite.Peer.
func (Peer) Prepare(w suite.Workload, in *suite.Inputs, _ suite.Config) (suite.Program, error) {
	build, ok := builders[w.Kind]
	if !ok {
		return nil, suite.ErrNotExpressible
	}
	return newProgram(gobackend.GetBackend(), w, in, build)
}
