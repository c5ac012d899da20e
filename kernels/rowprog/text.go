package rowprog

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String is the program as text: a line with its name and outer axes, a line for
// each operand and the instructions by section.
//
//	dot outer=1
//	  x: f32 in vec
//	  y: f32 out row
//	vec 0:
//	  v0:f32 = load x
//	  v1:f32 = mul v0 v0
//	  v2:f32 = reduce sum v1
//	row 1:
//	  store y v2
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s outer=%d\n", p.Name, p.Outer)
	for i := range p.Operands {
		o := &p.Operands[i]
		fmt.Fprintf(&b, "  %s: %v %v %v", o.Name, o.Type, o.Access, o.Domain)
		if o.Access == Acc {
			fmt.Fprintf(&b, " over %v", o.Reduced)
		}
		if o.Step != 0 {
			fmt.Fprintf(&b, " step %d", o.Step)
		}
		b.WriteByte('\n')
	}
	for s := CallSection; s < Section(p.Sections()); s++ {
		lo, hi := p.Span(s)
		if lo == hi {
			continue
		}
		fmt.Fprintf(&b, "%v:\n", s)
		for v := lo; v < hi; v++ {
			b.WriteString("  ")
			p.writeInst(&b, v, func(i int) string { return p.Operands[i].Name })
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// Key identifies the meaning of a program. Programs with equal keys can share compiled code, whatever their names. The
// code may be made for rows of p.Row elements.
func (p *Program) Key() string {
	key := make([]byte, 0, 16*(1+len(p.Operands)+len(p.Insts)))
	put := func(words ...int) {
		for _, w := range words {
			key = binary.AppendVarint(key, int64(w))
		}
	}
	put(p.Outer, p.Stages, p.Row, len(p.Operands))
	for i := range p.Operands {
		o := &p.Operands[i]
		put(int(o.Type), int(o.Access), int(o.Domain), int(o.Reduced), o.Step)
	}
	for i := range p.Insts {
		in := &p.Insts[i]
		put(int(in.Section), int(in.Op), int(in.Type), int(in.Bits), in.Operand, in.Axis, int(in.Reduction),
			int(in.Code))
		for _, x := range in.Uses() {
			put(int(x))
		}
	}
	return string(key)
}

// writeInst writes an instruction; operand returns the name of an operand.
func (p *Program) writeInst(b *strings.Builder, v Value, operand func(int) string) {
	in := &p.Insts[v]
	if !in.Op.IsEffect() {
		fmt.Fprintf(b, "v%d:%v = ", v, in.Type)
	}
	b.WriteString(in.Op.String())
	switch in.Op {
	case OpConst:
		b.WriteByte(' ')
		b.WriteString(Literal(in.Type, in.Bits))
	case OpIota:
		fmt.Fprintf(b, " %d", in.Axis)
	case OpLoad, OpPick, OpStore:
		fmt.Fprintf(b, " %s", operand(in.Operand))
	case OpReduce:
		fmt.Fprintf(b, " %v", in.Reduction)
	case OpAccumulate:
		fmt.Fprintf(b, " %v %s", in.Reduction, operand(in.Operand))
	case OpGuard:
		fmt.Fprintf(b, " %d", in.Code)
	}
	for _, x := range in.Uses() {
		fmt.Fprintf(b, " v%d", x)
	}
}

// Literal writes an element so that it differs from every other one of its type. A NaN is written with its bits, and so
// is a floating-point number of 8 or 16 bits.
func Literal(t Type, bits uint64) string {
	switch t {
	case Bool:
		return strconv.FormatBool(bits != 0)
	case U8, U16, U32, U64:
		return strconv.FormatUint(bits, 10)
	case I8:
		return strconv.FormatInt(int64(int8(bits)), 10)
	case I16:
		return strconv.FormatInt(int64(int16(bits)), 10)
	case I32:
		return strconv.FormatInt(int64(int32(bits)), 10)
	case I64:
		return strconv.FormatInt(int64(bits), 10)
	case F32:
		if f := math.Float32frombits(uint32(bits)); f == f {
			return strconv.FormatFloat(float64(f), 'g', -1, 32)
		}
	case F64:
		if f := math.Float64frombits(bits); f == f {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	default:
		return fmt.Sprintf("bits(%#x)", bits)
	}
	return fmt.Sprintf("nan(%#x)", bits)
}
