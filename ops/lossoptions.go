package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadloom/broadloom/graph"
)

// A LossOption changes how a loss is computed. All losses accept [SumLoss] and [EachLoss], and otherwise those that
// their comment names.
type LossOption func(*lossCall)

// lossCall is a call of a loss.
type lossCall struct {
	CrossEntropyAttrs
	weights        *graph.Node // of classes
	elementWeights *graph.Node
	positive       *graph.Node
	smoothing      float64
	rates, full    bool
	swap           bool
	zeroInfinity   bool
	logTarget      bool
	batchMean      bool
	blank          int
	given          []string // the names of the options, but for those that all losses read
}

// lossReads are the options that losses read; others read ElementWeights.
var lossReads = map[string][]string{
	"BCEWithLogits":        {"ElementWeights", "PositiveWeights"},
	"CrossEntropy":         {"IgnoreIndex", "ClassWeights", "LabelSmoothing"},
	"CTC":                  {"ElementWeights", "BlankClass", "ZeroInfinity"},
	"GaussianNLL":          {"ElementWeights", "ConstantTerms"},
	"KLDiv":                {"ElementWeights", "LogTarget", "BatchMean"},
	"MultiLabelSoftMargin": {"ElementWeights", "ClassWeights"},
	"MultiMargin":          {"ElementWeights", "ClassWeights"},
	"NLL":                  {"IgnoreIndex", "ClassWeights"},
	"PoissonNLL":           {"ElementWeights", "ConstantTerms", "Rates"},
	"TripletMargin":        {"ElementWeights", "SwapDistance"},

	"TripletMarginWithDistance": {"ElementWeights", "SwapDistance"},
}

// lossOption is an option that not all losses read.
func lossOption(name string, set func(l *lossCall)) LossOption {
	return func(l *lossCall) {
		set(l)
		l.given = append(l.given, name)
	}
}

// refuseUnread reports an option that a loss does not read.
func (l lossCall) refuseUnread(fn string, in ...node) {
	reads := lossReads[fn]
	if reads == nil {
		reads = []string{"ElementWeights"}
	}
	for _, name := range l.given {
		if !slices.Contains(reads, name) {
			refusal(refused(fn, in...), &graph.Mistake{
				Code: graph.CodeOperand, Summary: fmt.Sprintf(
					"%s has no option %s: its options are %s, SumLoss and EachLoss",
					fn, name, strings.Join(reads, ", "))})
		}
	}
}

// IgnoreIndex sets the target that CrossEntropy and NLL ignore.
func IgnoreIndex(i int) LossOption {
	return lossOption("IgnoreIndex", func(l *lossCall) { l.IgnoreIndex = i })
}

// SumLoss returns the sum of the losses of the examples instead of their mean.
func SumLoss() LossOption { return func(l *lossCall) { l.Reduction = "sum" } }

// EachLoss returns the loss of each example.
func EachLoss() LossOption { return func(l *lossCall) { l.Reduction = "none" } }

// ClassWeights multiplies the loss of each example by the weight of its class; w is [C]. The mean of CrossEntropy and
// NLL is then the weighted mean: the losses are divided by the sum of their weights.
func ClassWeights(w *graph.Node) LossOption {
	return lossOption("ClassWeights", func(l *lossCall) { l.weights = w })
}

// ElementWeights multiplies the losses by weights that broadcast with them, before they are reduced. It is PyTorch's
// "weight" of elementwise losses.
func ElementWeights(w *graph.Node) LossOption {
	return lossOption("ElementWeights", func(l *lossCall) { l.elementWeights = w })
}

// PositiveWeights multiplies the term of positive targets in BCEWithLogits by weights that broadcast with x, such as
// one for each class. It is PyTorch's "pos_weight".
func PositiveWeights(w *graph.Node) LossOption {
	return lossOption("PositiveWeights", func(l *lossCall) { l.positive = w })
}

// LabelSmoothing mixes the uniform distribution over the classes into the target of CrossEntropy, with the weight s.
// Source: Szegedy and others, Rethinking the Inception Architecture for Computer Vision, 2015.
func LabelSmoothing(s float64) LossOption {
	return lossOption("LabelSmoothing", func(l *lossCall) { l.smoothing = s })
}

// Rates says that x in PoissonNLL holds rates and not their logarithms.
func Rates() LossOption { return lossOption("Rates", func(l *lossCall) { l.rates = true }) }

// ConstantTerms adds the terms that do not depend on x to PoissonNLL and GaussianNLL. It is PyTorch's "full".
func ConstantTerms() LossOption {
	return lossOption("ConstantTerms", func(l *lossCall) { l.full = true })
}

// LogTarget says that the target of KLDiv holds log-probabilities.
func LogTarget() LossOption { return lossOption("LogTarget", func(l *lossCall) { l.logTarget = true }) }

// BatchMean divides the sum of KLDiv by the size of axis 0, the number of examples, instead of the number of
// elements. It is PyTorch's "batchmean".
func BatchMean() LossOption { return lossOption("BatchMean", func(l *lossCall) { l.batchMean = true }) }

// SwapDistance lets TripletMargin use the distance between positive and negative if it is less than that between
// anchor and negative.
func SwapDistance() LossOption {
	return lossOption("SwapDistance", func(l *lossCall) { l.swap = true })
}

// BlankClass sets the class of CTC that means no label. The default is 0.
func BlankClass(i int) LossOption { return lossOption("BlankClass", func(l *lossCall) { l.blank = i }) }

// ZeroInfinity replaces infinite losses of CTC and their gradients by 0: those of targets that do not fit into the
// steps.
func ZeroInfinity() LossOption {
	return lossOption("ZeroInfinity", func(l *lossCall) { l.zeroInfinity = true })
}

// building is [building] of a loss with these options.
func (l lossCall) building(fn string, args ...any) (end func()) {
	for _, o := range []optional{{"ClassWeights", l.weights}, {"ElementWeights", l.elementWeights},
		{"PositiveWeights", l.positive}} {
		if o.of != nil {
			args = append(args, o)
		}
	}
	var in []node
	for _, a := range args {
		if x, isNode := a.(node); isNode {
			in = append(in, x)
		}
	}
	l.refuseUnread(fn, in...)
	return building(fn, args...)
}

func lossOf(opts []LossOption) lossCall {
	l := lossCall{CrossEntropyAttrs: CrossEntropyAttrs{IgnoreIndex: defaultIgnoreIndex, Reduction: "mean"}}
	for _, o := range opts {
		if o != nil {
			o(&l)
		}
	}
	return l
}

// reduceLoss reduces the losses of the elements to one number, unless the options keep each.
func reduceLoss(opts []LossOption, each node) node {
	l := lossOf(opts)
	return l.reduce(each)
}

func (l lossCall) reduce(each node) node {
	if l.elementWeights != nil {
		each = Mul(each, l.elementWeights)
	}
	switch l.Reduction {
	case "none":
		return each
	case "sum":
		return Sum(each)
	}
	return Mean(each)
}

// smoothed is the cross-entropy of targets of which a share is spread over all classes: the other share of the
// plain loss, and that share of the mean over classes, as PyTorch weighs them.
func (l lossCall) smoothed(x, target node) node {
	l.given = nil // judged before
	defer l.building("CrossEntropy", x, target)()
	share := num(l.smoothing)
	if !(l.smoothing > 0 && l.smoothing <= 1) { // NaN too
		return refusal(refused("CrossEntropy", x, target), &graph.Mistake{Code: graph.CodeOperand,
			Summary: fmt.Sprintf("label_smoothing must be between 0.0 and 1.0. Got: %v", l.smoothing)})
	}
	plain := l.crossEntropy(x, target)
	if !plain.Judged() {
		return plain // its own mistake
	}
	axis := classAxis(x)
	classes := Size(x.Graph(), x.DType(), x.Shape()[axis])
	if target.DType().IsFloat() {
		return l.crossEntropy(x, Add(Mul(target, num(1-l.smoothing)), Div(share, classes)))
	}
	terms := LogSoftmax(x, axis)
	if l.weights != nil {
		terms = Mul(terms, perClass(x, []node{x, target, l.weights}))
	}
	counts := NotEqual(target, graph.Num(l.IgnoreIndex))
	each := Where(counts, Neg(Sum(terms, Axis(axis))), num(0))
	if l.Reduction != "none" {
		each = Sum(each)
	}
	if l.Reduction == "mean" {
		l.Reduction = "sum"
		each = Div(each, Sum(shares(plain, plain.Operands())))
	}
	return Add(Mul(plain, num(1-l.smoothing)), Mul(each, Div(share, classes)))
}
