package rowprog

import (
	"fmt"
	"math/bits"
	"strings"
)

// MaxOuter is the greatest number of outer axes of a program.
const MaxOuter = 16

// Domain says how often a value is computed or an operand is accessed. A wider domain compares greater.
type Domain uint8

// The domains.
const (
	Const   Domain = iota // known when the program is built; of values only
	Uniform               // once a call
	Row                   // once for each outer index
	Vec                   // for each element of a row
)

var domains = [...]string{"const", "uniform", "row", "vec"}

// String names the domain in lower case.
func (d Domain) String() string {
	if int(d) >= len(domains) {
		return fmt.Sprintf("Domain(%d)", uint8(d))
	}
	return domains[d]
}

// Access says what a program does with an operand.
type Access uint8

// The ways of access.
const (
	In    Access = iota // loaded
	Out                 // stored; its old elements do not matter
	InOut               // loaded and stored
	Acc                 // accumulated into, over the operand's reduced axes
)

var accesses = [...]string{"in", "out", "inout", "acc"}

// String names the access in lower case.
func (a Access) String() string {
	if int(a) >= len(accesses) {
		return fmt.Sprintf("Access(%d)", uint8(a))
	}
	return accesses[a]
}

// Reads reports whether the operand may be loaded.
func (a Access) Reads() bool { return a == In || a == InOut }

// Writes reports whether the operand's memory is changed.
func (a Access) Writes() bool { return a != In }

// AxisSet is a set of outer axes, one bit each.
type AxisSet uint32

// Axes makes a set of outer axes.
func Axes(axes ...int) AxisSet {
	var s AxisSet
	for _, a := range axes {
		s |= 1 << a
	}
	return s
}

// Has reports whether the axis is in the set.
func (s AxisSet) Has(axis int) bool { return s>>axis&1 != 0 }

// String lists the axes, such as "{0,2}".
func (s AxisSet) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for rest := s; rest != 0; rest &= rest - 1 {
		if rest != s {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, bits.TrailingZeros32(uint32(rest)))
	}
	b.WriteByte('}')
	return b.String()
}

// Operand is what a program knows about an array in memory.
type Operand struct {
	Name   string // for program text
	Type   Type
	Access Access

	// Domain is Vec for an operand with an element for each element of a row, at any inner stride; Row for one with one
	// element per row, at inner stride 0; and Uniform for a single element, which can only be loaded.
	Domain Domain

	// Step, if it is not 0, is the inner stride of all calls of the program: 2 or 4, of an In operand of a type that
	// [Type.MayHaveStep], with the domain Vec. Code can then load elements where they are.
	Step int

	// Reduced is the set of outer axes over which an Acc operand accumulates. Its
	// strides are 0 there.
	Reduced AxisSet
}
