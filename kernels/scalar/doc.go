// Package scalar is the meaning of one element: every primitive of package rowprog
// in plain Go. It is what back ends must agree with bit for bit, what the portable
// interpreter uses where an operation is done once a row, and what constants are
// folded with.
//
// Elements travel as bits, zero-extended to 64: see [Bits] and [From].
package scalar
