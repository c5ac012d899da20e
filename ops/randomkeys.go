package ops

import (
	"fmt"

	"github.com/broadloom/broadloom/graph"
)

// The salts of what is derived from keys. Their low halves are not 0, so that no stream of [Uniform],
// which begins at a multiple of 2^32 from its seed, is one of them.
const (
	splitSalt = 0x5851f42d4c957f2d
	foldSalt  = 0x14057b7ef767814f
)

// maxKeys bounds the nodes of one split.
const maxKeys = 1024

// derivedKey is the random number at a place of a stream of keys.
func derivedKey(key, place node, salt int64) node {
	return Apply(opRandomBits, nil, place, Add(key, num64(salt)))
}

// SplitKey returns n keys derived from a key, a seed as for [Uniform]. Numbers drawn with one of them are independent
// of those drawn with another, and of those of keys split from it. Keys are 64-bit numbers mixed from the key and
// their index; two are equal with probability 2^-64. Do not also draw with a key that was split. It is like
// jax.random.split.
func SplitKey(key *graph.Node, n int) []*graph.Node {
	defer building("SplitKey", key, n)()
	if bad := refusedKey(refused("SplitKey", key).with(n), key); bad != nil {
		return []*graph.Node{bad}
	}
	if n < 1 || n > maxKeys {
		return []*graph.Node{refusal(refused("SplitKey", key).with(n), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("a key can be split into 1 to %d keys, not into %d", maxKeys, n),
			Help:    []string{"use FoldIn for numbered keys, such as those of steps"}})}
	}
	keys := make([]*graph.Node, n)
	for i := range keys {
		keys[i] = derivedKey(key, num64(int64(i)), splitSalt)
	}
	return keys
}

// FoldIn returns a key derived from a key and an integer scalar, such as the number of a step or of a layer.
// Different integers give independent keys; see [SplitKey].
func FoldIn(key, data *graph.Node) *graph.Node {
	defer building("FoldIn", key, data)()
	if bad := refusedKey(refused("FoldIn", key, data), key); bad != nil {
		return bad
	}
	if data != nil && data.Judged() && (!data.DType().IsIndex() || data.Rank() != 0) {
		return refusal(refused("FoldIn", key, data), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("FoldIn needs an integer scalar, but %s is %s%s", data.Called(), data.DType(),
				data.Shape())})
	}
	if data != nil && data.Judged() {
		data = key.Graph().Convert(data, graph.Int64)
	}
	return derivedKey(key, data, foldSalt)
}

// refusedKey refuses what is no key; nil where it is one.
func refusedKey(call refusedCall, key node) node {
	switch {
	case key == nil || !key.Judged():
		return refusal(call, nil)
	case key.Graph() == nil || key.DType() != graph.Int64 || key.Rank() != 0:
		return refusal(call, &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("a key must be an Int64 scalar of the graph, but %s is %s%s", key.Called(),
				key.DType(), key.Shape())})
	}
	return nil
}

func init() {
	composed("SplitKey", "keys of independent streams, made of one.",
		named("", "", "jax.random.split", "", "",
			func(e *graph.Example) node { return e.Several(SplitKey(e.As(graph.Int64, "key"), 2)...) }))
	composed("FoldIn", "a key of an independent stream, made of a key and a number.",
		named("", "", "jax.random.fold_in", "", "",
			func(e *graph.Example) node { return FoldIn(e.As(graph.Int64, "key"), e.As(graph.Int64, "step")) }))
}
