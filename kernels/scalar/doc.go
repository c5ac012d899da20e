// Package scalar is the meaning of one element: every primitive of package rowprog
// in plain Go. It is what back ends must agree with bit for bit, what the portable
// interpreter uses where an operation is done once a row, and what constants are
// folded with.
//
// Elements travel as bits, zero-extended to 64: see [Bits] and [From].
//
// bits.go is elements as bits. apply.go applies a primitive: integer.go and float.go have the
// plain ones, convert.go conversions, transcendental.go lists the functions. exp32.go and
// exp64.go, log32.go and log64.go, trig32.go and trig64.go, pow.go and atan.go compute them.
// reduce.go has what reductions combine with.
package scalar
