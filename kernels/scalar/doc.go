// Package scalar defines the meaning of one element: every primitive of package rowprog in plain Go. Back ends must
// agree with it bit for bit. The portable interpreter uses it for operations that run once per row, and constants are
// folded with it.
//
// Elements are passed as bits, zero-extended to 64: see [Bits] and [From].
//
// bits.go converts elements to bits. apply.go applies a primitive: integer.go and float.go have the simple ones,
// convert.go has conversions, and transcendental.go lists the functions. exp32.go and exp64.go, log32.go and log64.go,
// trig32.go and trig64.go, pow.go and atan.go compute them. reduce.go has the steps and the identities of reductions.
package scalar
