package scalar

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/kernels/rowprog"
)

var (
	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
)

// same compares floats and the signs of zeros; NaNs are equal.
func same(x, y float64) bool {
	return x != x && y != y || math.Float64bits(x) == math.Float64bits(y)
}

// TestFloats gives results for both types; want is exact in both or rounded to them.
func TestFloats(t *testing.T) {
	for _, c := range []struct {
		op         rowprog.Op
		x, y, want float64
	}{
		{rowprog.OpNeg, 0, 0, negZero}, {rowprog.OpAbs, -3, 0, 3}, {rowprog.OpAbs, negZero, 0, 0},
		{rowprog.OpSign, -7, 0, -1}, {rowprog.OpSign, negZero, 0, 0}, {rowprog.OpSign, nan, 0, 0},
		{rowprog.OpSign, inf, 0, 1},
		{rowprog.OpSqrt, 9, 0, 3}, {rowprog.OpSqrt, -1, 0, nan}, {rowprog.OpSqrt, negZero, 0, negZero},
		{rowprog.OpRsqrt, 4, 0, 0.5}, {rowprog.OpRsqrt, 0, 0, inf}, {rowprog.OpRecip, negZero, 0, -inf},
		{rowprog.OpFloor, -1.5, 0, -2}, {rowprog.OpFloor, negZero, 0, negZero}, {rowprog.OpCeil, -0.5, 0, negZero},
		{rowprog.OpRound, 2.5, 0, 2}, {rowprog.OpRound, 3.5, 0, 4}, {rowprog.OpRound, -0.5, 0, negZero},
		{rowprog.OpTrunc, -2.7, 0, -2}, {rowprog.OpTrunc, inf, 0, inf},
		{rowprog.OpAdd, 1, 2, 3}, {rowprog.OpSub, inf, inf, nan}, {rowprog.OpMul, 0, inf, nan},
		{rowprog.OpDiv, -1, 0, -inf},
		{rowprog.OpMax, 1, nan, nan}, {rowprog.OpMax, nan, 1, nan}, {rowprog.OpMax, negZero, 0, 0},
		{rowprog.OpMax, 0, negZero, 0},
		{rowprog.OpMin, 1, nan, nan}, {rowprog.OpMin, nan, 1, nan}, {rowprog.OpMin, negZero, 0, negZero},
		{rowprog.OpMin, 2, 1, 1},
		{rowprog.OpRem, 5, 3, 2}, {rowprog.OpRem, -5, 3, 1}, {rowprog.OpRem, 5, -3, -1}, {rowprog.OpRem, -5, -3, -2},
		{rowprog.OpRem, 5, 0, nan}, {rowprog.OpRem, -6, 3, negZero}, {rowprog.OpRem, 5, inf, 5},
		{rowprog.OpRem, -5, inf, inf},
		{rowprog.OpFloorDiv, 5, 3, 1}, {rowprog.OpFloorDiv, -5, 3, -2}, {rowprog.OpFloorDiv, 5, -3, -2},
		{rowprog.OpFloorDiv, -5, -3, 1},
		{rowprog.OpFloorDiv, 5, 0, inf}, {rowprog.OpFloorDiv, 0, 0, nan}, {rowprog.OpFloorDiv, -1, inf, -1},
		{rowprog.OpFloorDiv, 0, -3, negZero},
		{rowprog.OpPow, 2, 10, 1024}, {rowprog.OpPow, nan, 0, 1}, {rowprog.OpPow, -8, 1.0 / 3, nan},
		{rowprog.OpPow, 0, -1, inf},
		{rowprog.OpAtan2, 0, -1, math.Pi}, {rowprog.OpAtan2, negZero, 1, negZero},
		{rowprog.OpExp, 0, 0, 1}, {rowprog.OpExp, -inf, 0, 0}, {rowprog.OpExp, inf, 0, inf},
		{rowprog.OpExp, nan, 0, nan},
		{rowprog.OpExpOrZero, 0, 0, 1}, {rowprog.OpExpOrZero, -1000, 0, 0}, {rowprog.OpExpOrZero, -inf, 0, 0},
		{rowprog.OpExpOrZero, inf, 0, 1}, {rowprog.OpExpOrZero, nan, 0, nan},
		{rowprog.OpExpm1, negZero, 0, negZero}, {rowprog.OpLog, 0, 0, -inf}, {rowprog.OpLog, -1, 0, nan},
		{rowprog.OpLog1p, -1, 0, -inf}, {rowprog.OpLog2, 8, 0, 3}, {rowprog.OpLog2, 0x1p-100, 0, -100},
		{rowprog.OpLog2, 1, 0, 0},
		{rowprog.OpLog10, 1, 0, 0}, {rowprog.OpLog10, 0, 0, -inf}, {rowprog.OpLog10, inf, 0, inf},
		{rowprog.OpLog10, -1, 0, nan}, {rowprog.OpLog10, nan, 0, nan},
		{rowprog.OpExp2, 10, 0, 1024}, {rowprog.OpExp2, -100, 0, 0x1p-100}, {rowprog.OpExp2, negZero, 0, 1},
		{rowprog.OpExp2, inf, 0, inf}, {rowprog.OpExp2, -inf, 0, 0}, {rowprog.OpExp2, nan, 0, nan},
		{rowprog.OpTanh, inf, 0, 1}, {rowprog.OpTanh, -inf, 0, -1}, {rowprog.OpTanh, negZero, 0, negZero},
		{rowprog.OpTanh, nan, 0, nan},
		{rowprog.OpSigmoid, 0, 0, 0.5}, {rowprog.OpSigmoid, inf, 0, 1}, {rowprog.OpSigmoid, -inf, 0, 0},
		{rowprog.OpSigmoid, nan, 0, nan},
		{rowprog.OpErf, inf, 0, 1}, {rowprog.OpSin, 0, 0, 0}, {rowprog.OpCos, 0, 0, 1},
	} {
		got64 := From[float64](Apply(c.op, rowprog.F64, Bits(c.x), Bits(c.y), 0))
		require.True(t, same(got64, c.want), "%v %v %v is %v, want %v", c.op, c.x, c.y, got64, c.want)
		got32 := From[float32](Apply(c.op, rowprog.F32, Bits(float32(c.x)), Bits(float32(c.y)), 0))
		require.True(t, same(float64(got32), float64(float32(c.want))), "f32 %v %v %v is %v, want %v", c.op, c.x, c.y,
			got32, c.want)
	}
}

func TestIntegers(t *testing.T) {
	const least = math.MinInt64
	for _, c := range []struct {
		op         rowprog.Op
		x, y, want int64
	}{
		{rowprog.OpNeg, least, 0, least}, {rowprog.OpAbs, least, 0, least}, {rowprog.OpAbs, -3, 0, 3},
		{rowprog.OpSign, -9, 0, -1},
		{rowprog.OpNot, 5, 0, -6}, {rowprog.OpAdd, math.MaxInt64, 1, least}, {rowprog.OpMul, least, -1, least},
		{rowprog.OpSub, 1, 3, -2},
		{rowprog.OpDiv, -7, 2, -3}, {rowprog.OpDiv, 7, 0, 0}, {rowprog.OpDiv, least, -1, least},
		{rowprog.OpRem, -7, 2, 1}, {rowprog.OpRem, 7, -2, -1}, {rowprog.OpRem, 7, 0, 0}, {rowprog.OpRem, least, -1, 0},
		{rowprog.OpRem, -6, 2, 0},
		{rowprog.OpFloorDiv, -7, 2, -4}, {rowprog.OpFloorDiv, 7, -2, -4}, {rowprog.OpFloorDiv, 7, 0, 0},
		{rowprog.OpFloorDiv, least, -1, least},
		{rowprog.OpMax, -1, 1, 1}, {rowprog.OpMin, -1, 1, -1},
		{rowprog.OpPow, 3, 4, 81}, {rowprog.OpPow, 2, 64, 0}, {rowprog.OpPow, -1, -3, -1}, {rowprog.OpPow, -1, -2, 1},
		{rowprog.OpPow, 2, -1, 0}, {rowprog.OpPow, 0, 0, 1},
		{rowprog.OpAnd, 6, 3, 2}, {rowprog.OpOr, 6, 3, 7}, {rowprog.OpXor, 6, 3, 5},
		{rowprog.OpLt, -1, 1, 1}, {rowprog.OpLe, 1, 1, 1}, {rowprog.OpGt, 1, 1, 0}, {rowprog.OpGe, 1, 1, 1},
		{rowprog.OpEq, 1, 1, 1}, {rowprog.OpNe, 1, 1, 0},
	} {
		got := int64(Apply(c.op, rowprog.I64, uint64(c.x), uint64(c.y), 0))
		require.Equal(t, c.want, got, "%v %d %d", c.op, c.x, c.y)
	}
	i32 := func(op rowprog.Op, x, y int32) int32 { return From[int32](Apply(op, rowprog.I32, Bits(x), Bits(y), 0)) }
	require.Equal(t, int32(math.MinInt32), i32(rowprog.OpAdd, math.MaxInt32, 1))
	require.Equal(t, int32(math.MinInt32), i32(rowprog.OpFloorDiv, math.MinInt32, -1))
	require.Equal(t, int32(-4), i32(rowprog.OpFloorDiv, -7, 2))
}

func TestBoolAndSelect(t *testing.T) {
	for _, c := range []struct {
		op   rowprog.Op
		want [4]uint64 // of 00, 01, 10, 11
	}{
		{rowprog.OpNot, [4]uint64{1, 1, 0, 0}}, {rowprog.OpAnd, [4]uint64{0, 0, 0, 1}},
		{rowprog.OpOr, [4]uint64{0, 1, 1, 1}},
		{rowprog.OpXor, [4]uint64{0, 1, 1, 0}}, {rowprog.OpLt, [4]uint64{0, 1, 0, 0}},
		{rowprog.OpEq, [4]uint64{1, 0, 0, 1}},
	} {
		for i, want := range c.want {
			require.Equal(t, want, Apply(c.op, rowprog.Bool, uint64(i/2), uint64(i%2), 0), c.op)
		}
	}
	require.Equal(t, uint64(7), Apply(rowprog.OpSelect, rowprog.F32, 1, 7, 8))
	require.Equal(t, uint64(8), Apply(rowprog.OpSelect, rowprog.F32, 0, 7, 8))
}

func TestComparisonsWithNaN(t *testing.T) {
	for op := rowprog.OpLt; op <= rowprog.OpNe; op++ {
		want := uint64(0)
		if op == rowprog.OpNe {
			want = 1
		}
		require.Equal(t, want, Apply(op, rowprog.F64, Bits(nan), Bits(nan), 0), op)
		require.Equal(t, want, Apply(op, rowprog.F32, Bits(float32(1)), Bits(float32(nan)), 0), op)
	}
}

// TestEveryPrimitive applies every primitive to every type that it accepts.
func TestEveryPrimitive(t *testing.T) {
	for _, op := range rowprog.Primitives() {
		for typ := rowprog.Bool; typ <= rowprog.F64; typ++ {
			apply := func() { Apply(op, typ, 1, 1, 0) }
			if op == rowprog.OpConvert {
				apply = func() { Convert(rowprog.F32, typ, 1) }
			}
			if op.Accepts(typ) {
				require.NotPanics(t, apply, "%v of %v", op, typ)
			} else {
				require.Panics(t, apply, "%v of %v", op, typ)
			}
		}
	}
}

func TestConvert(t *testing.T) {
	f64 := func(x float64) uint64 { return Bits(x) }
	f32 := func(x float64) uint64 { return Bits(float32(x)) }
	i32 := func(x int64) uint64 { return Bits(int32(x)) }
	i64 := func(x int64) uint64 { return Bits(x) }
	for _, c := range []struct {
		from, to rowprog.Type
		x, want  uint64
	}{
		{rowprog.F64, rowprog.I32, f64(-2.9), i32(-2)}, {rowprog.F64, rowprog.I32, f64(3e9), i32(math.MaxInt32)},
		{rowprog.F64, rowprog.I32, f64(-inf), i32(math.MinInt32)}, {rowprog.F32, rowprog.I32, f32(nan), i32(0)},
		{rowprog.F64, rowprog.I32, f64(2147483647.5), i32(math.MaxInt32)},
		{rowprog.F64, rowprog.I32, f64(-2147483648.5), i32(math.MinInt32)},
		{rowprog.F64, rowprog.I64, f64(1 << 63), i64(math.MaxInt64)},
		{rowprog.F32, rowprog.I64, f32(-1e30), i64(math.MinInt64)},
		{rowprog.F64, rowprog.I64, f64(nan), i64(0)}, {rowprog.F64, rowprog.I64, f64(1<<53 + 2), i64(1<<53 + 2)},
		{rowprog.F64, rowprog.Bool, f64(nan), 1}, {rowprog.F32, rowprog.Bool, f32(negZero), 0},
		{rowprog.I64, rowprog.Bool, i64(1 << 40), 1},
		{rowprog.I64, rowprog.I32, i64(1<<32 + 5), i32(5)}, {rowprog.I32, rowprog.I64, i32(-1), i64(-1)},
		{rowprog.I64, rowprog.F32, i64(16777217), f32(16777216)},
		{rowprog.I64, rowprog.F32, i64(math.MaxInt64), f32(1 << 63)},
		{rowprog.I32, rowprog.F64, i32(-7), f64(-7)}, {rowprog.Bool, rowprog.F32, 1, f32(1)},
		{rowprog.Bool, rowprog.I64, 1, 1},
		{rowprog.F64, rowprog.F32, f64(1e300), f32(inf)}, {rowprog.F64, rowprog.F32, f64(0.1), f32(0.1)},
		{rowprog.F32, rowprog.F64, f32(0.5), f64(0.5)},
	} {
		got := Convert(c.to, c.from, c.x)
		require.Equal(t, rowprog.Literal(c.to, c.want), rowprog.Literal(c.to, got), "%v to %v of %s", c.from, c.to,
			rowprog.Literal(c.from, c.x))
	}
}

// TestFMA32 compares with exact arithmetic, rounded once.
func TestFMA32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(spread int) float32 {
		return float32(math.Ldexp(float64(int32(r.Uint32()>>8|1)), r.IntN(spread)-spread/2-24))
	}
	for i := range 200000 {
		spread := 4 + i%150
		x, y, z := random(spread), -random(spread), random(spread)
		if i%4 == 0 {
			z = -x * y * (1 + 0x1p-23) // close to cancellation
		}
		exact := new(big.Float).SetPrec(200).SetFloat64(float64(x) * float64(y))
		exact.Add(exact, new(big.Float).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		require.Equal(t, want, FMA32(x, y, z), "%v %v %v", x, y, z)
	}
	// The exact sum is a tie in float64, which a second rounding would get wrong.
	require.Equal(t, float32(1+0x1p-23), FMA32(0x1p-12, 0x1p-12+0x1p-35, 1))
	for _, c := range [][4]float64{{inf, 0, 1, nan}, {1, 1, inf, inf}, {inf, 1, -inf, nan}, {nan, 1, 1, nan},
		{1, -1, 1, 0}, {math.MaxFloat32, 2, -inf, -inf}} {
		got := FMA32(float32(c[0]), float32(c[1]), float32(c[2]))
		require.True(t, same(float64(got), c[3]), "%v: %v", c, got)
	}
	require.Equal(t, float32(inf), FMA32(math.MaxFloat32, 2, 0))
}

// farthest has the inputs with the largest errors of all inputs. The command kernels/internal/testkit/accuracy finds
// them.
var farthest = map[rowprog.Op]uint32{
	rowprog.OpRsqrt: 0x0080cab3, rowprog.OpExp: 0x40a8203f, rowprog.OpExpOrZero: 0xc26f9f86,
	rowprog.OpExpm1: 0x3eb5a8f0,
	rowprog.OpExp2:  0xbeff4464, rowprog.OpLog: 0x3fb3131f, rowprog.OpLog1p: 0x3ed5512b, rowprog.OpLog2: 0x3fb4db4f,
	rowprog.OpLog10: 0x3fa619ae, rowprog.OpTanh: 0x3c7e7676, rowprog.OpSigmoid: 0xc085088d, rowprog.OpErf: 0x3462dfc4,
	rowprog.OpSin: 0x6ff9be45, rowprog.OpCos: 0x53b146a6,
}

// TestFunction32 compares the float32 functions with float64 ones over all magnitudes, and at their worst inputs.
func TestFunction32(t *testing.T) {
	for _, op := range rowprog.Primitives() {
		f, exact := Function32(op), Function64(op)
		if f == nil {
			require.Nil(t, exact)
			continue
		}
		most, at := 0.0, float32(0)
		measure := func(x float32) {
			got, want := float64(f(x)), exact(float64(x))
			if op == rowprog.OpExpOrZero && x <= ExpLeast {
				want = 0 // of float64 only further down
			}
			rounded := float64(float32(want))
			if same(got, rounded) || got == rounded {
				return
			}
			ulp := math.Abs(float64(math.Nextafter32(float32(want), float32(inf))) - rounded)
			if off := math.Abs(got-want) / ulp; !(off <= most) {
				most, at = off, x
			}
		}
		for b := uint64(0); b < 1<<32; b += 65537 * 7 {
			measure(math.Float32frombits(uint32(b)))
		}
		measure(math.Float32frombits(farthest[op]))
		require.LessOrEqual(t, most, WorstULP(op), "%v of %v", op, at)
		t.Logf("%v: %.3f ulp at %v", op, most, at)
	}
}

// TestFunction64 compares the float64 functions with those of package math, which are within 1 ulp for normal numbers.
func TestFunction64(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for op, exact := range map[rowprog.Op]func(float64) float64{rowprog.OpExp: math.Exp,
		rowprog.OpExpOrZero: func(x float64) float64 { return math.Exp(math.Min(x, 0)) }, rowprog.OpExpm1: math.Expm1,
		rowprog.OpLog: math.Log, rowprog.OpLog1p: math.Log1p, rowprog.OpTanh: math.Tanh, rowprog.OpErf: math.Erf,
		rowprog.OpSin: math.Sin, rowprog.OpCos: math.Cos} {
		f := Function64(op)
		for i := range 20000 {
			x := math.Float64frombits(r.Uint64())
			if i%2 == 0 || op == rowprog.OpLog && x < 0x1p-1022 { // math.Log is wrong there
				x = math.Abs(r.NormFloat64()) * 10
			}
			switch got, want := f(x), exact(x); {
			case op == rowprog.OpExpOrZero && x <= ExpLeast64:
				require.Zero(t, got)
			case same(got, want):
			case op == rowprog.OpSin || op == rowprog.OpCos: // package math's have few digits near 0
				require.InDelta(t, want, got, 1e-15, "%v of %v", op, x)
			default:
				require.InEpsilon(t, want, got, 5*0x1p-52, "%v of %v", op, x)
			}
		}
	}
	for i := range 20000 {
		x, y := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
		if i%2 == 0 {
			x, y = r.NormFloat64(), r.NormFloat64()*30
		}
		if got, want := Atan2(x, y), math.Atan2(x, y); !same(got, want) && x/y != 0 {
			// where it is, math.Atan2 loses the sign
			require.InEpsilon(t, want, got, 5*0x1p-52, "atan2 of %v, %v", x, y)
		}
		if got, want := PowFloat(x, y), math.Pow(x, y); !same(got, want) && math.Abs(want) > 0x1p-1000 &&
			math.Abs(x) >= 0x1p-1022 {
			// math.Pow has lost 8 bits at times, and more below the normal numbers
			require.InEpsilon(t, want, got, 0x1p-44, "pow of %v, %v", x, y)
		}
	}
	for _, c := range [][3]float64{{0.5517932956096271, -88.52849975707186, 7.246798585758364e+22},
		{1.0000001, 1000000000.0, 2.6881038582144647e+43}, {1e-300, -1.02, 1.0000000000000122e+306},
		{5e-324, 0.5, 2.2227587494850775e-162}, {37.558179793068945, 33.57189725373227, 7.342076543068782e+52}} {
		require.InEpsilon(t, c[2], PowFloat(c[0], c[1]), 0x1p-52, "pow of %v, %v", c[0], c[1])
	}
	// Large angles, and angles close to a multiple of π/2, for which math.Cos gives fewer digits.
	require.InEpsilon(t, -4.68716592425462761112e-19, Cos64(6381956970095103*0x1p797), 1e-15)
	require.InEpsilon(t, -0.8522008497671888, Sin64(1e22), 1e-15)
	require.InEpsilon(t, 6.123233995736766e-17, Cos64(math.Pi/2), 1e-15)
	require.Equal(t, 1022.0, -Function64(rowprog.OpLog2)(0x1p-1022))
	require.Equal(t, -1074.0, Function64(rowprog.OpLog2)(0x1p-1074))
	x := 1 + 0x1p-40
	require.InEpsilon(t, 0x1p-40/math.Ln2, Function64(rowprog.OpLog2)(x), 1e-12)
	require.InEpsilon(t, -1074*math.Ln2, Function64(rowprog.OpLog)(0x1p-1074), 1e-15)
	require.InEpsilon(t, 1-1/(1+math.Exp(2)), Function64(rowprog.OpSigmoid)(2), 1e-15)
}

// TestWholeLogarithms checks powers whose logarithms are integers, to the bit, and the inverse: users round them down.
func TestWholeLogarithms(t *testing.T) {
	for n := -1074; n < 1024; n++ {
		power := math.Ldexp(1, n)
		require.Equal(t, float64(n), Log264(power))
		require.Equal(t, power, Exp264(float64(n)))
		if n >= -149 && n < 128 {
			require.Equal(t, float32(n), Log232(float32(power)))
			require.Equal(t, float32(power), Exp232(float32(n)))
		}
	}
	for n := -307; n < 309; n++ {
		power, err := strconv.ParseFloat(fmt.Sprintf("1e%d", n), 64)
		require.NoError(t, err)
		require.Equal(t, float64(n), Log1064(power))
		if n >= -37 && n < 39 {
			require.Equal(t, float32(n), Log1032(float32(power)))
		}
	}
}

func TestReductions(t *testing.T) {
	for _, c := range []struct {
		kind rowprog.Reduction
		typ  rowprog.Type
		want string
	}{
		{rowprog.Sum, rowprog.F32, "0"}, {rowprog.Prod, rowprog.F64, "1"}, {rowprog.Prod, rowprog.I32, "1"},
		{rowprog.Max, rowprog.F32, "-Inf"}, {rowprog.Max, rowprog.F64, "-Inf"},
		{rowprog.Max, rowprog.I32, "-2147483648"},
		{rowprog.Max, rowprog.I64, "-9223372036854775808"}, {rowprog.Max, rowprog.Bool, "false"},
		{rowprog.Min, rowprog.F32, "+Inf"}, {rowprog.Min, rowprog.F64, "+Inf"},
		{rowprog.Min, rowprog.I32, "2147483647"},
		{rowprog.Min, rowprog.I64, "9223372036854775807"}, {rowprog.Min, rowprog.Bool, "true"},
		{rowprog.ArgMax, rowprog.I64, "-1"},
	} {
		require.Equal(t, c.want, rowprog.Literal(c.typ, Identity(c.kind, c.typ)), "%v %v", c.kind, c.typ)
		if c.kind == rowprog.ArgMax {
			continue
		}
		for x := range uint64(2) { // the identity changes nothing
			require.Equal(t, x, Combine(c.kind, c.typ, Identity(c.kind, c.typ), x))
		}
	}
	require.Equal(t, Bits(float32(3)), Combine(rowprog.Sum, rowprog.F32, Bits(float32(1)), Bits(float32(2))))
	require.Equal(t, uint64(1), Combine(rowprog.Max, rowprog.Bool, 0, 1))
	require.Equal(t, uint64(0), Combine(rowprog.Min, rowprog.Bool, 0, 1))
}
