package onnxnodes

const (
	texts  = "texts are no elements"
	lists  = "lists of values are Go's"
	places = "corners are aligned to a size that is no whole number, and an image has whole ones"
)

// leftOut are the operators that have no line, and why.
var leftOut = map[string]string{
	"RegexFullMatch": texts, "StringConcat": texts, "StringNormalizer": texts, "StringSplit": texts, "LabelEncoder": texts, "TfIdfVectorizer": texts,
	"SequenceInsert": lists, "SequenceMap": lists, "SplitToSequence": lists, "SequenceEmpty": lists, "SequenceAt": lists, "SequenceLength": lists,
	"SequenceConstruct": lists, "OptionalGetElement": lists, "OptionalHasElement": lists,
	"ImageDecoder": "files of images are no tensors",
	"TreeEnsemble": "decision trees are no operations on tensors",
}

// leftCases are single cases that are not run, and why.
var leftCases = map[string]string{
	"test_resize_downsample_scales_linear_align_corners": places, "test_resize_downsample_scales_cubic_align_corners": places,
}

// drawn are operators whose results are random: only dtypes and shapes are compared.
var drawn = map[string]bool{"Bernoulli": true, "RandomUniformLike": true, "Dropout": true}

// exact are cases of such operators that draw nothing.
var exact = map[string]bool{"test_dropout_default": true, "test_dropout_default_mask": true, "test_dropout_default_mask_ratio": true, "test_dropout_default_ratio": true,
	"test_training_dropout_zero_ratio": true, "test_training_dropout_zero_ratio_mask": true}

// isDrawn reports whether the elements of a case's results are random.
func (c nodeCase) isDrawn() bool { return drawn[c.Nodes[len(c.Nodes)-1].Op] && !exact[c.Name] }
