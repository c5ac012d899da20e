package pjrt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// client opens the plugin that BROADLOOM_PJRT_PLUGIN names.
func client(t *testing.T) *Client {
	path := os.Getenv("BROADLOOM_PJRT_PLUGIN")
	if path == "" {
		t.Skip(
			"set BROADLOOM_PJRT_PLUGIN to the library of a plugin of PJRT, such as xla_cpu_pjrt.so of PyPI's xla-cpu-pjrt")
	}
	plugin, err := Load(path)
	must(t, err)
	c, err := plugin.NewClient()
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused expects an error that has all of the words.
func refused(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; expected one with %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q lacks %q", err, w)
		}
	}
}

func compile(t *testing.T, c *Client, mlir string) *Program {
	t.Helper()
	p, err := c.Compile(t.Context(), mlir)
	must(t, err)
	return p
}

// both is a module of one operation on two arrays of a type.
func both(operation, tensor string) string {
	return strings.NewReplacer("OP", operation, "T", "tensor<"+tensor+">").Replace(
		"func.func @main(%a: T, %b: T) -> T {\n  %c = stablehlo.OP %a, %b : T\n  return %c : T\n}\n")
}

// runsTo expects an operation on a and b to give values, at any rank and also for no elements.
func runsTo[T Element](t *testing.T, c *Client, operation, tensor string, a, b, want []T, shape ...int) {
	t.Helper()
	p := compile(t, c, both(operation, tensor))
	defer p.Close()
	results, err := p.Run(t.Context(), Of(a, shape...), Of(b, shape...))
	must(t, err)
	got, err := Values[T](results[0])
	must(t, err)
	if len(results) != 1 || !slices.Equal(results[0].Shape, shape) || !slices.Equal(got, want) {
		t.Errorf("%s on %s: %v, not %v", operation, tensor, results, want)
	}
}

func TestElements(t *testing.T) {
	c := client(t)
	if name, _ := c.Platform(); name == "" || len(c.Devices()) == 0 || c.Devices()[0].Kind == "" {
		t.Errorf("platform %q with devices %v", name, c.Devices())
	}
	runsTo(t, c, "add", "2x3xf32", []float32{1, 2, 3, 4, 5, 6}, []float32{.5, .5, .5, .5, .5, .5},
		[]float32{1.5, 2.5, 3.5, 4.5, 5.5, 6.5}, 2, 3)
	runsTo(t, c, "multiply", "2xf64", []float64{1e300, 3}, []float64{1e-300, 1. / 3}, []float64{1, 1}, 2)
	runsTo(t, c, "add", "3xi8", []int8{127, -128, 5}, []int8{1, -1, -7}, []int8{-128, 127, -2}, 3)
	runsTo(t, c, "subtract", "1xui64", []uint64{1 << 63}, []uint64{1}, []uint64{1<<63 - 1}, 1)
	runsTo(t, c, "and", "2x2xi1", []bool{true, true, false, false}, []bool{true, false, true, false},
		[]bool{true, false, false, false}, 2, 2)
	runsTo(t, c, "multiply", "complex<f32>", []complex64{1 + 2i}, []complex64{3 - 1i}, []complex64{5 + 5i})
	runsTo(t, c, "add", "f32", []float32{1}, []float32{2}, []float32{3})
	runsTo(t, c, "add", "0x3xf32", []float32{}, nil, []float32{}, 0, 3)
	runsTo(t, c, "add", "1x1x1xi32", []int32{1}, []int32{2}, []int32{3}, 1, 1, 1)
}

// 1.5 and 2 are 0x3fc0 and 0x4000 in bfloat16; their sum 3.5 is 0x4060.
func TestRawFloats(t *testing.T) {
	p := compile(t, client(t), both("add", "1xbf16"))
	a, b := Of([]uint16{0x3fc0}, 1), Of([]uint16{0x4000}, 1)
	a.DType, b.DType = BFloat16, BFloat16
	results, err := p.Run(t.Context(), a, b)
	must(t, err)
	got, err := Values[uint16](results[0])
	must(t, err)
	if got[0] != 0x4060 {
		t.Errorf("%#x", got[0])
	}
	_, err = Values[float32](results[0])
	refused(t, err, "bfloat16", "float32")
}

// A product, a transposed result, a constant, and a program of no arguments and no results.
func TestResults(t *testing.T) {
	c := client(t)
	p := compile(t, c, `module {
  func.func public @main(%a: tensor<2x3xf32> {jax.note = "tensor<)>, %b"}, // and (
      %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<3x2xf32>, tensor<i32>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.constant dense<7> : tensor<i32>
    return %0, %1, %2 : tensor<2x2xf32>, tensor<3x2xf32>, tensor<i32>
  }
}`)
	results, err := p.Run(t.Context(), Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3), Of([]float32{1, 0, 0, 1, 1, 1}, 3, 2))
	must(t, err)
	for i, want := range [][]float32{{4, 5, 10, 11}, {1, 4, 2, 5, 3, 6}} {
		got, err := Values[float32](results[i])
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("result %d is %v, not %v", i, got, want)
		}
	}
	seven, err := Values[int32](results[2])
	must(t, err)
	if len(results) != 3 || seven[0] != 7 || len(results[2].Shape) != 0 {
		t.Errorf("%v", results)
	}
	bare := compile(t, c, "func.func @main() {\n return\n}")
	results, err = bare.Run(t.Context())
	must(t, err)
	if len(results) != 0 {
		t.Errorf("%v", results)
	}
}

// A step of a program that was exported with a mesh; its parameter w is donated to a result. Each element of x·w is 8.
func TestExported(t *testing.T) {
	text, err := os.ReadFile("../launch/testdata/descent/module.mlir")
	must(t, err)
	p := compile(t, client(t), string(text))
	if got := fmt.Sprint(p.Arguments()); got != "[float32[16 8] int64[] float32[8 6]]" {
		t.Error(got)
	}
	x, w := slices.Repeat([]float32{1}, 16*8), slices.Repeat([]float32{1}, 8*6)
	for range 2 { // arguments are as they were
		results, err := p.Run(t.Context(), Of(x, 16, 8), Of([]int64{5}), Of(w, 8, 6))
		must(t, err)
		loss, err := Values[float32](results[0])
		must(t, err)
		step, err := Values[int64](results[1])
		must(t, err)
		next, err := Values[float32](results[2])
		must(t, err)
		small, err := Values[bool](results[3])
		must(t, err)
		if loss[0] != 16*6*64/2 || step[0] != 5 || !slices.Equal(next, slices.Repeat([]float32{1 - 16*8}, 8*6)) ||
			small[0] {
			t.Errorf("%v %v %v %v", loss, step, next, small)
		}
	}
}

func TestMistakes(t *testing.T) {
	c := client(t)
	ctx := t.Context()
	for _, bad := range []string{"this is no module",
		"func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %b = stablehlo.ad %a\n}", "\x00\xff"} {
		_, err := c.Compile(ctx, bad)
		refused(t, err, "pjrt.Compile", "the plugin of PJRT says")
		var told *Error
		if !errors.As(err, &told) || told.Message == "" {
			t.Errorf("%v is not the compiler's", err)
		}
	}
	_, err := c.Compile(ctx, "func.func @main() -> (tensor<2x2xf32> {mhlo.layout_mode = \"{0,1}\"}) {\n}")
	refused(t, err, "layout")
	_, err = c.Compile(ctx, "")
	refused(t, err, "empty")
	p := compile(t, c, both("add", "2x3xf32"))
	six := make([]float32, 6)
	good := Of(six, 2, 3)
	for words, args := range map[string][]Array{
		"1 arguments; the program takes 2":               {good},
		"argument 1: float32[3 2]; the program takes":    {good, Of(six, 3, 2)},
		"int32[2 3]; the program takes float32[2 3]":     {Of(make([]int32, 6), 2, 3), good},
		"has 24 bytes, not the 20":                       {Of(six[:5], 2, 3), good},
		"has 24 bytes, not the 0":                        {{DType: Float32, Shape: []int{2, 3}}, good},
		"negative":                                       {Of(six, -2, -3), good},
		"larger than memory":                             {Of(six, 1<<40, 1<<40), good},
		"dtype 0 of PJRT has no elements of whole bytes": {{}, good},
	} {
		_, err := p.Run(ctx, args...)
		refused(t, err, "pjrt.Run", words)
	}
	logic := compile(t, c, both("and", "1xi1"))
	_, err = logic.Run(ctx, Array{Bool, []int{1}, []byte{7}}, Of([]bool{true}, 1))
	refused(t, err, "neither 0 nor 1")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = p.Run(ended, good, good)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	_, err = c.Compile(ended, both("add", "2xf32"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	p.Close()
	p.Close()
	_, err = p.Run(ctx, good, good)
	refused(t, err, "closed")
	c.Close()
	_, err = logic.Run(ctx, Of([]bool{true}, 1), Of([]bool{true}, 1))
	refused(t, err, "closed")
	_, err = c.Compile(ctx, both("add", "2xf32"))
	refused(t, err, "closed")
}

func TestNothing(t *testing.T) {
	ctx := t.Context()
	_, err := (*Plugin)(nil).NewClient()
	refused(t, err, "pjrt.Load")
	_, err = (&Plugin{}).NewClient()
	refused(t, err, "pjrt.Load")
	for _, c := range []*Client{nil, {}} {
		_, err = c.Compile(ctx, "")
		refused(t, err, "NewClient")
		c.Close()
	}
	for _, p := range []*Program{nil, {}} {
		_, err = p.Run(ctx)
		refused(t, err, "Compile")
		p.Close()
	}
	_, err = Values[bool](Array{})
	refused(t, err, "bool")
}

func TestLoadRefuses(t *testing.T) {
	folder := t.TempDir()
	words := filepath.Join(folder, "words.so")
	must(t, os.WriteFile(words, []byte("not a library"), 0o600))
	for _, path := range []string{"", folder, words, filepath.Join(folder, "none.so"), "a\x00b"} {
		_, err := Load(path)
		refused(t, err, "pjrt.Load")
	}
	if runtime.GOOS == "linux" {
		libraries, _ := filepath.Glob("/lib/*-linux-gnu/libm.so.6")
		for _, path := range libraries {
			_, err := Load(path)
			refused(t, err, "GetPjrtApi")
		}
	}
}

func TestVersions(t *testing.T) {
	table := func(change func(*apiTable)) *apiTable {
		api := &apiTable{}
		api.size, api.version.minor = unsafe.Sizeof(*api), 81
		for i := range api.functions {
			api.functions[i] = 1
		}
		change(api)
		return api
	}
	for words, api := range map[string]*apiTable{
		"version 1.3":       table(func(a *apiTable) { a.version.major, a.version.minor = 1, 3 }),
		"version 0.56":      table(func(a *apiTable) { a.version.minor = 56 }),
		"has 40 bytes":      table(func(a *apiTable) { a.size = 40 }),
		"lacks function 55": table(func(a *apiTable) { a.functions[loadedExecute] = 0 }),
		"no table":          nil,
	} {
		_, err := newPlugin(api)
		refused(t, err, words)
	}
	_, err := newPlugin(table(func(*apiTable) {}))
	must(t, err)
}

func TestArguments(t *testing.T) {
	types, err := argumentsOf(
		"// @main(\nfunc.func private @f(%x: tensor<i1>)\nfunc.func @main(%arg0: tensor<2x0xbf16> {a = [1, (2)], b = \"\\\")\"} loc(#l), %b : tensor< 3 x complex<f64> >, %c: tensor<1xui8, #e>) -> (tensor<i1>) {")
	must(t, err)
	if len(types) != 3 || types[0].String() != "bfloat16[2 0]" || types[1].String() != "complex128[3]" ||
		types[2].String() != "uint8[1]" {
		t.Errorf("%v", types)
	}
	for words, text := range map[string]string{
		"no func.func @main": "func.func @other()",
		"no end":             "func.func @main(%a: tensor<f32>",
		"known sizes":        "func.func @main(%a: tensor<?xf32>)",
		"!stablehlo.token":   "func.func @main(%a: !stablehlo.token)",
		"i4":                 "func.func @main(%a: tensor<2xi4>)",
		"out of range":       "func.func @main(%a: tensor<99999999999999999999xf32>)",
	} {
		_, err := argumentsOf(text)
		refused(t, err, words)
	}
}

// A run that is left goes on by itself, and closing waits for it.
func TestContextEndsWaiting(t *testing.T) {
	c := client(t)
	p := compile(t, c, `func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %factor = stablehlo.constant dense<1664525> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %x = %one) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %product = stablehlo.multiply %x, %factor : tensor<i32>
      %mixed = stablehlo.xor %product, %i : tensor<i32>
      stablehlo.return %next, %mixed : tensor<i32>, tensor<i32>
    }
  return %r#1 : tensor<i32>
}`)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := p.Run(ctx, Of([]int32{100_000_000}))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	p.Close()
}

// Many runs at once, and a thousand in all, leave the process as large as it was.
func TestManyRuns(t *testing.T) {
	c := client(t)
	const n = 1 << 16
	p := compile(t, c, both("add", "65536xf32"))
	a := make([]float32, n)
	for i := range a {
		a[i] = float32(i)
	}
	runs := func(count int) {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range count / 4 {
					results, err := p.Run(t.Context(), Of(a, n), Of(a, n))
					if err != nil {
						t.Error(err)
						return
					}
					if got, err := Values[float32](results[0]); err != nil || got[n-1] != 2*(n-1) {
						t.Error(got[n-1], err)
						return
					}
				}
			})
		}
		group.Wait()
	}
	runs(200)
	before := resident(t)
	runs(1000)
	// One buffer that is kept in each run would be 250 MB.
	if grown := resident(t) - before; grown > 64<<20 {
		t.Errorf("a thousand runs made the process %d bytes larger", grown)
	}
}

// resident returns the memory of this process, or 0 where the system does not tell it as Linux does.
func resident(t *testing.T) int {
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	_, err = fmt.Sscan(string(text), &size, &pages)
	must(t, err)
	return pages * os.Getpagesize()
}
