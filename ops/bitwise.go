package ops

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/shapeinfer/rules"
)

var opBitAnd, opBitOr, opBitXor, opBitNot *graph.Op

// bitwise is the entry of an operation on each bit of integers, and on truth values.
func bitwise(name, fn, doc string, p graph.Prim, arity int) *graph.Op {
	op := graph.Op{Name: name, Func: fn, Doc: doc, Class: graph.Elementwise, MinIn: arity, MaxIn: arity,
		Promote: ToCommonType, Emit: prim(p), Grad: noGradient}
	op.Infer = func(c *graph.Call) (graph.DType, graph.Shape) {
		t, s := sameType(c)
		if t.IsFloat() && !c.Failed() {
			rules.RefuseDType(c, `"`+name+`_cpu" not implemented for '`+t.TorchName()+`'`)
		}
		return t, s
	}
	return define(op)
}

func init() {
	opBitAnd = bitwise("bitwise_and", "BitAnd", "the and of each bit.", graph.PrimAnd, 2)
	opBitOr = bitwise("bitwise_or", "BitOr", "the or of each bit.", graph.PrimOr, 2)
	opBitXor = bitwise("bitwise_xor", "BitXor", "the exclusive or of each bit.", graph.PrimXor, 2)
	opBitNot = bitwise("bitwise_not", "BitNot", "each bit turned; of booleans: not.", graph.PrimNot, 1)
	opBitAnd.Identity, opBitOr.Identity, opBitXor.Identity = allBits, zero, zero
	opBitNot.Involution = true
	opBitAnd.Ref = named("numpy.bitwise_and", "torch.bitwise_and", "jax.numpy.bitwise_and, jax.lax.bitwise_and",
		"BitwiseAnd", "")
	opBitNot.Ref = named("numpy.bitwise_not, numpy.invert", "torch.bitwise_not",
		"jax.numpy.bitwise_not, jax.numpy.invert, jax.numpy.bitwise_invert, jax.lax.bitwise_not", "BitwiseNot", "")
	opBitOr.Ref = named("numpy.bitwise_or", "torch.bitwise_or", "jax.numpy.bitwise_or, jax.lax.bitwise_or",
		"BitwiseOr", "")
	opBitXor.Ref = named("numpy.bitwise_xor", "torch.bitwise_xor", "jax.numpy.bitwise_xor, jax.lax.bitwise_xor",
		"BitwiseXor", "")
}

// BitAnd returns the bitwise and of integers or booleans.
func BitAnd(x, y *graph.Node) *graph.Node { return Apply(opBitAnd, nil, x, y) }

// BitOr returns the bitwise or of integers or booleans.
func BitOr(x, y *graph.Node) *graph.Node { return Apply(opBitOr, nil, x, y) }

// BitXor returns the bitwise exclusive or of integers or booleans.
func BitXor(x, y *graph.Node) *graph.Node { return Apply(opBitXor, nil, x, y) }

// BitNot flips each bit of integers. For booleans it is [Not].
func BitNot(x *graph.Node) *graph.Node { return Apply(opBitNot, nil, x) }
