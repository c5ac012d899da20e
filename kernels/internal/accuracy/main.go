// Command accuracy measures how far the kernels' functions of float32 are from the exact
// values, in units in the last place, over all 2^32 inputs or every step-th one:
//
//	go run ./kernels/internal/accuracy -step 1
//
// Exact values are float64's, which are far closer than a float32 can tell. The command
// fails if a function is worse than package scalar says, or wrong about NaN, infinity or
// the sign of zero.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"unsafe"

	"github.com/broadloom/broadloom/kernels/backend"
	"github.com/broadloom/broadloom/kernels/bind"
	"github.com/broadloom/broadloom/kernels/rowprog"
	"github.com/broadloom/broadloom/kernels/scalar"
)

// batch is how many inputs a kernel is called with.
const batch = 1 << 15

func main() {
	log.SetFlags(0)
	step := flag.Uint64("step", 61, "take every step-th input")
	flag.Parse()
	if *step == 0 {
		log.Fatal("accuracy: the step must not be 0")
	}
	failed := false
	for _, op := range rowprog.Primitives() {
		exact := scalar.Function64(op)
		switch op {
		case rowprog.OpSqrt:
			exact = math.Sqrt
		case rowprog.OpRsqrt:
			exact = func(x float64) float64 { return 1 / math.Sqrt(x) }
		}
		if exact == nil {
			continue
		}
		r, err := measure(op, exact, *step)
		if err != nil {
			log.Fatal(err)
		}
		verdict := "ok"
		if limit := scalar.WorstULP(op); r.ulp > limit || r.wrong > 0 {
			verdict, failed = fmt.Sprintf("WORSE than %.2f", limit), true
		}
		fmt.Printf("%-8s %8.4f ulp at %-14v %d special values wrong, %s, %s\n", op, r.ulp, r.at, r.wrong, r.how, verdict)
	}
	if failed {
		os.Exit(1)
	}
}

// result is the greatest distance, and where it is.
type result struct {
	ulp   float64
	at    float32
	wrong int // results that are NaN, infinite or zero where they should not be, or the other way round
	how   string
}

// measure runs a function over the inputs.
func measure(op rowprog.Op, exact func(float64) float64, step uint64) (r result, err error) {
	b := rowprog.NewBuilder(op.String(), 0)
	x := b.Load(b.In("x", rowprog.F32, rowprog.Vec))
	b.Store(b.Out("y", rowprog.F32, rowprog.Vec), b.Apply(op, x))
	p, err := b.Build()
	if err != nil {
		return r, err
	}
	k, err := backend.Compile(p)
	if err != nil {
		return r, err
	}
	r.how = "interpreted"
	if k.Machine() {
		r.how = "machine code"
	}
	in, out := make([]float32, batch), make([]float32, batch)
	a := bind.New(p)
	a.Ptr[0], a.Ptr[1] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])
	a.Stride[0][0], a.Stride[1][0] = 1, 1
	var s backend.Scratch
	for bits := uint64(0); bits < 1<<32; {
		a.N = 0
		for ; a.N < batch && bits < 1<<32; bits += step {
			in[a.N] = math.Float32frombits(uint32(bits))
			a.N++
		}
		k.Run(a, &s)
		for i, y := range out[:a.N] {
			r.add(in[i], float64(y), exact(float64(in[i])))
		}
	}
	return r, nil
}

// add compares one result.
func (r *result) add(x float32, got, want float64) {
	rounded := float64(float32(want))
	switch {
	case got == rounded && math.Signbit(got) == math.Signbit(rounded), got != got && want != want:
		return
	case got != got || want != want, math.IsInf(want, 0), want == 0:
		r.wrong++
		return
	}
	limited := math.Min(math.Abs(rounded), math.MaxFloat32)
	ulp := math.Max(math.Ldexp(1, math.Ilogb(limited)-23), 0x1p-149)
	if limited == 0 {
		ulp = 0x1p-149
	}
	if math.IsInf(got, 0) {
		got = math.Copysign(0x1p128, got)
	}
	if off := math.Abs(got-want) / ulp; off > r.ulp {
		r.ulp, r.at = off, x
	}
}
