package graph

// Policy holds the rules that are a matter of choice. The zero value is the default.
type Policy struct {
	// Names decides what happens when two different named sizes, or a named size and
	// a number other than 1, meet on one axis.
	Names NamesPolicy
	// RankZero decides whether scalars take part in broadcasting. Refuse gives the
	// literal words of PyTorch's documents: "each tensor has at least one dimension".
	RankZero Choice
	// RankPromotion decides about operands of different ranks.
	RankPromotion Choice
	// MutualExpand decides about a result that is larger than every operand, the
	// mark of a forgotten axis: (n, 1) against (n).
	MutualExpand WarnChoice
	// Backcompat is the documents' warning about operands of different shapes with
	// the same number of elements, which were once matched element by element.
	Backcompat Choice
	// FixedName decides about a named size that can only be one number.
	FixedName WarnChoice
	// SecondWrite decides about two writes of one parameter, or mutable input, in a graph:
	// two programs may have one each. In one program both are always refused.
	SecondWrite WarnChoice
	// AxisMixing decides about a reshape that has elements of different axes in one axis, the
	// mark of a forgotten transpose.
	AxisMixing WarnChoice
	// TargetShape decides about a target of another shape than what a loss such as ops.MSE
	// compares it with.
	TargetShape WarnChoice
	// Alias decides about an operand of an in-place write that shares memory with
	// the destination at other positions.
	Alias AliasPolicy
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
