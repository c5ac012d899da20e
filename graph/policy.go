package graph

// Policy holds the rules that are a matter of choice. The zero value is the default.
type Policy struct {
	// Names decides what happens when two different named sizes, or a named size and
	// a number other than 1, meet on one axis.
	Names NamesPolicy
	// RankZero decides whether scalars take part in broadcasting. Refuse is the literal rule of PyTorch's
	// documentation: "each tensor has at least one dimension".
	RankZero Choice
	// RankPromotion decides about operands of different ranks.
	RankPromotion Choice
	// MutualExpand decides about a result that is larger than every operand, a sign of a forgotten axis: (n, 1)
	// against (n).
	MutualExpand WarnChoice
	// Backcompat is the documents' warning about operands of different shapes with
	// the same number of elements, which were once matched element by element.
	Backcompat Choice
	// FixedName decides about a named size that can only be one number.
	FixedName WarnChoice
	// SecondWrite decides about two writes of one parameter, or mutable input, in a graph:
	// two programs may have one each. In one program both are always refused.
	SecondWrite WarnChoice
	// AxisMixing decides about a reshape that merges elements of different axes into one axis, a sign of a forgotten
	// transpose.
	AxisMixing WarnChoice
	// TargetShape decides about a target whose shape differs from that of the prediction, in a loss such as ops.MSE.
	TargetShape WarnChoice
	// GivenProbabilities decides about probabilities passed to a function such as ops.CrossEntropy instead of scores
	// or logarithms, and about a softmax along a different axis from that of a loss's classes.
	GivenProbabilities WarnChoice
	// ReducedAxis decides about a value that has one element for each position of an axis but is aligned with another
	// axis of the same size, a sign of a forgotten KeepDims.
	ReducedAxis WarnChoice
	// VectorAxis decides about a vector that is aligned with the last axis and has the size of the one to which it more
	// likely belongs, such as one value per channel of an image.
	VectorAxis WarnChoice
	// OverExamples decides about a softmax along the axis of examples.
	OverExamples WarnChoice
	// AttentionOverExamples decides about examples that attend to each other, or follow from each other in
	// a loop, the mark of axes in another order than a function expects.
	AttentionOverExamples WarnChoice
	// ExamplePositions decides about values that no input has made, one for each example, the mark
	// of positions that are counted along the wrong axis.
	ExamplePositions WarnChoice
	// OnePosition decides about an element that is selected by the size of an axis and used for all its positions.
	OnePosition WarnChoice
	// MaskedRows decides about a mask that is the same for all elements that a softmax compares.
	MaskedRows WarnChoice
	// KeptWeights decides about a softmax along an axis that stays in a product which sums another one.
	KeptWeights WarnChoice
	// OtherOrder decides about values that meet along an axis into which several were flattened, in another
	// order in the one than in the other.
	OtherOrder WarnChoice
	// WholeBatch decides about one number, computed from all examples, that meets values of single examples: by
	// default a note.
	WholeBatch WarnChoice
	// Alias decides about an operand of an in-place write that shares memory with
	// the destination at other positions.
	Alias AliasPolicy
}

// AboutAxes returns the choice of the policy for a warning about axes, by its code.
func (p Policy) AboutAxes(code Code) WarnChoice {
	switch code {
	case CodeAxisMixing:
		return p.AxisMixing
	case CodeReducedAxis:
		return p.ReducedAxis
	case CodeVectorAxis:
		return p.VectorAxis
	case CodeOverExamples:
		return p.OverExamples
	case CodeAttentionOverExamples:
		return p.AttentionOverExamples
	case CodeExamplePositions:
		return p.ExamplePositions
	case CodeOnePosition:
		return p.OnePosition
	case CodeMaskedRows:
		return p.MaskedRows
	case CodeKeptWeights:
		return p.KeptWeights
	case CodeGivenProbabilities:
		return p.GivenProbabilities
	case CodeOtherOrder:
		return p.OtherOrder
	}
	return WarnByDefault
}

// NamesPolicy is a rule for named sizes that meet.
type NamesPolicy uint8

// The rules for named sizes.
const (
	Strict NamesPolicy = iota // refused unless they were said to be equal
	Unify                     // they must be equal when sizes are bound
	Numpy                     // they must be equal, or one of them 1, when sizes are bound
)

// Choice is Allow, Warn or Refuse, with Allow as the default.
type Choice uint8

// The choices.
const (
	Allow Choice = iota
	Warn
	Refuse
)

// WarnChoice is like Choice with WarnByDefault as the default.
type WarnChoice uint8

// The choices whose default is a warning.
const (
	WarnByDefault WarnChoice = iota
	AllowSilently
	RefuseAlways
)

// AliasPolicy is a rule for overlapping operands of in-place writes.
type AliasPolicy uint8

// The rules for overlaps.
const (
	RefuseAlias AliasPolicy = iota // the write is refused
	AutoCopy                       // the operand is copied first, and a note says so
)
