package rowprog

import (
	"errors"
	"fmt"
)

// Verify checks that the program obeys the rules of the package: types, domains, the order of sections and the use of
// operands. Programs from [Builder.Build] do.
func (p *Program) Verify() error {
	if p.Outer < 0 || p.Outer > MaxOuter || p.Stages < 1 {
		return fmt.Errorf("rowprog: %s: %d outer axes, %d stages", p.Name, p.Outer, p.Stages)
	}
	for i := range p.Operands {
		if err := checkOperand(&p.Operands[i], p.Outer); err != nil {
			return fmt.Errorf("rowprog: %s: operand %d: %w", p.Name, i, err)
		}
	}
	for i := range p.Insts {
		if err := p.checkInst(Value(i)); err != nil {
			return fmt.Errorf("rowprog: %s: v%d = %v: %w", p.Name, i, p.Insts[i].Op, err)
		}
	}
	return p.checkWrites()
}

func checkOperand(o *Operand, outer int) error {
	switch {
	case !stored.has(o.Type):
		return fmt.Errorf("type %v", o.Type)
	case o.Access > Acc || o.Domain < Uniform || o.Domain > Vec:
		return fmt.Errorf("access %v, domain %v", o.Access, o.Domain)
	case o.Domain == Uniform && o.Access != In:
		return fmt.Errorf("a uniform operand is written")
	case o.Reduced != 0 && o.Access != Acc:
		return fmt.Errorf("%v axes are reduced, which only acc axes can be", o.Access)
	case o.Step != 0 && (o.Step != 2 && o.Step != 4 || o.Access != In || o.Domain != Vec || !o.Type.MayHaveStep()):
		return fmt.Errorf("step %d of %v %v %v", o.Step, o.Type, o.Access, o.Domain)
	case o.Reduced>>outer != 0:
		return fmt.Errorf("reduced axes %v of %d", o.Reduced, outer)
	}
	return nil
}

// checkInst checks one instruction against those before it.
func (p *Program) checkInst(v Value) error {
	in := &p.Insts[v]
	if in.Op == OpInvalid || in.Op >= opCount {
		return errors.New("no such operation")
	}
	if err := p.checkPlace(v); err != nil {
		return err
	}
	var types [3]Type
	for i, x := range in.Args {
		if i >= in.Op.Arity() {
			if x != None {
				return fmt.Errorf("argument %d of %d", i+1, in.Op.Arity())
			}
			continue
		}
		if x < 0 || x >= v {
			return fmt.Errorf("v%d is not made before it", x)
		}
		if err := reachable(&p.Insts[x], in); err != nil {
			return fmt.Errorf("v%d %w", x, err)
		}
		if (in.Op.IsPrimitive() || in.Op == OpPick) && p.Insts[x].Domain > in.Domain {
			return fmt.Errorf("v%d is %v, the result %v", x, p.Insts[x].Domain, in.Domain)
		}
		types[i] = p.Insts[x].Type
	}
	return p.checkMeaning(in, types[:in.Op.Arity()])
}

// checkPlace checks the section of an instruction.
func (p *Program) checkPlace(v Value) error {
	in := &p.Insts[v]
	if in.Section < CallSection || in.Section > RowSection(p.Stages) {
		return fmt.Errorf("stands in %v", in.Section)
	}
	if v > 0 {
		before := &p.Insts[v-1]
		if before.Section > in.Section {
			return fmt.Errorf("%v after %v", in.Section, before.Section)
		}
		if before.Section == in.Section && before.Op.IsEffect() && !in.Op.IsEffect() {
			return errors.New("stands after an effect of its section")
		}
	}
	domain := in.Section.Domain()
	switch {
	case in.Op == OpReduce && (domain != Vec || in.Domain != Row),
		in.Op == OpConst && (domain != Uniform || in.Domain != Const),
		in.Op != OpReduce && in.Op != OpConst && in.Domain != domain,
		in.Op.IsEffect() && in.Section == CallSection:
		return fmt.Errorf("a %v result in %v", in.Domain, in.Section)
	}
	return nil
}

// checkMeaning checks an instruction's types and attributes.
func (p *Program) checkMeaning(in *Inst, types []Type) error {
	want := in.Type
	var err error
	switch in.Op {
	case OpConst:
		if !stored.has(in.Type) || in.Type == Bool && in.Bits > 1 || in.Bits>>(8*in.Type.Size()-1)>>1 != 0 {
			err = fmt.Errorf("bits %#x", in.Bits)
		}
	case OpLoad:
		var o *Operand
		if o, err = p.operand(in); err == nil {
			want = o.Type
			if !o.Access.Reads() || o.Domain != in.Domain {
				err = fmt.Errorf("operand %s is %v %v", o.Name, o.Access, o.Domain)
			}
		}
	case OpPick:
		var o *Operand
		if o, err = p.operand(in); err == nil {
			want, err = checkPick(o, p.Insts[in.Args[0]].Domain, in, p.Insts[in.Args[1]].Domain, types)
		}
	case OpIota:
		want = I64
		if in.Axis < 0 || in.Axis > p.Outer || (in.Axis == p.Outer) != (in.Domain == Vec) {
			err = fmt.Errorf("axis %d in %v", in.Axis, in.Section)
		}
	case OpReduce:
		want = in.Reduction.Result(types[0])
		if !in.Reduction.Accepts(types[0]) {
			err = fmt.Errorf("%v of %v", in.Reduction, types[0])
		}
	case OpStore, OpAccumulate:
		want = NoType
		var o *Operand
		if o, err = p.operand(in); err == nil {
			err = checkWrite(o, in, &p.Insts[in.Args[0]])
		}
	case OpGuard:
		want = NoType
		if types[0] != Bool {
			err = fmt.Errorf("of %v", types[0])
		}
	case OpConvert:
		if !convertible(types[0], in.Type) {
			err = fmt.Errorf("%v to %v", types[0], in.Type)
		}
	default:
		want, err = in.Op.resultType(types)
	}
	if err == nil && in.Type != want {
		err = fmt.Errorf("type %v, not %v", in.Type, want)
	}
	return err
}

// checkPick checks a pick of an operand, by an index and a limit of some domains and types, and returns the type of its
// result.
func checkPick(o *Operand, index Domain, in *Inst, limit Domain, types []Type) (Type, error) {
	want := I32
	if o.Domain == Vec || types[0] == I64 {
		want = I64
	}
	switch {
	case o.Access != In:
		return o.Type, fmt.Errorf("operand %s is %v %v", o.Name, o.Access, o.Domain)
	case !numbers.has(o.Type):
		return o.Type, fmt.Errorf("elements of %v", o.Type)
	case types[0] != want || types[1] != want:
		return o.Type, fmt.Errorf("by %v of %v from a %v operand", types[0], types[1], o.Domain)
	case o.Domain == Vec && index == Vec:
		return o.Type, fmt.Errorf("a %v index for a %v operand", index, o.Domain)
	case limit == Vec || o.Domain > in.Domain:
		return o.Type, fmt.Errorf("a %v limit and a %v operand for a %v result", limit, o.Domain, in.Domain)
	}
	return o.Type, nil
}

// convertible reports whether a value of one type can be converted to another.
func convertible(from, to Type) bool {
	return all.has(from) && all.has(to) ||
		stored.has(from) && stored.has(to) && from.Computed() == to.Computed() && (all.has(from) || all.has(to))
}

func (p *Program) operand(in *Inst) (*Operand, error) {
	if in.Operand < 0 || in.Operand >= len(p.Operands) {
		return nil, fmt.Errorf("operand %d of %d", in.Operand, len(p.Operands))
	}
	return &p.Operands[in.Operand], nil
}

// checkWrite checks a store or an accumulation of the value x.
func checkWrite(o *Operand, in, x *Inst) error {
	switch {
	case in.Op == OpStore && o.Access != Out && o.Access != InOut,
		in.Op == OpAccumulate && o.Access != Acc:
		return fmt.Errorf("the operand is %v", o.Access)
	case x.Type != o.Type:
		return fmt.Errorf("%v to an operand of %v", x.Type, o.Type)
	case x.Domain > o.Domain || o.Domain != in.Domain:
		return fmt.Errorf("a %v value to a %v operand", x.Domain, o.Domain)
	case in.Op == OpAccumulate && (in.Reduction.ofRowsOnly() || !in.Reduction.Accepts(x.Type)):
		return fmt.Errorf("%v of %v", in.Reduction, x.Type)
	}
	return nil
}

// checkWrites checks that written operands are written, accumulated ones once, and
// none twice in one section.
func (p *Program) checkWrites() error {
	last := make([]Section, len(p.Operands)) // no effect is in CallSection
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Op != OpStore && in.Op != OpAccumulate {
			continue
		}
		o := &p.Operands[in.Operand]
		if last[in.Operand] == in.Section || last[in.Operand] != 0 && o.Access == Acc {
			return fmt.Errorf("rowprog: %s: operand %d (%s) is written twice", p.Name, in.Operand, o.Name)
		}
		last[in.Operand] = in.Section
	}
	for i, o := range p.Operands {
		if o.Access.Writes() && last[i] == 0 {
			return fmt.Errorf("rowprog: %s: operand %d (%s) is never written", p.Name, i, o.Name)
		}
	}
	return nil
}
