package nn

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/blockwise"
	"github.com/broadloom/broadloom/ops"
)

// Option is an option of a layer when it is made. An option that the layer does not accept is a mistake.
type Option struct {
	name string
	set  func(*settings)
}

// settings are those of all layers; a layer reads those that it has.
type settings struct {
	dtype        graph.DType
	weight, bias graph.Initializer
	noBias       bool
	plain        bool // without weight and bias
	eps          float64
	momentum     float64
	tracked      bool // running statistics
	conv         []ops.ConvOption
	groups       int
	padding      []int // the padding index of an embedding
	bag          ops.Reduction
	attentionSettings
	transformerSettings
	layers        int // of a recurrent network
	bidirectional bool
	projection    *int
	timeFirst     bool
	normings
	held     *blockwise.Format // of [Int8Weights] or another such option; else nil
	divValue float64           // of an adaptive softmax
	headBias bool
	layer    *declared // while it is declared
}

// DType sets the dtype of a layer's parameters, and so that of its inputs: Float32, the default, or Float64.
func DType(t graph.DType) Option { return Option{"DType", func(s *settings) { s.dtype = t }} }

// WeightInit sets the initial values of a layer's weights.
func WeightInit(init graph.Initializer) Option {
	return Option{"WeightInit", func(s *settings) { s.weight = init }}
}

// BiasInit sets the initial values of a layer's bias.
func BiasInit(init graph.Initializer) Option {
	return Option{"BiasInit", func(s *settings) { s.bias = init }}
}

// NoBias leaves the bias out.
func NoBias() Option { return Option{"NoBias", func(s *settings) { s.noBias = true }} }

// NoAffine leaves the weight and the bias of a normalization out.
func NoAffine() Option { return Option{"NoAffine", func(s *settings) { s.plain = true }} }

// Epsilon sets what a normalization adds to a variance, 1e-5 by default.
func Epsilon(eps float64) Option { return Option{"Epsilon", func(s *settings) { s.eps = eps }} }

// Momentum sets the fraction of the running statistics that a batch replaces, 0.1 by default.
func Momentum(m float64) Option { return Option{"Momentum", func(s *settings) { s.momentum = m }} }

// TrackRunningStats makes an instance normalization keep running statistics, which an evaluation pass uses: PyTorch's
// track_running_stats.
func TrackRunningStats() Option {
	return Option{"TrackRunningStats", func(s *settings) { s.tracked = true }}
}

// Stride is [ops.Stride] for a layer.
func Stride(steps ...int) Option { return convOption("Stride", ops.Stride(steps...)) }

// Padding is [ops.Padding] for a layer.
func Padding(elements ...int) Option { return convOption("Padding", ops.Padding(elements...)) }

// SamePadding is [ops.SamePadding] for a layer: PyTorch's padding='same'.
func SamePadding() Option { return convOption("SamePadding", ops.SamePadding()) }

// PaddingMode sets what [Padding] adds around the axes of a convolution. The default is zeros.
func PaddingMode(mode ops.PaddingMode) Option { return convOption("PaddingMode", mode) }

// Dilation is [ops.Dilation] for a layer.
func Dilation(steps ...int) Option { return convOption("Dilation", ops.Dilation(steps...)) }

// OutputPadding is [ops.OutputPadding] for a layer.
func OutputPadding(elements ...int) Option {
	return convOption("OutputPadding", ops.OutputPadding(elements...))
}

// Groups is [ops.Groups] for a layer.
func Groups(n int) Option {
	return Option{"Groups", func(s *settings) { s.conv, s.groups = append(s.conv, ops.Groups(n)), n }}
}

func convOption(name string, o ops.ConvOption) Option {
	return Option{name, func(s *settings) { s.conv = append(s.conv, o) }}
}

// PaddingIndex keeps a row of an embedding at zero: no gradient flows to it.
func PaddingIndex(row int) Option {
	return Option{"PaddingIndex", func(s *settings) { s.padding = []int{row} }}
}

// BagReduction says how an [EmbeddingBag] reduces the rows of a bag: ops.ReduceSum, ops.ReduceMax, or ops.ReduceMean by
// default.
func BagReduction(by ops.Reduction) Option {
	return Option{"BagReduction", func(s *settings) { s.bag = by }}
}

// Layers sets the number of layers of a recurrent network, 1 by default.
func Layers(n int) Option { return Option{"Layers", func(s *settings) { s.layers = n }} }

// Bidirectional makes each layer of a recurrent network also process sequences backwards: its results are twice as
// wide. In a decoder of a transformer, it lets each position attend to later ones too, as PyTorch's does without a
// mask.
func Bidirectional() Option {
	return Option{"Bidirectional", func(s *settings) { s.bidirectional = true }}
}

// TimeFirst makes a recurrent network take sequences as [t, batch, in] and return [t, batch, out], as in PyTorch
// without batch_first.
func TimeFirst() Option { return Option{"TimeFirst", func(s *settings) { s.timeFirst = true }} }

// ProjSize makes an LSTM project its hidden state to n elements, fewer than it has, in each step: h' =
// weight_hr·(sigmoid(o)·tanh(c')). It is PyTorch's proj_size (Sak, Senior, Beaufays: "Long short-term memory based
// recurrent neural network architectures", 2014).
func ProjSize(n int) Option { return Option{"ProjSize", func(s *settings) { s.projection = &n }} }

// Size is a width of a layer: a whole number, or a named size that is known ([graph.Exactly]).
type Size interface{ int | graph.Dim }

// declared is what all layers with parameters have: where they were declared.
type declared struct {
	g     *graph.Graph
	kind  string // such as "Linear"
	scope string // its path
	// refused says that its declaration is a mistake.
	refused bool
}

// String returns the layer's kind and the names of its scope, as messages call it: "Linear encoder.out".
func (d *declared) String() string { return strings.TrimSpace(d.kind + " " + d.scope) }

// declare begins a layer: it applies the options, of which the layer has those listed, and
// declares its parameters in a scope of its own.
func declare(g *graph.Graph, kind, name string, opts []Option, has string, params func(s *settings)) declared {
	s := settings{dtype: graph.Float32, eps: 1e-5, momentum: 0.1, groups: 1}
	d := declared{g: g, kind: kind, scope: name}
	s.layer = &d
	build := func() {
		d.scope = g.ScopePath()
		for _, o := range opts {
			switch {
			case o.set == nil:
			case !slices.Contains(strings.Fields(has), o.name):
				d.refuse(fmt.Sprintf("%s is not an option of %s, whose options are %s", o.name, kind,
					strings.Join(strings.Fields(has), ", ")))
			default:
				o.set(&s)
			}
		}
		if !s.dtype.IsFloat() {
			d.refuse(fmt.Sprintf("the parameters of a layer must be floating-point numbers, not %s", s.dtype))
			s.dtype = graph.Float32
		}
		if trouble := s.wrongNorming(); trouble != "" {
			d.refuse(trouble)
			s.normings = normings{}
		}
		params(&s)
		if trouble := s.missingWeight(); trouble != "" {
			d.refuse(trouble)
		}
	}
	if g == nil {
		build()
	} else {
		defer g.BeginCall("New"+kind, declaration{name})()
		g.Scope(name, build)
	}
	return d
}

// declaration writes the call that makes a layer as the user wrote it, but for sizes and options.
type declaration struct{ name string }

// Args writes the graph and the name.
func (d declaration) Args([]string) []string { return []string{"g", strconv.Quote(d.name), "…"} }

// refuse records a mistake of the declaration.
func (d *declared) refuse(trouble string) {
	d.refuseAs(&graph.Mistake{Code: graph.CodeOperand, Summary: trouble})
}

func (d *declared) refuseAs(m *graph.Mistake) {
	if d.refused = true; d.g != nil {
		graph.RefusedIn(d.g, "New"+d.kind, m)
	}
}

// size returns a size of the layer's parameters. A wrong one is reported once, with the option's name, and is unknown
// from then on, so that it causes no further messages.
func (s *settings) size(word string, d graph.Dim) graph.Dim {
	if s.layer.g == nil {
		return d
	}
	text, help := s.layer.g.WrongParamSize(d)
	if text == "" {
		return d
	}
	if rest, is := strings.CutPrefix(text, d.String()+" "); is {
		text = "is " + d.String() + ", which " + rest
	} else {
		text = "is none: " + text
	}
	s.layer.refuseAs(&graph.Mistake{Code: graph.CodeSize, Summary: word + " " + text, Help: []string{help}})
	return graph.UnknownDim
}

// or returns an initialiser, or another one if it is nil.
func or(init, otherwise graph.Initializer) graph.Initializer {
	if init == nil {
		return otherwise
	}
	return init
}

// known returns the number that a size is, or 1 where it is none: the declaration of the
// parameter tells that.
func known(g *graph.Graph, d graph.Dim) int {
	if g != nil {
		if n, is := g.Known(d); is && n > 0 {
			return int(n)
		}
	}
	return 1
}
