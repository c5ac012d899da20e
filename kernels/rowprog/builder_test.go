package rowprog

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func softmax(name string) *Builder {
	b := NewBuilder(name, 1)
	x, y := b.In("x", F32, Vec), b.InOut("y", F32, Vec)
	m := b.Reduce(Max, b.Load(x))
	b.NextStage()
	e := b.Apply(OpExp, b.Apply(OpSub, b.Load(x), m))
	b.Store(y, e)
	sum := b.Reduce(Sum, e)
	b.NextStage()
	b.Store(y, b.Apply(OpMul, b.Load(y), b.Apply(OpRecip, sum)))
	return b
}

func TestText(t *testing.T) {
	p, err := softmax("softmax").Build()
	require.NoError(t, err)
	require.Equal(t, `softmax outer=1
  x: f32 in vec
  y: f32 inout vec
vec 0:
  v0:f32 = load x
  v1:f32 = reduce max v0
vec 1:
  v2:f32 = load x
  v3:f32 = sub v2 v1
  v4:f32 = exp v3
  v5:f32 = reduce sum v4
  store y v4
row 2:
  v7:f32 = recip v5
vec 2:
  v8:f32 = load y
  v9:f32 = mul v8 v7
  store y v9
`, p.String())
}

func TestTextOfEverythingElse(t *testing.T) {
	b := NewBuilder("rest", 2)
	x := b.Load(b.In("x", I64, Vec))
	n := b.Load(b.In("n", I64, Uniform))
	row := b.Load(b.In("r", F64, Row))
	inside := b.Apply(OpLt, b.Iota(2), n)
	b.Guard(inside, n, 7)
	q := b.Apply(OpSelect, inside, b.Apply(OpFloorDiv, x, b.Iota(0)), b.ConstInt(I64, -1))
	b.Accumulate(b.Acc("s", I64, Vec, Axes(0, 1)), Sum, q)
	at := b.Reduce(ArgMax, b.Convert(q, F32))
	b.NextStage()
	b.Store(b.Out("at", I64, Row), at)
	b.Accumulate(b.Acc("p", F64, Row, Axes(1)), Prod, b.Apply(OpFMA, row, row, b.Const(F64, math.Inf(1))))
	p, err := b.Build()
	require.NoError(t, err)
	require.Equal(t, `rest outer=2
  x: i64 in vec
  n: i64 in uniform
  r: f64 in row
  s: i64 acc vec over {0,1}
  at: i64 out row
  p: f64 acc row over {1}
call:
  v0:i64 = load n
  v1:i64 = const 0
  v2:i64 = const -1
  v3:f64 = const +Inf
row 0:
  v4:i64 = iota 0
  v5:bool = ne v4 v1
  v6:f64 = load r
  v7:f64 = fma v6 v6 v3
  guard -1 v5 v4
vec 0:
  v9:i64 = iota 2
  v10:bool = lt v9 v0
  v11:i64 = load x
  v12:i64 = floordiv v11 v4
  v13:i64 = select v10 v12 v2
  v14:f32 = convert v13
  v15:i64 = reduce argmax v14
  guard 7 v10 v0
  accumulate sum s v13
row 1:
  store at v15
  accumulate prod p v7
`, p.String())
}

func TestKey(t *testing.T) {
	key := func(b *Builder) string {
		p, err := b.Build()
		require.NoError(t, err)
		return p.Key()
	}
	scaled := func(operand string, dead bool, factor float64) *Builder {
		b := NewBuilder(operand, 0)
		x := b.Load(b.In(operand, F32, Vec))
		if dead {
			b.Apply(OpExp, x)
		}
		c := b.Const(F32, factor)
		b.Store(b.Out("y", F32, Vec), b.Apply(OpMul, x, c))
		return b
	}
	want := key(scaled("x", false, 2))
	require.Equal(t, want, key(scaled("other", false, 2)), "names do not matter")
	require.Equal(t, want, key(scaled("x", true, 2)), "unused instructions do not matter")
	require.NotEqual(t, want, key(scaled("x", false, 3)))
	require.NotEqual(t, key(scaled("x", false, 0)), key(scaled("x", false, math.Copysign(0, -1))))
	require.NotEqual(t, want, key(softmax("x")))
}

func TestEqualInstructionsAreMadeOnce(t *testing.T) {
	b := NewBuilder("cse", 0)
	x := b.In("x", F32, Vec)
	require.Equal(t, b.Load(x), b.Load(x))
	require.Equal(t, b.Const(F32, 1), b.Const(F32, 1))
	require.NotEqual(t, b.Const(F32, 0), b.Const(F64, 0))
	require.Equal(t, b.Apply(OpExp, b.Load(x)), b.Apply(OpExp, b.Load(x)))
	first := b.Load(x)
	b.NextStage()
	require.NotEqual(t, first, b.Load(x), "memory may have changed")
}

func TestIntegerDivisionIsGuarded(t *testing.T) {
	guards := func(op Op, typ Type, divisor func(b *Builder) Value) int {
		b := NewBuilder("div", 0)
		x := b.Load(b.In("x", typ, Vec))
		b.Store(b.Out("y", typ, Vec), b.Apply(op, x, divisor(b)))
		p, err := b.Build()
		require.NoError(t, err)
		n := 0
		for _, in := range p.Insts {
			if in.Op == OpGuard {
				require.Equal(t, DivideByZero, in.Code)
				n++
			}
		}
		return n
	}
	load := func(typ Type) func(b *Builder) Value {
		return func(b *Builder) Value { return b.Load(b.In("d", typ, Vec)) }
	}
	for _, op := range []Op{OpDiv, OpRem, OpFloorDiv} {
		require.Equal(t, 1, guards(op, I32, load(I32)))
		require.Equal(t, 1, guards(op, I64, func(b *Builder) Value { return b.ConstInt(I64, 0) }))
		require.Equal(t, 0, guards(op, I64, func(b *Builder) Value { return b.ConstInt(I64, 3) }))
		require.Equal(t, 0, guards(op, F32, load(F32)))
	}
}

func TestElementwise(t *testing.T) {
	for _, c := range []struct {
		want  bool
		build func(b *Builder, x Value)
	}{
		{true, func(b *Builder, x Value) { b.Guard(b.Apply(OpEq, x, x), x, 1) }},
		{false, func(b *Builder, x Value) { b.Store(b.Out("r", F32, Row), b.Const(F32, 1)) }},
		{false, func(b *Builder, x Value) { b.Accumulate(b.Acc("a", F32, Vec, 0), Sum, x) }},
		{false, func(b *Builder, x Value) { b.Store(b.Out("i", I64, Vec), b.Iota(1)) }},
	} {
		b := NewBuilder("e", 1)
		x := b.Load(b.In("x", F32, Vec))
		b.Store(b.Out("y", F32, Vec), x)
		c.build(b, x)
		p, err := b.Build()
		require.NoError(t, err)
		require.Equal(t, c.want, p.Elementwise(), p)
	}
	p, err := softmax("softmax").Build()
	require.NoError(t, err)
	require.False(t, p.Elementwise())
	require.False(t, p.ReducesOutermost())
}

func TestColumnwise(t *testing.T) {
	for over, want := range map[AxisSet]bool{Axes(0): false, Axes(1): false, Axes(0, 1): true} {
		b := NewBuilder("sum", 2)
		x := b.Load(b.In("x", F32, Vec))
		b.Store(b.Out("y", F32, Vec), b.Apply(OpNeg, x))
		b.Accumulate(b.Acc("s", F32, Vec, over), Sum, x)
		p, err := b.Build()
		require.NoError(t, err)
		require.Equal(t, want, p.Columnwise(), over)
		require.False(t, p.Elementwise())
	}
	b := NewBuilder("rows", 1)
	x := b.Load(b.In("x", F32, Vec))
	b.Accumulate(b.Acc("s", F32, Row, Axes(0)), Sum, b.Reduce(Sum, x))
	p, err := b.Build()
	require.NoError(t, err)
	require.False(t, p.Columnwise())
}

// A pick runs as soon as its operand and its index are known, and its program is elementwise.
func TestPick(t *testing.T) {
	b := NewBuilder("p", 1)
	table, row := b.In("table", F32, Uniform), b.In("row", F32, Row)
	limit := b.ConstInt(I32, 8)
	by := b.Load(b.In("i", I32, Vec))
	sum := b.Apply(OpAdd, b.Pick(table, by, limit), b.Pick(row, by, limit))
	sum = b.Apply(OpAdd, sum,
		b.Apply(OpMul, b.Pick(row, b.ConstInt(I32, 3), limit), b.Pick(table, b.ConstInt(I32, 5), limit)))
	b.Store(b.Out("y", F32, Vec), sum)
	p, err := b.Build()
	require.NoError(t, err)
	require.True(t, p.Elementwise())
	require.Equal(t, `p outer=1
  table: f32 in uniform
  row: f32 in row
  i: i32 in vec
  y: f32 out vec
call:
  v0:i32 = const 8
  v1:i32 = const 3
  v2:i32 = const 5
  v3:f32 = pick table v2 v0
row 0:
  v4:f32 = pick row v1 v0
  v5:f32 = mul v4 v3
vec 0:
  v6:i32 = load i
  v7:f32 = pick table v6 v0
  v8:f32 = pick row v6 v0
  v9:f32 = add v7 v8
  v10:f32 = add v9 v5
  store y v10
`, p.String())
}

// A row is picked by an index of 64 bits that is known before the row, in each stage again.
func TestPickRow(t *testing.T) {
	b := NewBuilder("p", 1)
	table, limit := b.In("table", F32, Vec), b.ConstInt(I64, 80)
	offset := b.Apply(OpMul, b.Load(b.In("i", I64, Row)), b.ConstInt(I64, 10))
	most := b.Reduce(Max, b.Pick(table, offset, limit))
	b.NextStage()
	b.Store(b.Out("y", F32, Vec), b.Apply(OpSub, b.Pick(table, offset, limit), most))
	p, err := b.Build()
	require.NoError(t, err)
	require.Equal(t, `p outer=1
  table: f32 in vec
  i: i64 in row
  y: f32 out vec
call:
  v0:i64 = const 10
  v1:i64 = const 80
row 0:
  v2:i64 = load i
  v3:i64 = mul v2 v0
vec 0:
  v4:f32 = pick table v3 v1
  v5:f32 = reduce max v4
vec 1:
  v6:f32 = pick table v3 v1
  v7:f32 = sub v6 v5
  store y v7
`, p.String())
}

// TestStoring expects a program with one more result, the loaded operand, and an unchanged original.
func TestStoring(t *testing.T) {
	b := NewBuilder("sum", 1)
	x, y := b.In("x", F32, Vec), b.In("y", F32, Vec)
	b.Load(x)
	b.Accumulate(b.Acc("s", F32, Vec, Axes(0)), Sum, b.Apply(OpMul, b.Load(x), b.Load(y)))
	p, err := b.Build()
	require.NoError(t, err)
	before := p.String()
	q := p.Storing(y)
	require.NoError(t, q.Verify())
	require.Equal(t, before, p.String())
	require.Equal(t, len(p.Insts)+1, len(q.Insts))
	last := q.Insts[len(q.Insts)-1]
	require.Equal(t, OpStore, last.Op)
	require.Equal(t, Out, q.Operands[last.Operand].Access)
	require.Equal(t, y, q.Insts[last.Args[0]].Operand)
}

func TestBuilderMistakes(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(b *Builder)
	}{
		{"17 outer axes", func(b *Builder) { *b = *NewBuilder("m", 17) }},
		{"add of [f32 i32]", func(b *Builder) { b.Apply(OpAdd, b.Const(F32, 1), b.Const(I32, 1)) }},
		{"exp of [i64]", func(b *Builder) { b.Apply(OpExp, b.Const(I64, 1)) }},
		{"add of [bool bool]", func(b *Builder) { b.Apply(OpAdd, b.Const(Bool, 1), b.Const(Bool, 1)) }},
		{"select by f32", func(b *Builder) { x := b.Const(F32, 1); b.Apply(OpSelect, x, x, x) }},
		{"add applied to 1 values", func(b *Builder) { b.Apply(OpAdd, b.Const(F32, 1)) }},
		{"load applied to 0 values", func(b *Builder) { b.Apply(OpLoad) }},
		{"no value 99", func(b *Builder) { b.Apply(OpNeg, 99) }},
		{"no operand 5", func(b *Builder) { b.Load(5) }},
		{"convert f32 to none", func(b *Builder) { b.Convert(b.Const(F32, 1), NoType) }},
		{"constant of type none", func(b *Builder) { b.Const(NoType, 1) }},
		{"integer constant of type f32", func(b *Builder) { b.ConstInt(F32, 1) }},
		{"iota of axis 2", func(b *Builder) { b.Iota(2) }},
		{"reduce sum of bool", func(b *Builder) { b.Reduce(Sum, b.Const(Bool, 1)) }},
		{"guard of none", func(b *Builder) { b.Guard(b.Const(Bool, 1), 0, 0); b.Guard(1, 1, 0) }},
		{"guard of f32", func(b *Builder) { x := b.Const(F32, 1); b.Guard(x, x, 0) }},
		{"operand u: a uniform operand is written", func(b *Builder) { b.Out("u", F32, Uniform) }},
		{"operand c: access in, domain const", func(b *Builder) { b.In("c", F32, Const) }},
		{"operand a: reduced axes {1} of 1", func(b *Builder) { b.Acc("a", F32, Vec, Axes(1)) }},
		{"operand n: type none", func(b *Builder) { b.In("n", NoType, Vec) }},
		{"store to x: the operand is in", func(b *Builder) { b.Store(b.In("x", F32, Vec), b.Const(F32, 1)) }},
		{"accumulate to y: the operand is out", func(b *Builder) {
			b.Accumulate(b.Out("y", F32, Vec), Sum, b.Const(F32, 1))
		}},
		{"store to y: i32 to an operand of f32", func(b *Builder) { b.Store(b.Out("y", F32, Vec), b.Const(I32, 1)) }},
		{"store to y: a vec value to a row operand", func(b *Builder) { b.Store(b.Out("y", I64, Row), b.Iota(1)) }},
		{"accumulate to y: argmax of i64", func(b *Builder) {
			b.Accumulate(b.Acc("y", I64, Vec, 0), ArgMax, b.Iota(1))
		}},
		{"load of x: the operand is out", func(b *Builder) { b.Load(b.Out("x", F32, Vec)) }},
		{"neg: v0 lives in vec 0 only and is used in vec 1", func(b *Builder) {
			x := b.Iota(1)
			b.NextStage()
			b.Apply(OpNeg, x)
		}},
		{"add: v1 is known from row 1 on and is used in vec 0", func(b *Builder) {
			x := b.Iota(1)
			b.Apply(OpAdd, x, b.Reduce(Max, x))
		}},
		{"pick: by i32 of i32 from a vec operand", func(b *Builder) {
			b.Pick(b.In("x", F32, Vec), b.ConstInt(I32, 3), b.ConstInt(I32, 8))
		}},
		{"pick: a vec index for a vec operand", func(b *Builder) {
			b.Pick(b.In("x", F32, Vec), b.Iota(1), b.ConstInt(I64, 8))
		}},
		{"pick: a vec limit and a vec operand for a vec result", func(b *Builder) {
			b.Pick(b.In("x", F32, Vec), b.Iota(0), b.Iota(1))
		}},
		{"pick: operand x is inout vec", func(b *Builder) {
			b.Pick(b.InOut("x", F32, Vec), b.Iota(0), b.ConstInt(I64, 8))
		}},
		{"pick: elements of bf16", func(b *Builder) {
			b.Pick(b.In("x", BF16, Row), b.Convert(b.Iota(1), I32), b.ConstInt(I32, 8))
		}},
		{"pick: by i64 of i32 from a row operand", func(b *Builder) {
			b.Pick(b.In("x", F32, Row), b.Iota(1), b.ConstInt(I32, 8))
		}},
		{"pick: by f32 of f32 from a row operand", func(b *Builder) {
			x := b.Const(F32, 1)
			b.Pick(b.In("x", F32, Row), x, x)
		}},
		{"pick: a vec limit and a row operand for a vec result", func(b *Builder) {
			i := b.Convert(b.Iota(1), I32)
			b.Pick(b.In("x", F32, Row), i, i)
		}},
		{"pick: operand x is inout row", func(b *Builder) {
			b.Pick(b.InOut("x", F32, Row), b.Convert(b.Iota(1), I32), b.ConstInt(I32, 8))
		}},
		{"operand 0 (y) is never written", func(b *Builder) { b.Out("y", F32, Vec) }},
		{"operand 0 (y) is written twice", func(b *Builder) {
			y := b.Out("y", F32, Vec)
			b.Store(y, b.Const(F32, 1))
			b.Store(y, b.Const(F32, 2))
		}},
		{"operand 0 (y) is written twice", func(b *Builder) {
			y := b.Acc("y", F32, Vec, 0)
			b.Accumulate(y, Sum, b.Const(F32, 1))
			b.NextStage()
			b.Accumulate(y, Sum, b.Const(F32, 1))
		}},
	} {
		b := NewBuilder("m", 1)
		c.build(b)
		if b.err != nil {
			b.Store(0, b.Apply(OpAdd, None, None)) // what follows from a mistake stays silent
		}
		p, err := b.Build()
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "rowprog: m: ")
		require.Nil(t, p)
	}
}
