package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// An AttentionOption changes [ScaledDotProductAttention].
type AttentionOption func(*attention)

// attention is what the options say.
type attention struct {
	mask    node
	causal  bool
	start   node     // where queries begin among the keys; nil for 0
	window  int      // keys that a query sees, itself included; 0 for all
	scale   *float64 // nil for the usual one
	grouped bool
	dropout float64
	seed    node
}

// AttentionMask says which keys a query sees. A Bool mask is true for these; a mask of the operands' dtype is added
// to the scores. It broadcasts to [batch…, queries, keys].
func AttentionMask(mask *graph.Node) AttentionOption {
	return func(a *attention) { a.mask = mask }
}

// Causal lets query i see only keys 0 to i. It can be combined with [AttentionMask].
func Causal() AttentionOption { return CausalFrom(nil) }

// CausalFrom lets query i see only keys 0 to start + i, for use with a cache of earlier keys and values. start is an
// Int64 scalar: fed, a number or a size.
func CausalFrom(start *graph.Node) AttentionOption {
	return func(a *attention) { a.causal, a.start = true, start }
}

// SlidingWindow lets each query of causal attention see only the given number of latest keys, including its own.
func SlidingWindow(keys int) AttentionOption {
	return func(a *attention) { a.window = keys }
}

// AttentionScale sets the factor of the scores. The default is 1/sqrt(width).
func AttentionScale(x float64) AttentionOption {
	return func(a *attention) { a.scale = &x }
}

// GroupedQuery lets several query heads share a head of keys and values. The size of axis -3 of q is a multiple of
// that of k and v; neighbouring query heads share one.
func GroupedQuery() AttentionOption { return func(a *attention) { a.grouped = true } }

// AttentionDropout drops weights with probability p, as [Dropout] does.
func AttentionDropout(p float64, seed *graph.Node) AttentionOption {
	return func(a *attention) { a.dropout, a.seed = p, seed }
}

// ScaledDotProductAttention returns softmax(q·kᵀ·scale)·v, [batch…, queries, width of v], for q [batch…, queries,
// width], k [batch…, keys, width] and v [batch…, keys, width of v]. The batch axes broadcast, and all have one
// floating-point dtype. Options say which keys a query sees; for one that sees none the result is 0, with no
// gradient, as in PyTorch. Large score matrices, [queries, keys], are never in memory as a whole: they are computed
// in blocks of queries. Keys that are hidden by their positions alone are not computed.
func ScaledDotProductAttention(q, k, v *graph.Node, options ...AttentionOption) *graph.Node {
	defer building("ScaledDotProductAttention", q, k, v)()
	a := attentionOf(options)
	defer lowering(&q, &k, &v, &a.mask)()
	if bad := a.refused("ScaledDotProductAttention", q, k, v); bad != nil {
		return bad
	}
	heads := q.Shape()
	if a.grouped {
		q, k, v, a.mask = a.group(q, k, v)
	}
	return a.ungroup(MatMul(a.weights(q, k), v), heads)
}

func attentionOf(options []AttentionOption) (a attention) {
	for _, o := range options {
		if o != nil {
			o(&a)
		}
	}
	return a
}

// weights are those with which values are added up.
func (a *attention) weights(q, k node) node {
	scores := Mul(MatMul(q, Transpose(k, -1, -2)), a.factor(q))
	softmax := opSoftmax
	if a.mask != nil || a.start != nil || a.window > 0 {
		softmax = opSafeSoftmax // a query that sees no key has weights of 0
	}
	weights := Apply(softmax, SoftmaxAttrs{-1}, a.masked(scores))
	if a.dropout != 0 {
		weights = Dropout(weights, a.dropout, a.seed)
	}
	return weights
}

// AttentionWeights returns the weights of [ScaledDotProductAttention], [batch…, queries, keys]. The options are the
// same. With [AttentionDropout], each call drops different weights: to show the weights of a product, compute that
// product as MatMul(weights, v).
func AttentionWeights(q, k *graph.Node, options ...AttentionOption) *graph.Node {
	defer building("AttentionWeights", q, k)()
	a := attentionOf(options)
	defer lowering(&q, &k, &a.mask)()
	if bad := a.refused("AttentionWeights", q, k); bad != nil {
		return bad
	}
	heads := q.Shape()
	if a.grouped {
		q, k, _, a.mask = a.group(q, k, k)
	}
	return a.ungroup(a.weights(q, k), heads)
}

// refused returns the refusal of options and operands (queries, keys and perhaps values) that do not fit together; nil
// if they do.
func (a *attention) refused(fn string, in ...node) node {
	for _, x := range in {
		if x == nil || !x.Judged() {
			bad := in[0]
			for _, y := range in[1:] {
				bad = MatMul(bad, y) // its own mistake
			}
			return bad
		}
	}
	if a.mask != nil && !a.mask.Judged() {
		return Add(in[0], a.mask)
	}
	if m := a.mistake(in[0], in[1], in[len(in)-1]); m != nil {
		return refusal(refused(fn, in...), m)
	}
	return nil
}

// mistake says what the options and operands do not go together for.
func (a *attention) mistake(q, k, v node) *graph.Mistake {
	operand := func(code graph.Code, format string, args ...any) *graph.Mistake {
		return &graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...)}
	}
	least := 2
	if a.grouped {
		least = 3
	}
	for _, x := range []node{q, k, v} {
		switch {
		case !x.DType().IsFloat():
			m := operand(graph.CodeDType, "attention needs floating-point numbers, but %s has dtype %s", x.Called(),
				x.DType())
			m.Casts = oneFloat(q, k, v)
			return m
		case x.DType() != q.DType():
			m := operand(graph.CodeDType,
				"Expected query, key, and value to have the same dtype, but %s has dtype %s and %s has %s", q.Called(),
				q.DType(), x.Called(), x.DType())
			m.Casts = oneFloat(q, k, v)
			return m
		case x.Rank() < least:
			return operand(graph.CodeRank, "attention needs at least %d axes, but %s has shape %s", least, x.Called(),
				x.Shape())
		}
	}
	switch {
	case a.mask != nil && a.mask.DType() != graph.Bool && a.mask.DType() != q.DType():
		m := operand(graph.CodeDType, "Expected attn_mask dtype to be bool or %s, but got %s", q.DType(),
			a.mask.DType())
		if m.Casts = cast(a.mask, q.DType()); !a.mask.DType().IsFloat() {
			m.Casts = cast(a.mask, graph.Bool)
		}
		return m
	case a.window < 0 || a.window > 0 && !a.causal:
		return operand(graph.CodeOperand,
			"a sliding window of %d keys: it needs at least one key, and the option Causal", a.window)
	case a.start != nil && a.start.Judged() && (a.start.Rank() != 0 || !a.start.DType().IsIndex()):
		return operand(graph.CodeOperand, "the start of the queries must be an Int64 scalar, but %s is %s%s",
			a.start.Called(), a.start.DType(), a.start.Shape())
	}
	if !(a.dropout >= 0 && a.dropout <= 1) { // NaN too
		return operand(graph.CodeOperand, "dropout probability has to be between 0 and 1, but got %v", a.dropout)
	}
	if a.dropout > 0 && a.seed == nil {
		return noSeed(fmt.Sprintf("the seed of AttentionDropout(%v, seed) is nil", a.dropout))
	}
	if a.grouped {
		heads, shared := q.Shape()[q.Rank()-3], k.Shape()[k.Rank()-3]
		if _, whole := heads.ExactDiv(shared); !whole && heads.IsConst() && shared.IsConst() || shared == 0 {
			return operand(graph.CodeOperand, "%s has %s heads, which is not a multiple of the %s of %s", q.Called(),
				heads, shared, k.Called())
		}
		return nil
	}
	return sharedHeads(q, k)
}

// sharedHeads is the mistake of queries with some times as many heads as keys, axis -3 of a batch, which nothing says
// to share.
func sharedHeads(q, k node) *graph.Mistake {
	if q.Rank() < 4 || k.Rank() != q.Rank() {
		return nil
	}
	heads, isKnown := q.Shape()[q.Rank()-3].Int()
	shared, areKnown := k.Shape()[k.Rank()-3].Int()
	if !isKnown || !areKnown || shared < 2 || heads <= shared || heads%shared != 0 {
		return nil
	}
	return &graph.Mistake{Code: graph.CodeOperand,
		Summary: fmt.Sprintf("%s has %d heads, and %s has %d", q.Called(), heads, k.Called(), shared),
		Help: []string{
			fmt.Sprintf("use the option GroupedQuery() to share each head of keys and values among %d heads of queries",
				heads/shared)}}
}

// factor is what scores are multiplied by.
func (a *attention) factor(q node) node {
	if a.scale != nil {
		return num(*a.scale)
	}
	width := q.Shape()[q.Rank()-1]
	if n, known := width.Int(); known {
		return num(1 / math.Sqrt(float64(n)))
	}
	return Rsqrt(Size(q.Graph(), q.DType(), width))
}

// group gives heads of queries that share heads of keys an axis of their own.
func (a *attention) group(q, k, v node) (_, _, _, mask node) {
	split := func(x node, heads graph.Dim) node {
		n := x.Rank()
		shape := append(append(graph.Shape{}, x.Shape()[:n-3]...), k.Shape()[k.Rank()-3], heads, x.Shape()[n-2],
			x.Shape()[n-1])
		return Reshape(x, shape...)
	}
	each := q.Shape()[q.Rank()-3].DividedBy(k.Shape()[k.Rank()-3])
	switch mask = a.mask; {
	case mask == nil || mask.Rank() < 3:
	case mask.Shape()[mask.Rank()-3] == 1:
		mask = Unsqueeze(mask, -3)
	default:
		mask = split(mask, each)
	}
	return split(q, each), Unsqueeze(k, -3), Unsqueeze(v, -3), mask
}

// ungroup gives a result of grouped operands, [..., shared, each, queries, m], the axes of queries of a shape, [...,
// queries, m].
func (a *attention) ungroup(y node, heads graph.Shape) node {
	if !a.grouped || !y.Judged() {
		return y
	}
	return Reshape(y, append(append(graph.Shape{}, heads[:len(heads)-1]...), y.Shape()[y.Rank()-1])...)
}

// masked hides scores [batch…, queries, keys].
func (a *attention) masked(scores node) node {
	least := num(math.Inf(-1))
	switch {
	case a.mask != nil && a.mask.DType() == graph.Bool:
		scores = MaskedFill(scores, Not(a.mask), least)
	case a.mask != nil:
		scores = Add(scores, a.mask)
	}
	if !a.causal || !scores.Judged() {
		return scores
	}
	n := scores.Rank()
	matrix := scores.Shape()[n-2:]
	query, key := Iota(scores.Graph(), 0, matrix...), Iota(scores.Graph(), 1, matrix...)
	if a.start != nil {
		query = Add(query, a.start)
	}
	hidden := Greater(key, query)
	if a.window > 0 {
		hidden = Or(hidden, LessEqual(key, Sub(query, num64(int64(a.window)))))
	}
	return MaskedFill(scores, hidden, least)
}

func init() {
	composed("AttentionWeights", "softmax(q @ transpose(k) / sqrt(d)).",
		named("", "", "", "", "",
			func(e *graph.Example) node {
				return AttentionWeights(e.Of("q", "n", "h", "t", "d"), e.Of("k", "n", "h", "s", "d"))
			}))
	composed("ScaledDotProductAttention", "softmax(q @ transpose(k) / sqrt(d)) @ v.",
		named("", "torch.nn.functional.scaled_dot_product_attention", "jax.nn.dot_product_attention", "Attention", "",
			func(e *graph.Example) node {
				return ScaledDotProductAttention(e.Of("q", "n", "h", "t", "d"), e.Of("k", "n", "h", "s", "d"),
					e.Of("v", "n", "h", "s", "d"))
			}))
}
