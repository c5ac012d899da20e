package importer

const (
	texts   = "strings cannot be elements of tensors here: select a value that does not depend on it with onnx.Outputs"
	dicts   = "maps are not tensors: select the value before it with onnx.Outputs"
	trees   = "decision trees are not operations on tensors"
	vectors = "support vector machines are not supported"
)

// leftOut are operators that have no rule, and why.
var leftOut = map[string]string{
	"RegexFullMatch": texts, "StringConcat": texts, "StringNormalizer": texts, "StringSplit": texts,
	"LabelEncoder": texts, "TfIdfVectorizer": texts,
	"CategoryMapper": texts, "DictVectorizer": dicts, "CastMap": dicts, "ZipMap": dicts,
	"TreeEnsemble": trees, "TreeEnsembleRegressor": trees, "TreeEnsembleClassifier": trees, "SVMClassifier": vectors,
	"SVMRegressor":  vectors,
	"ImageDecoder":  "image files are not tensors: decode them before the model runs",
	"Gradient":      "use autodiff.Grad with a model without it",
	"ReorderOutput": "it was optimised for one processor: export the model without ONNX Runtime's optimisations",
	"ReorderInput":  "it was optimised for one processor: export the model without ONNX Runtime's optimisations",
}
