package gather

import "math"

// ScatterMul is [ScatterAdd] with products: a row that no index names is 1.
func ScatterMul[T Number, I Index](s Shape, dst, src []T, index []I) (bad int) {
	return unite(s, dst, src, index, 1, func(to, from []T) {
		for j, v := range from {
			to[j] *= v
		}
	})
}

// ScatterMax is [ScatterAdd] with the greatest elements: a row that no index names has the least
// value of its type, -infinity of floats. NaN wins.
func ScatterMax[T Number, I Index](s Shape, dst, src []T, index []I) (bad int) {
	lowest, _ := limits[T]()
	return unite(s, dst, src, index, lowest, func(to, from []T) {
		for j, v := range from {
			if v > to[j] || v != v {
				to[j] = v
			}
		}
	})
}

// ScatterMin is [ScatterAdd] with the least elements: a row that no index names has the greatest
// value of its type, infinity of floats. NaN wins.
func ScatterMin[T Number, I Index](s Shape, dst, src []T, index []I) (bad int) {
	_, highest := limits[T]()
	return unite(s, dst, src, index, highest, func(to, from []T) {
		for j, v := range from {
			if v < to[j] || v != v {
				to[j] = v
			}
		}
	})
}

// unite sets dst to an element, and unites each row of src with the row that its index names, in
// the order of the indices.
func unite[T Number, I Index](s Shape, dst, src []T, index []I, initial T, row func(to, from []T)) (bad int) {
	dst = dst[:s.Outer*s.Size*s.Inner]
	for i := range dst {
		dst[i] = initial
	}
	if bad := check(s, index); bad >= 0 {
		return bad
	}
	for o := range s.Outer {
		from, to := src[o*s.Count*s.Inner:], dst[o*s.Size*s.Inner:]
		for i, at := range index[:s.Count] {
			row(to[int(at)*s.Inner:][:s.Inner], from[i*s.Inner:(i+1)*s.Inner])
		}
	}
	return -1
}

// limits returns the least and the greatest value of a type.
func limits[T Number]() (lowest, highest T) {
	switch any(lowest).(type) {
	case int32:
		return any(int32(math.MinInt32)).(T), any(int32(math.MaxInt32)).(T)
	case int64:
		return any(int64(math.MinInt64)).(T), any(int64(math.MaxInt64)).(T)
	}
	return T(math.Inf(-1)), T(math.Inf(1))
}
