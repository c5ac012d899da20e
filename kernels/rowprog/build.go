package rowprog

import (
	"fmt"
	"slices"
)

// section is where an instruction of the domain runs if it is not tied to operands.
func (b *Builder) section(d Domain) Section {
	switch d {
	case Vec:
		return VecSection(b.stage)
	case Row:
		return RowSection(b.stage)
	}
	return CallSection
}

// available is the first section in which a value can be used.
func (b *Builder) available(x Value) Section { return b.insts[x].available() }

// available is the first section in which the instruction's result can be used.
func (in *Inst) available() Section {
	if in.Op == OpReduce {
		return in.Section + 1
	}
	return in.Section
}

// resultOf finds the type of a primitive's result.
func (b *Builder) resultOf(op Op, x []Value) (Type, error) {
	var types [3]Type
	for i, v := range x {
		if b.bad(v) {
			return NoType, b.err
		}
		types[i] = b.insts[v].Type
	}
	return op.resultType(types[:len(x)])
}

// resultType checks a primitive's operand types and returns the type of its result, except for OpConvert, whose result
// type is given.
func (o Op) resultType(types []Type) (Type, error) {
	info := ops[o]
	own := types
	if info.result == chosen {
		if types[0] != Bool {
			return NoType, fmt.Errorf("%v by %v", o, types[0])
		}
		own = types[1:]
	}
	for _, t := range own {
		if t != own[0] || !info.types.has(t) {
			return NoType, fmt.Errorf("%v of %v", o, types)
		}
	}
	if info.result == truth {
		return Bool, nil
	}
	return own[0], nil
}

// primitive places an instruction in the first section in which all its operands are available, and not before the
// section that it is in.
func (b *Builder) primitive(in Inst, x ...Value) Value {
	in.Domain = max(in.Domain, Uniform)
	for _, v := range x {
		if b.bad(v) {
			return None
		}
		in.Domain = max(in.Domain, b.insts[v].Domain)
		in.Section = max(in.Section, b.available(v))
	}
	if in.Domain == Vec {
		in.Section = b.section(Vec)
	}
	return b.pure(in, x...)
}

// pure adds an instruction without side effects unless there is an equal one.
func (b *Builder) pure(in Inst, x ...Value) Value {
	if b.err != nil {
		return None
	}
	in.Args = args(x)
	if v, ok := b.known[in]; ok {
		return v
	}
	v := b.add(in, x...)
	if v != None {
		b.known[in] = v
	}
	return v
}

// add appends an instruction after checking that its operands are available.
func (b *Builder) add(in Inst, x ...Value) Value {
	if b.err != nil {
		return None
	}
	in.Args = args(x)
	for _, v := range x {
		if err := reachable(&b.insts[v], &in); err != nil {
			return b.fail("%v: v%d %w", in.Op, v, err)
		}
	}
	b.insts = append(b.insts, in)
	return Value(len(b.insts) - 1)
}

// reachable checks that use can use the result of def.
func reachable(def, use *Inst) error {
	switch {
	case def.Op.IsEffect():
		return fmt.Errorf("is no value")
	case def.Domain == Vec && def.Section != use.Section:
		return fmt.Errorf("lives in %v only and is used in %v", def.Section, use.Section)
	case def.available() > use.Section:
		return fmt.Errorf("is known from %v on and is used in %v", def.available(), use.Section)
	}
	return nil
}

// write adds a store or an accumulation.
func (b *Builder) write(in Inst, x Value) {
	o := b.operand(in.Operand)
	if o == nil || b.bad(x) {
		return
	}
	in.Domain = o.Domain
	in.Section = b.section(o.Domain)
	if o.Domain == Row {
		in.Section = max(in.Section, b.available(x))
	}
	if err := checkWrite(o, &in, &b.insts[x]); err != nil {
		b.fail("%v to %s: %w", in.Op, o.Name, err)
		return
	}
	b.add(in, x)
}

// guardDivisor guards an integer divisor, unless it is a constant other than zero.
func (b *Builder) guardDivisor(y Value, t Type) {
	if b.bad(y) {
		return
	}
	if d := &b.insts[y]; d.Op == OpConst && d.Bits != 0 {
		return
	}
	code := DivideByZero
	if b.divisor != nil {
		code = b.divisor()
	}
	b.Guard(b.Apply(OpNe, y, b.ConstInt(t, 0)), y, code)
}

func args(x []Value) [3]Value {
	a := [3]Value{None, None, None}
	copy(a[:], x)
	return a
}

// Build finishes the program. It drops instructions that no effect needs, puts the others in an order that depends only
// on the effects, and verifies the result. Afterwards the builder can only be used with [Builder.Reset].
func (b *Builder) Build() (*Program, error) {
	if b.err != nil {
		return nil, b.err
	}
	p := &Program{Name: b.name, Outer: b.outer, Stages: b.stage + 1, Operands: b.operands}
	order := b.order()
	p.Insts = make([]Inst, 0, len(order))
	number := make([]Value, len(b.insts))
	for s := CallSection; s <= RowSection(p.Stages); s++ {
		for _, effects := range []bool{false, true} {
			for _, v := range order {
				in := b.insts[v]
				if in.Section != s || in.Op.IsEffect() != effects {
					continue
				}
				for i := range in.Uses() {
					in.Args[i] = number[in.Args[i]]
				}
				number[v] = Value(len(p.Insts))
				p.Insts = append(p.Insts, in)
			}
		}
	}
	isOfRow := func(in Inst) bool { return in.Domain == Row }
	if b.row <= MostShort && p.Reduces() || b.row <= MostShortElementwise && slices.ContainsFunc(p.Insts, isOfRow) {
		p.Row = b.row
	}
	p.index()
	if err := p.Verify(); err != nil {
		return nil, err
	}
	return p, nil
}

// order lists the instructions that the effects need, operands first.
func (b *Builder) order() []Value {
	order := make([]Value, 0, len(b.insts))
	seen := make([]bool, len(b.insts))
	var visit func(v Value)
	visit = func(v Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		for _, u := range b.insts[v].Uses() {
			visit(u)
		}
		order = append(order, v)
	}
	for v := range b.insts {
		if b.insts[v].Op.IsEffect() {
			visit(Value(v))
		}
	}
	return order
}
