package aot

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/cpu"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// TestGeneratedCodeIsCurrent compares the assembly files with the present output of the code generator. After a change
// there, run "go generate ./kernels/internal/aot".
func TestGeneratedCodeIsCurrent(t *testing.T) {
	for isa, arch := range map[cpu.ISA]string{cpu.AVX2: "amd64", cpu.AVX512: "amd64", cpu.NEON: "arm64"} {
		var want []byte
		for _, k := range Keys() {
			code, err := Code(k, isa)
			require.NoError(t, err)
			want = append(want, code...)
		}
		file, err := os.ReadFile(isa.String() + "_" + arch + ".s")
		require.NoError(t, err)
		var got []byte
		for line := range strings.Lines(string(file)) {
			var v uint64
			line = strings.TrimSpace(line)
			if n, _ := fmt.Sscanf(strings.Replace(line, "DWORD", "QUAD", 1), "QUAD $%v", &v); n == 1 {
				got = binary.LittleEndian.AppendUint64(got, v)
			} else if n, _ := fmt.Sscanf(line, "WORD $%v", &v); n == 1 {
				got = binary.LittleEndian.AppendUint32(got, uint32(v))
			} else if n, _ := fmt.Sscanf(line, "BYTE $%v", &v); n == 1 {
				got = append(got, byte(v))
			}
		}
		require.True(t, string(want) == string(got), "%v: run go generate ./kernels/internal/aot", isa)
	}
}

// TestPrimitives applies each primitive to some numbers, in vectors of odd length.
func TestPrimitives(t *testing.T) {
	if cpu.Chosen() < cpu.AVX2 {
		t.Skip("there is no code for this machine")
	}
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2.25, -3.5, 100, -100, 1e-40, math.Inf(1), math.Inf(-1),
		math.NaN()}
	var block Block
	for _, k := range Keys() {
		f := Lookup(k)
		require.NotNil(t, f, "%v", k)
		n := len(numbers)
		var x [3][16]uint64 // elements of any size
		set := func(v unsafe.Pointer, i int, bits uint64) {
			switch k.Type.Size() {
			case 4:
				*(*uint32)(unsafe.Add(v, 4*i)) = uint32(bits)
			default:
				*(*uint64)(unsafe.Add(v, 8*i)) = bits
			}
		}
		element := func(operand, i int) uint64 {
			if operand+1 == k.Scalar {
				i = 3
			}
			if k.Op == rowprog.OpSelect && operand == 0 {
				return uint64(i % 2)
			}
			return scalar.Convert(k.Type, rowprog.F64, math.Float64bits(numbers[(i+5*operand)%n]))
		}
		var operands []unsafe.Pointer
		for o := range k.Op.Arity() {
			p := unsafe.Pointer(&x[o])
			for i := range n {
				if k.Op == rowprog.OpSelect && o == 0 {
					*(*uint8)(unsafe.Add(p, i)) = uint8(element(o, i))
				} else {
					set(p, i, element(o, i))
				}
			}
			operands = append(operands, p)
		}
		var got [16]uint64
		block.Run(f, n, unsafe.Pointer(&got), operands...)
		for i := range n {
			want := scalar.Apply(k.Op, k.Type, element(0, i), element(1, i), element(2, i))
			result, bits := k.Type, uint64(0)
			switch {
			case k.Op >= rowprog.OpLt && k.Op <= rowprog.OpNe:
				result, bits = rowprog.Bool, uint64(*(*uint8)(unsafe.Add(unsafe.Pointer(&got), i)))
			case k.Type == rowprog.F32:
				bits = uint64(*(*uint32)(unsafe.Add(unsafe.Pointer(&got), 4*i)))
			default:
				bits = got[i]
			}
			text := func(bits uint64) string {
				if s := rowprog.Literal(result, bits); !strings.HasPrefix(s, "nan") {
					return s
				}
				return "nan"
			}
			require.Equal(t, text(want), text(bits), "%v: element %d", k, i)
		}
	}
}
