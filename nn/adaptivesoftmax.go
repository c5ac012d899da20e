package nn

import (
	"fmt"
	"math"
	"strconv"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// AdaptiveLogSoftmax computes log-probabilities of many classes. Rare classes are in clusters with fewer parameters
// per class. Source: Grave, Joulin, Cissé, Grangier and Jégou, Efficient softmax approximation for GPUs, 2017.
type AdaptiveLogSoftmax struct {
	declared
	Head    *Linear      // scores of the frequent classes, and of each cluster
	Tail    [][2]*Linear // for each cluster: a projection to fewer features, and scores of its classes
	in      graph.Dim
	cutoffs []int // where each cluster begins, and the number of classes
}

// DivValue sets the factor by which the number of features decreases from one cluster of an [AdaptiveLogSoftmax] to
// the next. The default is 4. It is PyTorch's div_value.
func DivValue(v float64) Option { return Option{"DivValue", func(s *settings) { s.divValue = v }} }

// HeadBias adds a bias to the scores of frequent classes and of clusters: PyTorch's head_bias.
func HeadBias() Option { return Option{"HeadBias", func(s *settings) { s.headBias = true }} }

// NewAdaptiveLogSoftmax declares an adaptive softmax over classes from 0, the most frequent, to classes - 1. Clusters
// start at the ascending cutoffs. The parameters are name.head.weight, [cutoffs[0] + clusters, in], and for cluster i
// name.tail.i.0.weight, [in/divValue^(i+1), in], and name.tail.i.1.weight. Their initial values are those of
// [NewLinear]. Options are [DivValue], [HeadBias], [WeightInit], [BiasInit] and [DType]. It is PyTorch's
// AdaptiveLogSoftmaxWithLoss.
func NewAdaptiveLogSoftmax(g *graph.Graph, name string, in, classes int, cutoffs []int,
	opts ...Option) *AdaptiveLogSoftmax {
	l := &AdaptiveLogSoftmax{in: graph.Dim(in), cutoffs: append(cutoffs[:len(cutoffs):len(cutoffs)], classes)}
	l.declared = declare(g, "AdaptiveLogSoftmax", name, append([]Option{DivValue(4)}, opts...),
		"DivValue HeadBias WeightInit BiasInit DType", func(s *settings) {
			if trouble := wrongClusters(in, cutoffs, classes, s.divValue); trouble != "" {
				s.layer.refuse(trouble)
				return
			}
			common := []Option{NoBias(), WeightInit(s.weight), DType(s.dtype)}
			head := common
			if s.headBias {
				head = append([]Option{BiasInit(s.bias)}, common[1:]...)
			}
			l.Head = NewLinear(g, "head", in, cutoffs[0]+len(cutoffs), head...)
			for i := range cutoffs {
				width := int(float64(in) / math.Pow(s.divValue, float64(i+1)))
				g.Scope("tail", func() {
					g.Scope(strconv.Itoa(i), func() {
						l.Tail = append(l.Tail, [2]*Linear{
							NewLinear(g, "0", in, width, common...),
							NewLinear(g, "1", width, l.cutoffs[i+1]-cutoffs[i], common...)})
					})
				})
			}
		})
	return l
}

// wrongClusters says what is wrong with the clusters of classes, or "".
func wrongClusters(in int, cutoffs []int, classes int, divValue float64) string {
	if len(cutoffs) == 0 {
		return "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, with at least one"
	}
	for i, c := range cutoffs {
		if c < 1 || i > 0 && c <= cutoffs[i-1] || c >= classes {
			return fmt.Sprintf(
				"cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is between 1 and n_classes-1, but they are %v for %d classes",
				cutoffs, classes)
		}
	}
	if narrowest := float64(in) / math.Pow(divValue, float64(len(cutoffs))); !(narrowest >= 1) {
		return fmt.Sprintf(
			"the last of %d clusters would have less than one feature: each divides the %d features by %v",
			len(cutoffs), in, divValue)
	}
	return ""
}

// Apply takes x, [..., in], and returns the log-probabilities of all classes, [..., classes]: PyTorch's log_prob. Its
// argmax is PyTorch's predict.
func (l *AdaptiveLogSoftmax) Apply(p *Pass, x *graph.Node) *graph.Node {
	if l.g == nil || l.Head == nil {
		return l.apply(p, argumentOf(x, "*batch in"), nil, "", func(x []*graph.Node) *graph.Node { return x[0] })
	}
	sizes := map[string]graph.Dim{"in": l.in, "classes": graph.Dim(l.cutoffs[len(l.cutoffs)-1])}
	return l.apply(p, argumentOf(x, "*batch in"), sizes, "*batch classes", func(in []*graph.Node) *graph.Node {
		x, first := in[0], graph.Dim(l.cutoffs[0])
		head := ops.LogSoftmax(l.Head.Apply(p, x), -1)
		parts := []*graph.Node{ops.Narrow(head, -1, 0, first)}
		for i, tail := range l.Tail {
			within := ops.LogSoftmax(tail[1].Apply(p, tail[0].Apply(p, x)), -1)
			parts = append(parts, ops.Add(within, ops.Narrow(head, -1, first.Plus(graph.Dim(i)), 1)))
		}
		return ops.Concat(-1, parts...)
	})
}

// Loss takes x, [..., in], and the class of each example, Int64 [...]. It returns the log-probability of that class,
// [...], and their negated mean: PyTorch's output and loss. A class out of range stops the run.
func (l *AdaptiveLogSoftmax) Loss(p *Pass, x, target *graph.Node) (output, loss *graph.Node) {
	all := l.Apply(p, x)
	if all.Err() != nil || !all.Judged() {
		return all, all
	}
	output = ops.Squeeze(ops.Gather(all, -1, ops.Unsqueeze(target, -1)), -1)
	return output, ops.Neg(ops.Mean(output))
}
