package rowprog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVerify breaks a valid program in one place and expects an error.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(p *Program)
	}{
		{"0 stages", func(p *Program) { p.Stages = 0 }},
		{"operand 0: type none", func(p *Program) { p.Operands[0].Type = NoType }},
		{"in axes are reduced", func(p *Program) { p.Operands[0].Reduced = 1 }},
		{"step 3 of f32 in vec", func(p *Program) { p.Operands[0].Step = 3 }},
		{"step 2 of f32 inout vec", func(p *Program) { p.Operands[1].Step = 2 }},
		{"no such operation", func(p *Program) { p.Insts[0].Op = opCount }},
		{"stands in row 4", func(p *Program) { p.Insts[10].Section = RowSection(4) }},
		{"row 1 after vec 1", func(p *Program) { p.Insts[5].Section = RowSection(1); p.Insts[5].Domain = Row }},
		{"after an effect", func(p *Program) { p.Insts[5], p.Insts[6] = p.Insts[6], p.Insts[5] }},
		{"a row result in vec 0", func(p *Program) { p.Insts[0].Domain = Row }},
		{"a vec result in vec 0", func(p *Program) { p.Insts[1].Domain = Vec }},
		{"v9 is not made before it", func(p *Program) { p.Insts[3].Args[0] = 9 }},
		{"v-1 is not made before it", func(p *Program) { p.Insts[3].Args[1] = None }},
		{"argument 2 of 1", func(p *Program) { p.Insts[4].Args[1] = 2 }},
		{"lives in vec 0 only", func(p *Program) { p.Insts[3].Args[0] = 0 }},
		{"v6 is no value", func(p *Program) { p.Insts[9].Args[0] = 6 }},
		{"operand 3 of 2", func(p *Program) { p.Insts[0].Operand = 3 }},
		{"operand -1 of 2", func(p *Program) { p.Insts[6].Operand = -1 }},
		{"type f64, not f32", func(p *Program) { p.Insts[0].Type = F64 }},
		{"and of [f32 f32]", func(p *Program) { p.Insts[3].Op = OpAnd }},
		{"none of f32", func(p *Program) { p.Insts[1].Reduction = NoReduction }},
		{"the operand is in", func(p *Program) { p.Insts[6].Operand = 0 }},
	} {
		p, err := softmax("s").Build()
		require.NoError(t, err)
		require.NoError(t, p.Verify())
		c.spoil(p)
		require.ErrorContains(t, p.Verify(), c.want)
	}
}

// TestVerifyInstructions breaks single instructions that the softmax does not have.
func TestVerifyInstructions(t *testing.T) {
	for _, c := range []struct {
		want string
		in   Inst
	}{
		{"bits 0x2", Inst{Op: OpConst, Type: Bool, Bits: 2}},
		{"bits 0x100000000", Inst{Op: OpConst, Type: F32, Bits: 1 << 32}},
		{"bits 0x0", Inst{Op: OpConst}},
		{"axis 1 in row 0", Inst{Op: OpIota, Type: I64, Domain: Row, Section: RowSection(0), Axis: 1}},
		{"axis 0 in vec 0", Inst{Op: OpIota, Type: I64, Domain: Vec, Section: VecSection(0)}},
		{"type i32, not i64", Inst{Op: OpIota, Type: I32, Domain: Row, Section: RowSection(0)}},
		{"operand x is in vec", Inst{Op: OpLoad, Type: F32, Domain: Row, Section: RowSection(0)}},
		{"a uniform result in call", Inst{Op: OpGuard, Domain: Uniform}},
	} {
		for i := range c.in.Args {
			c.in.Args[i] = None
		}
		p := &Program{Name: "p", Outer: 1, Stages: 1, Insts: []Inst{c.in},
			Operands: []Operand{{Name: "x", Type: F32, Access: In, Domain: Vec}}}
		if c.in.Op == OpGuard {
			truth := Inst{Op: OpConst, Type: Bool, Args: c.in.Args}
			p.Insts = []Inst{truth, c.in}
			p.Insts[1].Args[0] = 0
		}
		require.ErrorContains(t, p.Verify(), c.want)
	}
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for op := OpInvalid; op < opCount; op++ {
		require.NotEmpty(t, op.String())
		require.False(t, seen[op.String()], op)
		seen[op.String()] = true
	}
	for _, op := range Primitives() {
		require.True(t, op.IsPrimitive())
		require.Positive(t, op.Arity())
		require.NotZero(t, ops[op].types)
	}
	require.Equal(t, "Op(200)", Op(200).String())
	require.Equal(t, "Type(99) Domain(9) Access(9) Reduction(9)",
		Type(99).String()+" "+Domain(9).String()+" "+Access(9).String()+" "+Reduction(9).String())
	require.Equal(t, "{}", Axes().String())
	require.Equal(t, "call row 2 vec 0", CallSection.String()+" "+RowSection(2).String()+" "+VecSection(0).String())
}

func TestLiteral(t *testing.T) {
	for _, c := range []struct {
		typ  Type
		bits uint64
		want string
	}{
		{Bool, 1, "true"}, {I32, 0xffffffff, "-1"}, {I64, 1 << 63, "-9223372036854775808"},
		{F32, 0x80000000, "-0"}, {F32, 1, "1e-45"}, {F64, 0x3fb999999999999a, "0.1"},
		{F32, 0x7fc00000, "nan(0x7fc00000)"}, {F64, 0x7ff0000000000000, "+Inf"},
		{U32, 0, "0"}, {U8, 200, "200"}, {I8, 0xff, "-1"}, {I16, 0x8000, "-32768"}, {F16, 0x3c00, "bits(0x3c00)"},
	} {
		require.Equal(t, c.want, Literal(c.typ, c.bits))
	}
}
