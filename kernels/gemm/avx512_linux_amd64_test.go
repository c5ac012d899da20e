package gemm

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/codegen"
	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/internal/testkit/emulator"
)

// assembly returns the machine code of the functions in tile_amd64.s by name, without the instruction that loads the
// argument.
func assembly(t *testing.T) map[string][]byte {
	file, err := os.Open("tile_amd64.s")
	require.NoError(t, err)
	defer file.Close()
	head := regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	data := regexp.MustCompile(`^\t(QUAD|BYTE) \$0x([0-9a-f]+)$`)
	found, name := map[string][]byte{}, ""
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if m := head.FindStringSubmatch(lines.Text()); m != nil {
			name = m[1]
		} else if m := data.FindStringSubmatch(lines.Text()); m != nil {
			v, err := strconv.ParseUint(m[2], 16, 64)
			require.NoError(t, err)
			size := map[string]int{"QUAD": 8, "BYTE": 1}[m[1]]
			found[name] = append(found[name], binary.LittleEndian.AppendUint64(nil, v)[:size]...)
		}
	}
	require.NoError(t, lines.Err())
	return found
}

// emulation replaces loops of AVX-512 by emulated functions.
type emulation struct {
	t    *testing.T
	code map[string][]byte
	ran  map[string]bool // whether each loop in the place of which one was put has run

	callees map[uintptr]*emulator.Machine
}

// of emulates all loops of v for AVX-512.
func (e *emulation) of(v *simdTiles) *simdTiles {
	made := *v
	e.emulate(reflect.ValueOf(&made).Elem())
	return &made
}

// emulate replaces the loops in the fields of a struct.
func (e *emulation) emulate(fields reflect.Value) {
	for i := range fields.NumField() {
		field := fields.Field(i)
		e.replace(reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem()) // that is not exported
	}
}

// replace replaces the loops of a field.
func (e *emulation) replace(field reflect.Value) {
	switch {
	case isLoop(field.Type()):
		field.Set(e.loop(field))
	case field.Kind() == reflect.Struct:
		e.emulate(field)
	case field.Kind() == reflect.Array:
		for i := range field.Len() {
			e.replace(field.Index(i))
		}
	case field.Kind() == reflect.Slice && isLoop(field.Type().Elem()):
		loops := reflect.MakeSlice(field.Type(), field.Len(), field.Len())
		for j := range field.Len() {
			loops.Index(j).Set(e.loop(field.Index(j)))
		}
		field.Set(loops)
	case field.Type() == reflect.TypeFor[[]transposer]():
		transposers := slices.Clone(field.Interface().([]transposer))
		for j := range transposers {
			e.emulate(reflect.ValueOf(&transposers[j]).Elem())
		}
		field.Set(reflect.ValueOf(transposers))
	}
}

// isLoop reports whether a type is that of functions of a pointer to arguments.
func isLoop(f reflect.Type) bool {
	return f.Kind() == reflect.Func && f.NumIn() == 1 && f.NumOut() == 0 && f.In(0).Kind() == reflect.Pointer
}

// loop returns a function that runs the code of another in the emulator, if that is for AVX-512.
func (e *emulation) loop(of reflect.Value) reflect.Value {
	if of.IsNil() {
		return of
	}
	name := runtime.FuncForPC(of.Pointer()).Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	code := e.code[name]
	require.NotEmpty(e.t, code, name)
	if !strings.Contains(name, "AVX512") {
		return of
	}
	e.ran[name] = false
	var m *emulator.Machine
	return reflect.MakeFunc(of.Type(), func(args []reflect.Value) []reflect.Value {
		if m == nil {
			m = emulator.New(e.t, code, len(code))
			m.Callees = e.callees
		}
		e.ran[name] = true
		m.Call(0, args[0].UnsafePointer())
		return nil
	})
}

// load loads code that emulated loops can call.
func (e *emulation) load(code *codegen.Code) (address uintptr) {
	m := emulator.New(e.t, code.Bytes, code.Length)
	e.callees[m.Address()] = m
	return m.Address()
}

// TestAVX512 multiplies matrices with the loops for AVX-512 in an emulator, so that they are tested on processors
// without it. Processors with it run the loops in all other tests; there, only the emulator is tested.
func TestAVX512(t *testing.T) {
	if cpu.Machine() < cpu.AVX2 {
		t.Skip("other loops need AVX2")
	}
	if testing.Short() {
		t.Skip("the emulator is slow")
	}
	autotune() // not between emulated loops
	own32, own64 := simd32, simd64
	t.Cleanup(func() { simd32, simd64 = own32, own64 })
	f32, f64 := choose(cpu.AVX512)
	code := assembly(t)
	variants32, variants64 := f32.variants, f64.variants
	if cpu.Machine() >= cpu.AVX512 {
		variants32, variants64 = nil, nil
	}
	for i, w := range append([]wholeTiles{f32.wholeTiles}, variants32...) {
		t.Run(fmt.Sprintf("float32, loops %d", i), func(t *testing.T) {
			e := &emulation{t, code, map[string]bool{}, map[uintptr]*emulator.Machine{}}
			f32.wholeTiles = w
			simd32 = e.of(f32)
			emulated[float32](t, e, f32)
		})
	}
	for i, w := range append([]wholeTiles{f64.wholeTiles}, variants64...) {
		t.Run(fmt.Sprintf("float64, loops %d", i), func(t *testing.T) {
			e := &emulation{t, code, map[string]bool{}, map[uintptr]*emulator.Machine{}}
			f64.wholeTiles = w
			simd64 = e.of(f64)
			emulated[float64](t, e, f64)
		})
	}
}

// emulated runs every loop in the emulator.
func emulated[T float32 | float64](t *testing.T, e *emulation, v *simdTiles) {
	fenced[T](t, emulatedSizes(v))
	handsOn(t, newFinisher[T](t, e.load, codegen.AVX512), 19)
	TestOffsetsAreWindows(t)
	windowsAsRows[T](t)
	if len(v.blockTiles[0]) > 0 {
		TestLanes(t)
		rowsByWords(t, 64, 32, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		rowsByHalves(t, v)
	}
	require.NotContains(t, slices.Collect(maps.Values(e.ran)), false, "every loop runs: %v", e.ran)
}

// rowsByHalves multiplies few rows by rows of some vectors of 16 bits, and by columns of 16 bits.
func rowsByHalves(t *testing.T, v *simdTiles) {
	r := rand.New(rand.NewPCG(17, 18))
	from := values[float32](r, 0)
	run := func(typ Type, m, n, k, row, col int) {
		wide := &Product[float32]{M: m, N: n, K: k, A: Matrix[float32]{Data: window(r, from, m*k), Row: k, Col: 1},
			B: Matrix[float32]{Data: slices.Clone(window(r, from, k*n)), Row: row, Col: col},
			C: Matrix[float32]{Data: make([]float32, m*n), Row: n, Col: 1}}
		narrow := *wide
		narrow.C.Data = slices.Clone(wide.C.Data)
		narrow.FactorB, narrow.B.Data = halves(r, &wide.B, typ, false), nil
		var s, plain Scratch[float32]
		want := whole(t, wide, &plain)
		require.NoError(t, narrow.Check())
		narrow.Run(&s)
		requireBits(t, want, &narrow)
	}
	for _, typ := range []Type{BFloat16, Float16} {
		for vectors := 1; vectors <= len(v.sumRows)+1; vectors++ {
			n := vectors*v.cols/vectorsInTile + 1
			run(typ, 1, n, gemvRows+1, n, 1)
		}
		for m := 1; m < len(v.thin); m++ {
			run(typ, m, v.thinBlock()+3, 2*thinProducts+1, 1, 2*thinProducts+1)
		}
	}
}

// emulatedSizes is every number of rows of a tile, with some of its columns, all, and more.
func emulatedSizes(v *simdTiles) [][3]int {
	r := rand.New(rand.NewPCG(15, 16))
	sizes := [][3]int{{1, 70, 20}, {1, 1, 500}, {70, 1, 40}, {60, 40, 17}, {3, 9, wholeSum + 3},
		{5, v.cols / 8, quarterProducts}, {30, v.cols + v.cols/4, quarterProducts + 1},
		{13, v.cols*3/4 - 1, quarterProducts}}
	// of some layouts, B is copied by tiles
	sizes = append(sizes, slices.Repeat([][3]int{{(copySteps+1)*v.rows + 3, 3*v.cols + 5, 9}}, 10)...)
	for m := 1; m < len(v.thin); m++ {
		// of some, columns of B are contiguous
		sizes = append(sizes, slices.Repeat([][3]int{{m, v.thinBlock() + 3, thinProducts + 1}}, 12)...)
	}
	for vectors := 1; vectors <= len(v.sumRows); vectors++ {
		// of some, rows of B are contiguous
		sizes = append(sizes, slices.Repeat([][3]int{{1, vectors*v.cols/vectorsInTile + 1, gemvRows + 1}}, 12)...)
	}
	for m := 1; m <= 2*v.rows+1; m++ {
		quarter := v.cols / 4
		for _, n := range []int{1 + r.IntN(quarter), quarter + 1 + r.IntN(quarter), 2*quarter + 1 + r.IntN(quarter),
			3*quarter + 1 + r.IntN(quarter-1), v.cols, v.cols + r.IntN(v.cols+1), 3*v.cols + 1} {
			for range 3 { // each draws other strides
				sizes = append(sizes, [3]int{m, n, 1 + r.IntN(20)})
			}
		}
	}
	return sizes
}
