package raw

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHalves compares every number of binary16 with its value by the definition.
func TestHalves(t *testing.T) {
	for h := range 1 << 16 {
		sign, exponent, fraction := 1.0, h>>10&31, float64(h&1023)
		if h>>15 == 1 {
			sign = -1
		}
		var want float64
		switch {
		case exponent == 31 && fraction > 0:
			assert.True(t, math.IsNaN(float64(fromHalf(uint16(h)))), "%#x", h)
			continue
		case exponent == 31:
			want = sign * math.Inf(1)
		case exponent == 0:
			want = math.Copysign(math.Ldexp(fraction, -24), sign)
		default:
			want = sign * math.Ldexp(1024+fraction, exponent-25)
		}
		if got := fromHalf(uint16(h)); math.Float32bits(got) != math.Float32bits(float32(want)) {
			t.Fatalf("%#x: got %g, want %g", h, got, want)
		}
	}
}

func TestDecodeRefusesWhatDoesNotFit(t *testing.T) {
	_, err := Decode(U64, binary.LittleEndian, []byte{0, 0, 0, 0, 0, 0, 0, 0x80})
	require.EqualError(t, err, "element 0 is 9223372036854775808, which an int64 does not hold")
	_, err = Decode(Bool, binary.LittleEndian, []byte{0, 1, 2})
	require.EqualError(t, err, "element 2 of booleans is 2, neither 0 nor 1")
	_, err = Decode(C64, binary.LittleEndian, make([]byte, 8))
	require.ErrorContains(t, err, "C64 cannot be read")
}
