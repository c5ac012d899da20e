package broadloom

import (
	"fmt"

	"github.com/broadloom/broadloom/bench/suite"
)

// builder writes a workload down and compiles it. The sizes follow from the
// inputs; a training workload's update rule from its Optimizer.
type builder func(suite.Workload, *suite.Inputs, suite.Config) (suite.Program, error)

// builders has an entry for every kind.
var builders = map[suite.Kind]builder{
	suite.ChainFwd:      missing,
	suite.ChainGrad:     missing,
	suite.BiasGelu:      missing,
	suite.AddFwd:        missing,
	suite.BlackScholes:  missing,
	suite.Softmax:       missing,
	suite.XentGrad:      missing,
	suite.LayerNormGrad: missing,
	suite.ColRowSum:     missing,
	suite.MatMul:        missing,
	suite.MLP:           missing,
	suite.LogReg:        missing,
	suite.Transformer:   missing,
	suite.LeNet:         missing,
}

// missing stands for a builder that is not written yet.
func missing(suite.Workload, *suite.Inputs, suite.Config) (suite.Program, error) {
	return nil, suite.ErrNotExpressible
}

// Peer is Broadloom.
type Peer struct{}

// Name implements suite.Peer.
func (Peer) Name() string { return "broadloom" }

// Mode implements suite.Peer: the instruction set.
func (Peer) Mode(cfg suite.Config) string {
	if cfg.ISA == "" {
		return "best"
	}
	return cfg.ISA
}

// Modules implements suite.Peer.
func (Peer) Modules() []string { return []string{"github.com/broadloom/broadloom"} }

// Prepare implements suite.Peer.
func (Peer) Prepare(w suite.Workload, in *suite.Inputs, cfg suite.Config) (suite.Program, error) {
	build, ok := builders[w.Kind]
	if !ok {
		return nil, fmt.Errorf("broadloom: no builder for %q", w.Kind)
	}
	return build(w, in, cfg)
}
