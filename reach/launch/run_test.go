package launch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/reach/launch"
	"github.com/broadloom/broadloom/weights"
)

// python returns an interpreter with jax, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts processes")
	}
	p, err := launch.FindPython(t.Context())
	if err != nil {
		t.Skip(err)
	}
	return p
}

const batches, rows, features, columns = 5, 16, 8, 6

// descent is a folder with a program that makes the squares of x·w smaller, its data, and what it should compute.
type descent struct {
	folder, data string
	losses       []float32
	w            []float32
}

// numbers are small ones, the same in each run.
func numbers(n int) []float32 {
	rng, list := rand.New(rand.NewPCG(1, 2)), make([]float32, n)
	for i := range list {
		list[i] = float32(rng.NormFloat64()) / 10
	}
	return list
}

func newDescent(t *testing.T, steps int) descent {
	d := descent{folder: filepath.Join(t.TempDir(), "descent"), data: t.TempDir()}
	require.NoError(t, os.CopyFS(d.folder, os.DirFS("testdata/descent")))
	for range features * columns {
		d.w = append(d.w, 1)
	}
	require.NoError(t, weights.Write(filepath.Join(d.folder, "weights.safetensors"), []weights.Named{
		{Name: "layer.w", Value: exec.Array{Shape: []int{features, columns}, Data: d.w}}}))
	d.w = append([]float32(nil), d.w...)
	x := numbers(batches * rows * features)
	d.write(t, "x.npy", x, batches*rows, features)
	for step := range steps {
		d.step(x[step%batches*rows*features:][:rows*features])
	}
	return d
}

// write writes an array as a file of NumPy's.
func (d descent) write(t *testing.T, name string, x []float32, shape ...int) {
	require.NoError(t, weights.Write(filepath.Join(d.data, name),
		[]weights.Named{{Value: exec.Array{Shape: shape, Data: x}}}))
}

// step is one of the program's, in Go.
func (d *descent) step(x []float32) {
	y := make([]float32, rows*columns)
	loss := float32(0)
	for i := range rows {
		for j := range columns {
			for k := range features {
				y[i*columns+j] += x[i*features+k] * d.w[k*columns+j]
			}
			loss += y[i*columns+j] * y[i*columns+j] / 2
		}
	}
	for k := range features {
		for j := range columns {
			for i := range rows {
				d.w[k*columns+j] -= x[i*features+k] * y[i*columns+j]
			}
		}
	}
	d.losses = append(d.losses, loss)
}

// read returns an array of a file that the launcher wrote.
func read(t *testing.T, path, name string) any {
	f, err := weights.Open(path)
	require.NoError(t, err)
	defer f.Close()
	a, err := f.Read(name)
	require.NoError(t, err)
	return a.Data
}

// One process with 8 devices and two with 4 each compute what one does, and feed each step its rows.
func TestProcessesComputeTheSame(t *testing.T) {
	p := python(t)
	const steps = 12
	d := newDescent(t, steps)
	for _, processes := range []int{1, 2} {
		var told []launch.Step
		out := t.TempDir()
		c := launch.Config{Folder: d.folder, Python: p, Platform: "cpu", Steps: steps, Data: d.data,
			Counters: []string{"k"}, FirstStep: 10, Processes: processes, Devices: 8 / processes,
			Save: filepath.Join(out, "new", "w.safetensors"), SaveEvery: 5, Record: filepath.Join(out, "record.npz"),
			HLO: filepath.Join(out, "hlo.txt"), ProgressEvery: 4,
			OnStep: func(s launch.Step) { told = append(told, s) }}
		require.NoError(t, launch.Run(t.Context(), c))
		require.InDeltaSlice(t, d.losses, read(t, c.Record, "loss"), 1e-5)
		require.EqualValues(t, []int64{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21}, read(t, c.Record, "step"))
		require.InDeltaSlice(t, d.w, read(t, c.Save, "layer.w"), 1e-5)
		require.Len(t, told, 3)
		require.Equal(t, 12, told[2].Step)
		require.InDelta(t, d.losses[11], told[2].Outputs["loss"], 1e-5)
		hlo, err := os.ReadFile(c.HLO)
		require.NoError(t, err)
		require.Contains(t, string(hlo), "all-reduce")
		require.Contains(t, string(hlo), "f32[4,8]{1,0} parameter(0)", "a device has a quarter of the rows")
	}
}

// A wrong argument is reported in one line that names it.
func TestRefusals(t *testing.T) {
	p := python(t)
	d := newDescent(t, 0)
	empty, large := t.TempDir(), descent{data: t.TempDir()}
	big := numbers(rows * features)
	for i := range big {
		big[i] *= 1000
	}
	large.write(t, "x.npy", big, rows, features)
	narrow := descent{data: t.TempDir()}
	narrow.write(t, "x.npy", big[:rows*4], rows, 4)
	fraction := descent{data: t.TempDir()}
	fraction.write(t, "x.npy", big, rows, features)
	fraction.write(t, "k.npy", big[:1])
	usual := launch.Config{Folder: d.folder, Python: p, Platform: "cpu", Steps: 3, Data: d.data,
		Counters: []string{"k"}, Devices: 8}
	for _, c := range []struct {
		change func(c *launch.Config)
		want   string
	}{
		{func(c *launch.Config) { c.Devices = 0 }, "wants 8 devices, and there are 1"},
		{func(c *launch.Config) { c.Data = empty }, "No such file"},
		{func(c *launch.Config) { c.Data = narrow.data }, "x is [16, 4], and the program takes [16, 8]"},
		{func(c *launch.Config) { c.Data = large.data }, "step 1: model.go:12: the loss is not less than 1000"},
		{func(c *launch.Config) { c.Data, c.Counters = fraction.data, nil },
			"input k is float32 in the file, and int64 in the program"},
		{func(c *launch.Config) { c.Counters = []string{"n"} }, "the program has no such input; it has x, k"},
		{func(c *launch.Config) { c.Params = filepath.Join(d.data, "x.npy") }, "x.npy"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			config := usual
			c.change(&config)
			require.ErrorContains(t, launch.Run(t.Context(), config), c.want)
		})
	}
}

// What needs no interpreter.
func TestConfigurations(t *testing.T) {
	whole := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(whole, "module.mlir"), nil, 0o600))
	for want, c := range map[string]launch.Config{
		"folder of an exported program is missing": {Steps: 1},
		"0 steps":              {Folder: "x"},
		"is negative":          {Folder: "x", Steps: 1, Devices: -1},
		"SaveEvery needs Save": {Folder: "x", Steps: 1, SaveEvery: 2},
		"no-such-python":       {Folder: whole, Steps: 1, Python: "no-such-python"},
		"not a folder of an":   {Folder: "x", Steps: 1, Python: "no-such-python"},
		"nothing.npz":          {Folder: whole, Steps: 1, Python: "no-such-python", Data: "nothing.npz"},
	} {
		require.ErrorContains(t, launch.Run(t.Context(), c), want)
	}
	require.Regexp(t, `^\d+\.\d+\.\d+$`, launch.Pinned())
	t.Setenv(launch.PythonVariable, "/no/python")
	_, err := launch.FindPython(t.Context())
	require.ErrorContains(t, err, launch.PythonVariable)
}

// The end of the context ends all processes.
func TestRunEndsWithItsContext(t *testing.T) {
	p := python(t)
	d := newDescent(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var since atomic.Int64
	err := launch.Run(ctx,
		launch.Config{Folder: d.folder, Python: p, Platform: "cpu", Steps: 1 << 30, Data: d.data,
			Counters: []string{"k"}, Devices: 4, Processes: 2,
			OnStep: func(launch.Step) {
				since.CompareAndSwap(0, time.Now().UnixNano())
				cancel()
			}})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(time.Unix(0, since.Load())), 5*time.Second)
}

// A process that is killed ends the other one at once, which says why.
func TestAKilledProcessEndsTheOther(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found in /proc")
	}
	p := python(t)
	d := newDescent(t, 0)
	var since atomic.Int64
	err := launch.Run(t.Context(), launch.Config{
		Folder: d.folder, Python: p, Platform: "cpu", Steps: 1 << 30, Data: d.data, Counters: []string{"k"}, Devices: 4,
		Processes: 2, Timeout: 20 * time.Second,
		OnStep: func(launch.Step) {
			if since.CompareAndSwap(0, time.Now().UnixNano()) {
				killProcess(t, "1", d.folder)
			}
		}})
	require.ErrorContains(t, err, "process 1: signal: killed")
	require.Less(t, time.Since(time.Unix(0, since.Load())), 5*time.Second, "it is not the time-out that ends them")
}

// killProcess kills the process with a number that runs a folder.
func killProcess(t *testing.T, number, folder string) {
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range list {
		text, _ := os.ReadFile(file)
		if line := string(text); strings.Contains(line, folder) &&
			strings.Contains(line, "--process-id\x00"+number+"\x00") {
			var pid int
			_, err := fmt.Sscanf(file, "/proc/%d/cmdline", &pid)
			require.NoError(t, err)
			process, err := os.FindProcess(pid)
			require.NoError(t, err)
			require.NoError(t, process.Kill())
		}
	}
}
