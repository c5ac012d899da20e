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
	case graph.FoldMaxNumber:
		return rowprog.MaxNumber
	case graph.FoldMin, graph.FoldAll:
		return rowprog.Min
	case graph.FoldArgMax:
		return rowprog.ArgMax
	case graph.FoldArgMin:
		return rowprog.ArgMin
	}
	return rowprog.NoReduction
}

// types maps dtypes to the kernels' types.
var types = [...]rowprog.Type{
	graph.Bool:  rowprog.Bool,
	graph.Uint8: rowprog.U8, graph.Int8: rowprog.I8, graph.Int16: rowprog.I16, graph.Uint16: rowprog.U16,
	graph.Int32: rowprog.I32, graph.Uint32: rowprog.U32, graph.Int64: rowprog.I64, graph.Uint64: rowprog.U64,
	graph.Float8E4M3FN: rowprog.F8E4M3, graph.Float8E5M2: rowprog.F8E5M2, graph.Float16: rowprog.F16,
	graph.BFloat16: rowprog.BF16, graph.Float32: rowprog.F32, graph.Float64: rowprog.F64,
}

// dtypes maps the kernels' types to dtypes.
var dtypes = func() map[rowprog.Type]graph.DType {
	of := map[rowprog.Type]graph.DType{}
	for t, kernels := range types {
		of[kernels] = graph.DType(t)
	}
	return of
}()

// TypeOf returns the kernels' type of a dtype.
func TypeOf(t graph.DType) rowprog.Type { return types[t] }

func dtypeOf(t rowprog.Type) graph.DType { return dtypes[t] }
