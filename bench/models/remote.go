package main

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/bench/suite"
)

// remote is a workload on a peer's side, which has made its first call.
type remote struct {
	*sidebyside.Python
	peer peer
	// Seconds from the numbers to the first result, and those of them that went into a program.
	first, compilation float64
	before             [][]float32 // the trained tensors before the first call
}

// unable is why a peer has no measurement of a workload: it says so itself, or it could not be asked.
type unable struct {
	reason string
	says   bool
}

func (u unable) Error() string { return u.reason }

// start starts an interpreter and prepares a workload in it. An error is [unable] if the peer has
// no such workload, or is not installed.
func (p peer) start(ctx context.Context, o options, w suite.Workload, in *suite.Inputs) (*remote, error) {
	if o.autocast && p.python != torchPython {
		return nil, unable{"it is measured without autocast", false}
	}
	python, err := sidebyside.StartScript(ctx, p.interpreter(), o.threads, slices.Concat(p.script, serve))
	if err != nil {
		return nil, unable{reason: err.Error()}
	}
	type tensor struct {
		Name    string `json:"name"`
		Shape   []int  `json:"shape"`
		Ints    bool   `json:"ints"`
		Trained bool   `json:"trained"`
		Held    bool   `json:"held"`
	}
	r := &remote{Python: python, peer: p}
	var tensors []tensor
	var payload [][]byte
	for _, x := range in.Tensors {
		tensors = append(tensors, tensor{x.Name, append([]int{}, x.Shape...), x.Int != nil, x.Trained, x.Held})
		payload = append(payload, bytesOf(x))
	}
	for _, x := range in.Trained() {
		r.before = append(r.before, x.Float)
	}
	request := map[string]any{"kind": w.Kind, "optimizer": w.Optimizer, "mode": p.mode, "tensors": tensors}
	if o.autocast {
		request["autocast"] = true
	}
	var answer struct {
		First, Compile float64
		Cannot         string
	}
	if err := python.Ask(map[string]any{"prepare": request}, &answer, payload...); err != nil {
		return nil, unable{reason: err.Error()}
	}
	if answer.Cannot != "" {
		python.Close()
		return nil, unable{answer.Cannot, true}
	}
	r.first, r.compilation = answer.First, answer.Compile
	return r, nil
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

// results returns the results of the latest call, followed by the trained tensors.
func (r *remote) results() ([][]float32, error) {
	var answer struct{ Counts []int }
	if err := r.Ask(map[string]bool{"results": true}, &answer); err != nil {
		return nil, err
	}
	var list [][]float32
	for _, n := range answer.Counts {
		values, buffer := make([]float32, n), make([]byte, 4*n)
		if err := r.Read(buffer); err != nil {
			return nil, err
		}
		if _, err := binary.Decode(buffer, binary.LittleEndian, values); err != nil {
			return nil, err
		}
		list = append(list, values)
	}
	return list, nil
}

// peak is the most bytes that the peer's allocator holds during a call, beyond those before it.
func (r *remote) peak() (int, error) {
	var answer struct{ Bytes int }
	err := r.Ask(map[string]bool{"peak": true}, &answer)
	return answer.Bytes, err
}
