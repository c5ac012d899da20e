// The onnxfiles command runs models in files of ONNX with Broadloom and with ONNX Runtime by turns, after it has
// compared their results. Inputs of floating-point numbers are normally distributed, and others zeros.
//
//	go run -C bench ./onnxfiles -python python3 -size batch=1 resnet50.onnx bert.onnx
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/broadloom/broadloom/bench/sidebyside"
	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/onnx"
)

//go:embed side_onnxruntime.py
var side []byte

func main() { os.Exit(sidebyside.Command(run)) }

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("onnxfiles", flag.ContinueOnError)
	python := flags.String("python", "python3", "Python `interpreter` that has onnxruntime")
	threads := flags.Int("threads", 1, "threads that a side may use")
	rule := sidebyside.Rule{Pause: 20 * time.Millisecond}
	flags.IntVar(&rule.Rounds, "rounds", 7, "samples of each side for each model")
	flags.DurationVar(&rule.Sample, "sample", 100*time.Millisecond, "length of a sample")
	sizes := map[string]int{}
	flags.Func("size", "the value of a named size, as `name=number`; repeatable; others are 1",
		func(text string) error {
			name, value, _ := strings.Cut(text, "=")
			n, err := strconv.Atoi(value)
			sizes[name] = n
			return err
		})
	if err := flags.Parse(args); err != nil {
		return err
	}
	p, err := sidebyside.StartAnswering(ctx, *python, *threads, side)
	if err != nil {
		return err
	}
	defer p.Close()
	fmt.Println(
		"| model | Broadloom, ms | ONNX Runtime, ms | ratio, least | median | compile, s | first result, s | ONNX Runtime's, s | differs by |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, path := range flags.Args() {
		m, err := load(path, sizes, *threads)
		if err != nil {
			return err
		}
		theirs, differs, err := m.ask(p, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		t, err := rule.ByTurns(sidebyside.Func(m.step), p)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.3g | %.3g | %.2f | %.2f | %.3f | %.3f | %.3f | %.1g |\n", m.name, t[0].Min*1e3,
			t[1].Min*1e3, t[1].Min/t[0].Min,
			t[1].Median/t[0].Median, m.compiled.Seconds(), m.first.Seconds(), theirs, differs)
	}
	return nil
}

// model is a model with its inputs.
type model struct {
	name            string
	inputs          []string
	net             *onnx.Built
	sess            *exec.Session
	feed            exec.Feed
	results         *exec.Results
	compiled, first time.Duration // what compilation takes, and the first result with it
}

func load(path string, sizes map[string]int, threads int) (*model, error) {
	begin := time.Now()
	file, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var opts []onnx.Option
	m := &model{name: filepath.Base(strings.TrimSuffix(path, "/model.onnx")), feed: exec.Feed{}}
	for _, in := range file.Inputs() {
		m.inputs = append(m.inputs, in.Name)
		for _, size := range in.Shape {
			if n, is := sizes[size]; is {
				opts = append(opts, onnx.Size(size, n))
			} else if _, err := strconv.Atoi(size); err != nil {
				opts = append(opts, onnx.Size(size, 1))
			}
		}
	}
	if m.net, err = file.Build(opts...); err != nil {
		return nil, err
	}
	prog, err := exec.Compile(m.net.Graph, exec.Outputs(m.net.Outputs()...), exec.OnWarning(nil))
	if err != nil {
		return nil, err
	}
	m.compiled = time.Since(begin)
	m.sess = prog.NewSession(exec.Threads(threads))
	if err := m.net.Load(m.sess); err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range m.net.Inputs() {
		shape, _ := x.Shape().Ints()
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := x.DType().MakeSlice(n)
		for i := range n {
			if x.DType().IsFloat() {
				graph.SetNumberAt(data, i, random.NormFloat64(), 0)
			}
		}
		m.feed[x] = exec.Array{Shape: shape, Data: data}
	}
	err = m.step()
	m.first = time.Since(begin)
	return m, err
}

func (m *model) step() (err error) {
	m.results, err = m.sess.Run(context.Background(), m.feed)
	return err
}

// ask has the other side read the model and run it. It returns how long its first result took and by how much results
// differ, relative to the greatest element of each.
func (m *model) ask(p *sidebyside.Python, path string) (first, differs float64, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return 0, 0, err
	}
	var inputs [][]any
	var payload [][]byte
	for _, name := range m.inputs {
		x := m.net.Input(name)
		a := m.feed[x].(exec.Array)
		raw, err := binary.Append(nil, binary.LittleEndian, a.Data)
		if err != nil {
			return 0, 0, err
		}
		inputs = append(inputs, []any{name, x.DType().String(), append([]int{}, a.Shape...), len(raw)})
		payload = append(payload, raw)
	}
	var answer struct {
		First   float64
		Cannot  string
		Results [][]any
	}
	if err := p.Ask(map[string]any{"path": path, "inputs": inputs}, &answer, payload...); err != nil {
		return 0, 0, err
	}
	if answer.Cannot != "" {
		return 0, 0, errors.New(answer.Cannot)
	}
	for _, r := range answer.Results {
		n := 1
		for _, d := range r[1].([]any) {
			n *= int(d.(float64))
		}
		raw, want := make([]byte, 8*n), make([]float64, n)
		if err := p.Read(raw); err != nil {
			return 0, 0, err
		}
		if _, err := binary.Decode(raw, binary.LittleEndian, want); err != nil {
			return 0, 0, err
		}
		a, err := m.results.Array(m.net.Output(r[0].(string)))
		if err != nil {
			return 0, 0, err
		}
		differs = max(differs, differ(a, want))
	}
	return answer.First, differs, nil
}

// differ is the greatest difference as a part of the greatest element.
func differ(a exec.Array, want []float64) float64 {
	most, worst := 0.0, 0.0
	for i, w := range want {
		v, _ := graph.NumberAt(a.Data, i)
		if d := math.Abs(v - w); v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			worst = max(worst, d)
		}
		most = max(most, math.Abs(w))
	}
	if most == 0 {
		return worst
	}
	return worst / most
}
