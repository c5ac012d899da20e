package nn_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

// What a program has in its hands is printed in a few words, and not with the whole graph that hangs on it.
func TestPrintedValues(t *testing.T) {
	g := graph.New("net")
	var linear *nn.Linear
	g.Scope("head", func() { linear = nn.NewLinear(g, "out", 3, 4) })
	stack := nn.NewTransformerEncoder(g, "encoder", 2, 4, 2)
	pass := nn.Training(g)
	y := ops.Sum(linear.Apply(pass, g.Input("x", graph.Float32, g.Dim("batch"), 3)), ops.AllAxes())
	prog, err := exec.Compile(g, exec.Outputs(y))
	require.NoError(t, err)
	s := prog.NewSession()
	r, err := s.Run(t.Context(), exec.Feed{g.Inputs()[0]: exec.Array{Shape: []int{1, 3}, Data: make([]float32, 3)}})
	require.NoError(t, err)
	var noProgram *exec.Program
	for want, v := range map[string]any{
		"Linear head.out":   linear,
		"[Linear head.out]": []nn.Layer{linear},
		"LSTM lstm":         nn.NewLSTM(g, "lstm", 3, 4),
		"BatchNorm norm":    nn.NewBatchNorm(g, "norm", 3),
		"[TransformerEncoder encoder.layers.0 TransformerEncoder encoder.layers.1]": stack.Layers,
		`pass of training of graph "net"`:                                           pass,
		`pass of evaluation of graph "net"`:                                         nn.Evaluation(g),
		"pass of evaluation without a graph":                                        (*nn.Pass)(nil),
		`session of graph "net"`:                                                    s,
		"session without a program":                                                 noProgram.NewSession(),
		"results y float32[]":                                                       r,
		"no results":                                                                (*exec.Results)(nil),
		"optim.Adam":                                                                optim.Adam(0.1),
		"optim.Optimizer without a rule":                                            optim.Optimizer{},
	} {
		require.Equal(t, want, fmt.Sprint(v))
		require.Equal(t, want, fmt.Sprintf("%s", v))
	}
}
