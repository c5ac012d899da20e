package difftest

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	broadloom "github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/internal/difftest/eager"
)

//go:embed torch.py
var torchProgram string

// torchItem is a program with what its runs are given.
type torchItem struct {
	Program *Program
	Runs    []torchRun
}

type torchRun struct {
	At     map[string]int
	Inputs [][]float64
	Along  map[string][]float64 // what the gradients are multiplied with for the second ones, by input
	Writes map[string][]int     // the updates of each parameter
}

type torchValue struct {
	T     eager.DType
	Shape []int
	Data  []string
}

type torchAnswer struct {
	Values []torchValue
	Error  string
}

// Torch runs programs with Broadloom and with PyTorch, by a command that runs the Python file that it gets, and calls
// report with a verdict for each. Refused is PyTorch's error for programs that it does not compute.
func Torch(python string, seeds []uint64, report func(Verdict)) error {
	var items []torchItem
	var verdicts []Verdict
	var answers [][][]broadloom.Array
	for _, seed := range seeds {
		v := Verdict{Seed: seed}
		item, got := torchRuns(Generate(seed), &v)
		if v.Fault != "" || v.Refused != "" {
			continue // Check tells of it
		}
		items, answers, verdicts = append(items, item), append(answers, got), append(verdicts, v)
	}
	lines, err := askTorch(python, items)
	if err != nil {
		return err
	}
	for i, line := range lines {
		v := &verdicts[i]
		var theirs []torchAnswer
		if err := json.Unmarshal(line, &theirs); err != nil {
			return err
		}
		for k, t := range theirs {
			v.Binding = k
			if t.Error != "" {
				v.Refused = t.Error
				break
			}
			if v.Detail = differs(answers[i][k], t.Values, unitOf(items[i].Program) > double); v.Detail != "" {
				v.Fault = "PyTorch"
				break
			}
			v.Runs++
		}
		report(*v)
	}
	return nil
}

// torchRuns runs a program at all sizes on one thread, and returns the item that PyTorch is to compute.
func torchRuns(p *Program, v *Verdict) (item torchItem, got [][]broadloom.Array) {
	c := &checker{p: p, v: v, rng: newRand(p.Seed)}
	if !c.compile() {
		return item, nil
	}
	item.Program = p
	for k := range p.Bindings {
		if c.v.Binding = k; !c.told() {
			c.open()
		}
		c.directions()
		have, err := c.run(c.sessions[0], false)
		values, errEager := evaluate(p, k)
		if err != nil || errEager != nil {
			v.Refused = "run"
			return item, nil
		}
		run := torchRun{At: p.Bindings[k], Along: map[string][]float64{}, Writes: map[string][]int{}}
		for id, in := range p.Inputs {
			run.Inputs = append(run.Inputs, p.Draw(id, k))
			run.Along[strconv.Itoa(id)] = c.a[id]
			for _, w := range p.Updates {
				if (in.Param || in.Mutable) && values[w].SharesMemory(values[id]) {
					run.Writes[strconv.Itoa(id)] = append(run.Writes[strconv.Itoa(id)], w)
				}
			}
		}
		item.Runs, got = append(item.Runs, run), append(got, have)
	}
	return item, got
}

// askTorch runs PyTorch and returns a line of its answers for each program.
func askTorch(python string, items []torchItem) (lines [][]byte, err error) {
	data, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "programs.py")
	text := torchProgram + "DATA = r'''" + string(data) + "'''\nmain()\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd := exec.Command(python, file)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	scan := bufio.NewScanner(bytes.NewReader(out))
	scan.Buffer(nil, len(out)+1)
	for scan.Scan() {
		lines = append(lines, slices.Clone(scan.Bytes()))
	}
	if len(lines) != len(items) {
		return nil, fmt.Errorf("%d answers to %d programs", len(lines), len(items))
	}
	return lines, nil
}

// differs describes where two lists of answers differ by more than a millionth of the greatest element, or a thousandth
// if some are computed in float32. Elements that are not finite in either are ignored.
func differs(ours []broadloom.Array, theirs []torchValue, single bool) string {
	if len(ours) != len(theirs) {
		return fmt.Sprintf("%d values, not %d", len(ours), len(theirs))
	}
	for k, a := range ours {
		cells, t := cellsOf(a)
		if t != theirs[k].T || !slices.Equal(a.Shape, theirs[k].Shape) {
			return fmt.Sprintf("value %d is %s%v, not %s%v", k, t, a.Shape, theirs[k].T, theirs[k].Shape)
		}
		want := make([]float64, len(cells))
		scale := 1.
		for i, text := range theirs[k].Data {
			want[i], _ = strconv.ParseFloat(strings.TrimPrefix(text, "+"), 64)
			if isNormal(want[i]) {
				scale = max(scale, math.Abs(want[i]))
			}
		}
		unit := 1e-6
		if single || t == eager.Float32 {
			unit = 1e-3
		}
		for i, w := range want {
			v := cells[i].V + float64(cells[i].I)
			if isNormal(v) && isNormal(w) && math.Abs(v-w) > unit*scale {
				return fmt.Sprintf("element %d of value %d is %v, not %v", i, k, v, w)
			}
		}
	}
	return ""
}
