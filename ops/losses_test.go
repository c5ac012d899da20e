package ops_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/autodiff"
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/testkit/reference"
	"github.com/broadloom/broadloom/ops"
)

// torchLoss is a line of testdata/losses.json.
type torchLoss struct {
	Name, Reduction string
	Value, Weights  numbers
	Operands        []struct {
		Shape []int
		Float bool
		Data  numbers
	}
	Grads []numbers
}

// losses are the calls of testdata/losses.json; how is the option of the reduction.
var losses = map[string]func(in []node, how ops.LossOption) node{
	"cross_entropy smoothed": func(in []node, how ops.LossOption) node {
		return ops.CrossEntropy(in[0], in[1], ops.LabelSmoothing(0.2), how)
	},
	"cross_entropy smoothed weighted": func(in []node, how ops.LossOption) node {
		return ops.CrossEntropy(in[0], in[1], ops.LabelSmoothing(0.2), ops.ClassWeights(in[2]), how)
	},
	"cross_entropy smoothed probabilities": func(in []node, how ops.LossOption) node {
		return ops.CrossEntropy(in[0], in[1], ops.LabelSmoothing(0.3), ops.ClassWeights(in[2]), how)
	},
	"bce_with_logits weighted": func(in []node, how ops.LossOption) node {
		return ops.BCEWithLogits(in[0], in[1], ops.PositiveWeights(in[2]), ops.ElementWeights(in[3]), how)
	},
	"bce weighted": func(in []node, how ops.LossOption) node {
		return ops.BCE(in[0], in[1], ops.ElementWeights(in[2]), how)
	},
	"cosine_embedding": func(in []node, how ops.LossOption) node {
		return ops.CosineEmbedding(in[0], in[1], in[2], 0.1, how)
	},
	"hinge_embedding": func(in []node, how ops.LossOption) node { return ops.HingeEmbedding(in[0], in[1], 1.2, how) },
	"margin_ranking": func(in []node, how ops.LossOption) node {
		return ops.MarginRanking(in[0], in[1], in[2], 0.3, how)
	},
	"triplet_margin": func(in []node, how ops.LossOption) node {
		return ops.TripletMargin(in[0], in[1], in[2], 1.5, 2, how)
	},
	"triplet_margin swap": func(in []node, how ops.LossOption) node {
		return ops.TripletMargin(in[0], in[1], in[2], 2.5, 3, ops.SwapDistance(), how)
	},
	"multi_margin": func(in []node, how ops.LossOption) node { return ops.MultiMargin(in[0], in[1], 1, 0.7, how) },
	"multi_margin 2 weighted": func(in []node, how ops.LossOption) node {
		return ops.MultiMargin(in[0], in[1], 2, 1.1, ops.ClassWeights(in[2]), how)
	},
	"soft_margin": func(in []node, how ops.LossOption) node { return ops.SoftMargin(in[0], in[1], how) },
	"multilabel_soft_margin": func(in []node, how ops.LossOption) node {
		return ops.MultiLabelSoftMargin(in[0], in[1], ops.ElementWeights(in[2]), how)
	},
	"poisson_nll": func(in []node, how ops.LossOption) node {
		return ops.PoissonNLL(in[0], in[1], ops.ConstantTerms(), how)
	},
	"poisson_nll rates": func(in []node, how ops.LossOption) node {
		return ops.PoissonNLL(in[0], in[1], ops.Rates(), how)
	},
	"gaussian_nll": func(in []node, how ops.LossOption) node {
		return ops.GaussianNLL(in[0], in[1], in[2], ops.ConstantTerms(), how)
	},
	"sigmoid_focal": func(in []node, how ops.LossOption) node {
		return ops.SigmoidFocal(in[0], in[1], 0.25, 2, how)
	},
	"sigmoid_focal unweighted": func(in []node, how ops.LossOption) node {
		return ops.SigmoidFocal(in[0], in[1], -1, 1.5, how)
	},
	"ctc": func(in []node, how ops.LossOption) node {
		return ops.CTC(ops.LogSoftmax(in[0], 2), in[1], in[2], in[3], how)
	},
	"ctc blank": func(in []node, how ops.LossOption) node {
		return ops.CTC(ops.LogSoftmax(in[0], 2), in[1], in[2], in[3], ops.BlankClass(4), ops.ZeroInfinity(), how)
	},
	"cosine_similarity": func(in []node, _ ops.LossOption) node { return ops.CosineSimilarity(in[0], in[1], 1, 1e-8) },
	"normalize":         func(in []node, _ ops.LossOption) node { return ops.Normalize(in[0], 3, 1, 1e-12) },
	"pairwise_distance": func(in []node, _ ops.LossOption) node { return ops.PairwiseDistance(in[0], in[1], 2, 1e-6) },
}

var reductions = map[string]ops.LossOption{"mean": nil, "sum": ops.SumLoss(), "none": ops.EachLoss()}

// TestLossesAsPyTorch compares losses and their gradients with PyTorch's, for sizes that are known and
// for those that are bound.
func TestLossesAsPyTorch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "losses.json"))
	require.NoError(t, err)
	var rows []torchLoss
	require.NoError(t, json.Unmarshal(text, &rows))
	require.Len(t, rows, 3*len(losses))
	for _, r := range rows {
		for _, symbolic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%s/named=%v", r.Name, r.Reduction, symbolic), func(t *testing.T) {
				t.Parallel()
				r.compare(t, symbolic, func(in []node) node { return losses[r.Name](in, reductions[r.Reduction]) })
			})
		}
	}
}

// compare compares a function of the operands, and its gradients, with PyTorch's numbers.
func (r torchLoss) compare(t *testing.T, symbolic bool, f func(in []node) node) {
	g := graph.New("losses")
	in, fed := make([]node, len(r.Operands)), feeds{}
	var wrt []node
	for i, o := range r.Operands {
		shape := graph.MakeShape(o.Shape...)
		for axis, n := range o.Shape {
			if symbolic && n > 1 {
				shape[axis] = g.Dim(fmt.Sprintf("n%d", n))
			}
		}
		dtype := graph.Int64
		if o.Float {
			dtype = graph.Float64
		}
		in[i] = g.Input(fmt.Sprintf("x%d", i), dtype, shape...)
		fed[in[i]] = reference.FromFloats(dtype, o.Data, o.Shape...)
		if len(r.Grads[i]) > 0 {
			wrt = append(wrt, in[i])
		}
	}
	y := f(in)
	require.NoError(t, g.Err())
	requireClose(t, r.Value, value(t, fed, y).Floats(), 1e-12, "value")
	if len(wrt) == 0 {
		return
	}
	weights := g.Input("weights", graph.Float64, y.Shape()...)
	fed[weights] = reference.Of([]float64(r.Weights), value(t, fed, y).Shape...)
	grads := autodiff.Grad(ops.Sum(ops.Mul(y, weights)), wrt, autodiff.ZeroForUnused())
	require.NoError(t, g.Err())
	for k, i := 0, 0; i < len(in); i++ {
		if len(r.Grads[i]) > 0 {
			requireClose(t, r.Grads[i], value(t, fed, grads[k]).Floats(), 1e-11,
				fmt.Sprintf("gradient of operand %d", i))
			k++
		}
	}
}
