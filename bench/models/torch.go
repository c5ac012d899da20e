package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/broadloom/broadloom/bench/broadloom"
	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
)

//go:embed models.py
var script []byte

// kinds are the models that both sides have.
var kinds = map[suite.Kind]bool{
	suite.AttentionFwd: true, suite.AttentionGrad: true, suite.LSTM: true, suite.GPT: true, suite.GPTFwd: true,
	suite.ResNet: true, suite.ResNetFwd: true, suite.SkipGram: true, suite.PINN: true,
}

// torch is a model in PyTorch, which has made its first call.
type torch struct {
	*sidebyside.Python
	first  float64     // seconds that it took
	before [][]float32 // the trained tensors before it
}

// startTorch starts an interpreter and prepares a model in it.
func startTorch(ctx context.Context, python string, threads int, mode string, w suite.Workload, in *suite.Inputs) (*torch, error) {
	p, err := sidebyside.StartScript(ctx, python, threads, script)
	if err != nil {
		return nil, err
	}
	type tensor struct {
		Name    string `json:"name"`
		Shape   []int  `json:"shape"`
		Ints    bool   `json:"ints"`
		Trained bool   `json:"trained"`
	}
	t := &torch{Python: p}
	var tensors []tensor
	var payload [][]byte
	for _, x := range in.Tensors {
		tensors = append(tensors, tensor{x.Name, append([]int{}, x.Shape...), x.Int != nil, x.Trained})
		payload = append(payload, bytesOf(x))
	}
	for _, x := range in.Trained() {
		t.before = append(t.before, x.Float)
	}
	request := map[string]any{"kind": w.Kind, "optimizer": w.Optimizer, "mode": mode, "tensors": tensors}
	var answer struct{ Seconds float64 }
	if err := p.Ask(map[string]any{"prepare": request}, &answer, payload...); err != nil {
		return nil, err
	}
	t.first = answer.Seconds
	return t, nil
}

// bytesOf returns the elements of a tensor as the Python program reads them.
func bytesOf(t *suite.Tensor) []byte {
	var data any = t.Float
	if t.Int != nil {
		data = t.Int
	}
	buffer := make([]byte, binary.Size(data))
	if _, err := binary.Encode(buffer, binary.LittleEndian, data); err != nil {
		panic(err) // the buffer has the size of the data
	}
	return buffer
}

// results returns those of the latest call, and the trained tensors behind them.
func (t *torch) results() ([][]float32, error) {
	var answer struct{ Counts []int }
	if err := t.Ask(map[string]bool{"results": true}, &answer); err != nil {
		return nil, err
	}
	var list [][]float32
	for _, n := range answer.Counts {
		values, buffer := make([]float32, n), make([]byte, 4*n)
		if err := t.Read(buffer); err != nil {
			return nil, err
		}
		if _, err := binary.Decode(buffer, binary.LittleEndian, values); err != nil {
			return nil, err
		}
		list = append(list, values)
	}
	return list, nil
}

// peak is the most bytes that PyTorch's allocator holds during a call, beyond those before it.
func (t *torch) peak() (int, error) {
	var answer struct{ Bytes int }
	err := t.Ask(map[string]bool{"peak": true}, &answer)
	return answer.Bytes, err
}

// The sides' results may differ by this much, relatively, as vectors: results, and the change
// of trained tensors in a step. Gradients come from sums of up to 65,536 terms.
const (
	resultTolerance = 1e-5
	changeTolerance = 1e-3
	// roundings bounds what rounding leaves of a change that is nothing but rounding, such
	// as that of a bias of keys, relative to the tensor or to 1.
	roundings = 1e-6
)

// agree compares the results of the latest call of both sides, and the trained tensors.
func agree(ours *broadloom.Program, theirs *torch) error {
	got, err := ours.Results()
	if err != nil {
		return err
	}
	trained, err := ours.Trained()
	if err != nil {
		return err
	}
	want, err := theirs.results()
	if err != nil {
		return err
	}
	if len(want) != len(got)+len(trained) {
		return fmt.Errorf("%d results and %d trained tensors, and %d of both in PyTorch", len(got), len(trained), len(want))
	}
	for i := range got {
		if d, n := distance(got[i], want[i]), distance(want[i], nil); !(d <= resultTolerance*n) {
			return fmt.Errorf("result %d is %.2g of its magnitude from PyTorch's", i, d/n)
		}
	}
	for i, after := range trained {
		w := want[len(got)+i]
		change := distance(w, theirs.before[i])
		noise := roundings * max(distance(w, nil), math.Sqrt(float64(len(w))))
		if d := distance(after, w); !(d <= changeTolerance*change+noise) {
			return fmt.Errorf("trained tensor %d is %.2g of its change from PyTorch's", i, d/change)
		}
	}
	return nil
}

// distance is the Euclidean distance of two vectors; from the origin, if the second is nil.
func distance(a, b []float32) float64 {
	if b != nil && len(a) != len(b) {
		return math.Inf(1)
	}
	sum := 0.0
	for i, x := range a {
		d := float64(x)
		if b != nil {
			d -= float64(b[i])
		}
		sum += d * d
	}
	return math.Sqrt(sum)
}
