package loops

import "gorgonia.org/vecf32"

// vecf32 works in place, x op= y. If dst is not x, x is first copied there, which costs little for a block that stays
// in the cache.

// AddF32 is dst = x + y.
func AddF32(dst, x, y []float32) {
	if len(dst) == 0 {
		return
	}
	if same(dst, y) {
		x, y = y, x
	}
	move(dst, x)
	vecf32.Add(dst, y)
}

// AddScalarF32 is dst = x + y.
func AddScalarF32(dst, x []float32, y float32) {
	move(dst, x)
	vecf32.Trans(dst, y)
}

// SubF32 is dst = x - y.
func SubF32(dst, x, y []float32) {
	if len(dst) == 0 {
		return
	}
	if same(dst, y) {
		Sub(dst, x, y) // a copy of x would overwrite y
		return
	}
	move(dst, x)
	vecf32.Sub(dst, y)
}

// SubScalarF32 is dst = x - y.
func SubScalarF32(dst, x []float32, y float32) {
	move(dst, x)
	vecf32.Trans(dst, -y)
}

// MulF32 is dst = x * y.
func MulF32(dst, x, y []float32) {
	if len(dst) == 0 {
		return
	}
	if same(dst, y) {
		x, y = y, x
	}
	move(dst, x)
	vecf32.Mul(dst, y)
}

// MulScalarF32 is dst = x * y.
func MulScalarF32(dst, x []float32, y float32) {
	move(dst, x)
	vecf32.Scale(dst, y)
}

func same(x, y []float32) bool { return &x[0] == &y[0] }

// move copies x to dst unless they are the same.
func move(dst, x []float32) {
	if len(dst) > 0 && !same(dst, x) {
		copy(dst, x)
	}
}
