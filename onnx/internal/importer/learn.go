package importer

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/ops"
)

// The operators of ONNX's domain for classical machine learning, as scikit-learn's models are written in.
func init() {
	learning := map[string]rule{
		"Binarizer": with(func(c *call, x node) node {
			return ops.Cast(ops.Greater(x, graph.Num(c.float("threshold", 0))), x.DType())
		}),
		"ArrayFeatureExtractor": func(c *call) []node {
			return []node{ops.Take(c.in(0), -1, ops.Flatten(c.in(1), 0, -1))}
		},
		"Scaler": with(func(c *call, x node) node {
			x = ops.Cast(x, graph.Float32)
			return ops.Mul(ops.Sub(x, c.vectorOf("offset", 0)), c.vectorOf("scale", 1))
		}),
		"Normalizer": with(func(c *call, x node) node {
			x = ops.Cast(x, graph.Float32)
			last := ops.Axis(-1)
			var by node
			switch c.text("norm", "MAX") {
			case "L1":
				by = ops.Sum(ops.Abs(x), last, ops.KeepDims())
			case "L2":
				by = ops.Sqrt(ops.Sum(ops.Square(x), last, ops.KeepDims()))
			default:
				by = ops.Max(x, last, ops.KeepDims())
			}
			return ops.Div(x, ops.Where(ops.Equal(by, graph.Num(0)), graph.Num(1), by))
		}),
		"Imputer": with(func(c *call, x node) node {
			missing, values := c.float("replaced_value_float", 0), c.vectorOf("imputed_value_floats", 0)
			if c.given("imputed_value_int64s") {
				return ops.Where(ops.Equal(x, whole(c.int("replaced_value_int64", 0))),
					c.integersOf("imputed_value_int64s"), x)
			}
			isMissing := ops.Equal(x, graph.Num(missing))
			if missing != missing {
				isMissing = ops.IsNaN(x)
			}
			return ops.Where(isMissing, values, x)
		}),
		"LinearRegressor": with(func(c *call, x node) node {
			return c.transformed(c.linear(x, c.int("targets", 1)))
		}),
		"LinearClassifier": linearClassifier,
		"FeatureVectorizer": func(c *call) []node {
			var parts []node
			for _, x := range c.all() {
				parts = append(parts, ops.Cast(x, graph.Float32))
			}
			return []node{ops.Concat(1, parts...)}
		},
	}
	rules := map[string]rule{}
	for name, r := range learning {
		rules["ai.onnx.ml."+name] = r
	}
	join(rules)
}

// vectorOf are the numbers of an attribute, or the usual one.
func (c *call) vectorOf(name string, usual float64) node {
	list := c.numbers(name)
	if len(list) == 0 {
		return graph.Num(usual)
	}
	data := make([]float32, len(list))
	for i, v := range list {
		data[i] = float32(v)
	}
	return graph.Constant(c.g, data, graph.Dim(len(data)))
}

func (c *call) integersOf(name string) node {
	data := int64s(c.ints(name))
	return graph.Constant(c.g, data, graph.Dim(len(data)))
}

// linear is a product with coefficients, [results, features] in the attribute, and what is added to it.
func (c *call) linear(x node, results int) node {
	list := c.numbers("coefficients")
	if results <= 0 || len(list)%results != 0 {
		refuse("%d coefficients do not give %d results", len(list), results)
	}
	data := make([]float32, len(list))
	for i, v := range list {
		data[i] = float32(v)
	}
	w := graph.Constant(c.g, data, graph.Dim(results), graph.Dim(len(list)/results))
	y := ops.MatMul(ops.Cast(x, graph.Float32), ops.Transpose(w, 0, 1))
	if c.given("intercepts") {
		y = ops.Add(y, c.vectorOf("intercepts", 0))
	}
	return y
}

// transformed computes what is said to become of scores.
func (c *call) transformed(y node) node {
	switch name := c.text("post_transform", "NONE"); name {
	case "NONE":
		return y
	case "SOFTMAX":
		return ops.Softmax(y, -1)
	case "LOGISTIC":
		return ops.Sigmoid(y)
	default:
		refuse("the transform %s of scores is unknown", name)
		return nil
	}
}

// linearClassifier gives the class of the greatest score, whose classes are integers, and the scores.
func linearClassifier(c *call) []node {
	classes := c.ints("classlabels_ints")
	if len(classes) == 0 {
		refuse(
			"its classes are strings, which tensors here cannot hold: select the result with the scores, or number the classes")
	}
	list := c.numbers("coefficients")
	features, isNumber := c.in(0).Shape()[c.in(0).Rank()-1].Int()
	if !isNumber || features == 0 {
		refuse("its number of features must be known")
	}
	rows := len(list) / int(features)
	y := c.linear(c.in(0), rows)
	labels := graph.Constant(c.g, int64s(classes), graph.Dim(len(classes)))
	if rows == 1 && len(classes) == 2 { // the score of the second class alone
		isSecond := ops.Greater(y, graph.Num(0))
		scores := c.transformed(y)
		other := ops.Neg(scores)
		if c.text("post_transform", "NONE") == "LOGISTIC" {
			other = ops.Sub(graph.Num(1), scores)
		}
		return []node{ops.Take(labels, 0, ops.Flatten(ops.Cast(isSecond, graph.Int64), 0, -1)),
			ops.Concat(1, other, scores)}
	}
	return []node{ops.Take(labels, 0, ops.ArgMax(y, -1)), c.transformed(y)}
}

func int64s(list []int) []int64 {
	out := make([]int64, len(list))
	for i, v := range list {
		out[i] = int64(v)
	}
	return out
}
