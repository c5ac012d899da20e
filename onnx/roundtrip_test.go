package onnx_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/onnx"
	"github.com/broadloom/broadloom/ops"
)

// TestRoundTrip exports the example of each operation, reads it again, and runs that: it must give what the operation
// gives.
func TestRoundTrip(t *testing.T) {
	for _, m := range []mode{
		{"float32", graph.Float32, false, false, 20, false, false},
		{"gradients of float32", graph.Float32, false, true, 20, false, false},
		{"float32 with sizes", graph.Float32, true, false, 26, false, false},
		{"int64", graph.Int64, false, false, 20, false, false},
		{"float16", graph.Float16, false, false, 20, false, false},
		{"uint8", graph.Uint8, false, false, 26, false, false},
		{"primitives", graph.Float32, false, false, 20, true, false},
	} {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			count := 0
			for _, f := range ops.Functions() {
				tr := build(f, m)
				if tr == nil || tr.run(t, m.bound) != nil {
					continue
				}
				opts := []onnx.ExportOption{onnx.WithOutputs(tr.outputs...), onnx.WithOpset(m.opset)}
				if m.plain {
					opts = append(opts, onnx.WithPrimitives())
				}
				if m.bound {
					opts = append(opts, onnx.WithSizes(tr.boundSizes()))
				}
				var err error
				if tr.data, err = onnx.Encode(tr.g, opts...); err != nil {
					continue // TestExamples counts them
				}
				if why := tr.readAgain(t); why != "" {
					t.Errorf("%s: %s", f.Name, why)
				}
				count++
			}
			t.Log(count, "examples")
		})
	}
}

// readAgain imports what was exported and runs it. Where a size is fed, it is a constant.
func (tr *trial) readAgain(t *testing.T) string {
	t.Helper()
	model, err := onnx.Parse(tr.data)
	require.NoError(t, err)
	_, outputs := namesOf(tr.data)
	for at, c := range tr.cases {
		var opts []onnx.Option
		for _, in := range model.Inputs() {
			if name, isSize := strings.CutPrefix(in.Name, "size:"); isSize {
				opts = append(opts, onnx.Constant(in.Name, exec.Array{Data: []int64{c.sizes(name)}}))
			}
		}
		net, err := model.Build(opts...)
		if err != nil {
			return err.Error()
		}
		prog, err := exec.Compile(net.Graph, exec.Outputs(net.Outputs()...), exec.OnWarning(nil))
		if err != nil {
			return err.Error()
		}
		sess := prog.NewSession()
		require.NoError(t, net.Load(sess))
		feed := exec.Feed{}
		for name, v := range c.fed {
			if x := net.Input(name); x != nil {
				feed[x] = exec.Array{Shape: v.Shape, Data: v.Data}
			}
		}
		got, err := sess.Run(t.Context(), feed)
		if err != nil {
			return err.Error()
		}
		for i, want := range c.want {
			y := net.Output(outputs[i])
			if y == nil {
				return "no output " + outputs[i]
			}
			a, err := got.Array(y)
			require.NoError(t, err)
			if d := tr.differsAt(reference.Value{DType: y.DType(), Shape: a.Shape, Data: a.Data}, want); d != "" {
				return "run " + string(rune('0'+at)) + ", " + outputs[i] + d
			}
		}
	}
	return ""
}
