package lower

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/kernels/rowprog"
)

func reductionOf(f graph.Fold) rowprog.Reduction {
	switch f {
	case graph.FoldSum:
		return rowprog.Sum
	case graph.FoldProd:
		return rowprog.Prod
	case graph.FoldMax, graph.FoldAny:
		return rowprog.Max
	case graph.FoldMin, graph.FoldAll:
		return rowprog.Min
	case graph.FoldArgMax:
		return rowprog.ArgMax
	case graph.FoldArgMin:
		return rowprog.ArgMin
	}
	return rowprog.NoReduction
}

// TypeOf returns the kernels' type of a dtype.
func TypeOf(t graph.DType) rowprog.Type {
	switch t {
	case graph.Bool:
		return rowprog.Bool
	case graph.Int32:
		return rowprog.I32
	case graph.Int64:
		return rowprog.I64
	case graph.Float32:
		return rowprog.F32
	case graph.Float64:
		return rowprog.F64
	}
	return rowprog.NoType
}

func dtypeOf(t rowprog.Type) graph.DType {
	for _, d := range graph.DTypes() {
		if TypeOf(d) == t {
			return d
		}
	}
	return graph.InvalidDType
}
