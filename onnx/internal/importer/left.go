package importer

const (
	texts   = "texts are no elements of tensors: name a value that does not depend on it with onnx.Outputs"
	dicts   = "maps are no tensors: name the value before it with onnx.Outputs"
	trees   = "decision trees are no operations on tensors"
	vectors = "support vector machines have no operation here"
)

// leftOut are operators that have no rule, and why.
var leftOut = map[string]string{
	"RegexFullMatch": texts, "StringConcat": texts, "StringNormalizer": texts, "StringSplit": texts, "LabelEncoder": texts, "TfIdfVectorizer": texts,
	"CategoryMapper": texts, "DictVectorizer": dicts, "CastMap": dicts, "ZipMap": dicts,
	"TreeEnsemble": trees, "TreeEnsembleRegressor": trees, "TreeEnsembleClassifier": trees, "SVMClassifier": vectors, "SVMRegressor": vectors,
	"ImageDecoder":  "files of images are no tensors: decode them before the model runs",
	"Gradient":      "gradients are built by autodiff.Grad of a model without it",
	"ReorderOutput": "it was optimised for one processor: export the model without ONNX Runtime's optimisations",
	"ReorderInput":  "it was optimised for one processor: export the model without ONNX Runtime's optimisations",
}
