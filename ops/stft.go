package ops

import (
	"fmt"
	"math"

	"github.com/broadloom/broadloom/graph"
)

// An STFTOption changes [STFT] and [ISTFT].
type STFTOption func(*stftOptions)

// stftOptions are the options of a short-time Fourier transform with frames of n elements.
type stftOptions struct {
	n, hop, wide                   int
	window                         node
	mode                           PaddingMode
	beside, normalized, whole, cut bool
	length                         graph.Dim
	words                          []any
}

func stftOf(n int, opts []STFTOption) stftOptions {
	a := stftOptions{n: n, hop: n / 4, wide: n, mode: PadReflect, words: []any{n}}
	for _, o := range opts {
		if o != nil {
			o(&a)
		}
	}
	return a
}

func (a *stftOptions) say(format string, args ...any) {
	a.words = append(a.words, fmt.Sprintf(format, args...))
}

// STFTHop sets the distance between frames. The default is a quarter of their size.
func STFTHop(elements int) STFTOption {
	return func(a *stftOptions) { a.hop = elements; a.say("STFTHop(%d)", elements) }
}

// STFTWindow multiplies frames by a window, a vector such as a periodic [HannWindow]. A window shorter than a frame
// is padded with zeros on both sides. The default is all ones.
func STFTWindow(window *graph.Node) STFTOption {
	return func(a *stftOptions) {
		a.window = window
		a.words = append(a.words, optional{"STFTWindow", window})
	}
}

// STFTWide sets the size of the default window of ones. The rest of a frame, on both sides, becomes 0.
func STFTWide(elements int) STFTOption {
	return func(a *stftOptions) { a.wide = elements; a.say("STFTWide(%d)", elements) }
}

// STFTPad sets the mode by which a signal is padded with half a frame at both ends, so that frame t is centered at
// element t·hop. The default is [PadReflect].
func STFTPad(mode PaddingMode) STFTOption {
	return func(a *stftOptions) { a.mode = mode; a.say("STFTPad(%s)", mode) }
}

// STFTBeside does not pad: frame t starts at element t·hop.
func STFTBeside() STFTOption { return func(a *stftOptions) { a.beside = true; a.say("STFTBeside()") } }

// STFTNormalized divides by the square root of the frame size.
func STFTNormalized() STFTOption {
	return func(a *stftOptions) { a.normalized = true; a.say("STFTNormalized()") }
}

// STFTWhole returns all frequencies. The default is the first half; the others are its conjugates.
func STFTWhole() STFTOption { return func(a *stftOptions) { a.whole = true; a.say("STFTWhole()") } }

// STFTLength sets the number of elements that [ISTFT] returns, padded with zeros. [STFT] does not have this option.
func STFTLength(n graph.Dim) STFTOption {
	return func(a *stftOptions) { a.length, a.cut = n, true; a.say("STFTLength(%s)", n) }
}

// call is the call with its operands, and its refusal if an operand or an option is wrong for any transform of frames.
func (a stftOptions) call(fn string, x node) (call refusedCall, bad node) {
	call = refusedCall{fn: fn, in: []node{x}}
	for _, w := range a.words {
		if _, isOperand := w.(optional); !isOperand {
			call.args.After = append(call.args.After, w)
		}
	}
	if bad := notTensors(call); bad != nil {
		return call, bad
	}
	if a.window != nil {
		if bad := notTensors(refused(fn, x, a.window).with(call.args.After...)); bad != nil {
			return call, bad
		}
	}
	refuse := a.refusing(call, x)
	wide := a.width()
	switch w, known := wide.Int(); {
	case x.DType() != graph.Float32 && x.DType() != graph.Float64:
		return call, call.wrongDType(oneWideFloat(x), "transforms need float32 or float64, but %s has dtype %s", x.Called(),
			x.DType())
	case a.window != nil && (a.window.Rank() != 1 || a.window.DType() != x.DType()):
		return call, refuse(graph.CodeOperand, "a window must be a vector of %s, but %s has shape %s and dtype %s",
			x.DType(), a.window.Called(), a.window.Shape(), a.window.DType())
	case a.n < 1 || a.n > math.MaxInt32:
		return call, refuse(graph.CodeOperand, "frames must have from 1 to %d elements, but have %d", math.MaxInt32,
			a.n)
	case a.hop < 1 || a.hop > math.MaxInt32:
		return call, refuse(graph.CodeOperand, "expected hop_length > 0, but got hop_length=%d", a.hop)
	case !known || w < 1 || w > int64(a.n):
		return call, refuse(graph.CodeOperand, "expected 0 < win_length <= n_fft, but got win_length=%s and n_fft=%d",
			wide, a.n)
	}
	return call, nil
}

// refusing makes refusals of a call that point at its operand.
func (stftOptions) refusing(call refusedCall, x node) func(code graph.Code, format string, args ...any) node {
	return func(code graph.Code, format string, args ...any) node {
		return refusal(call,
			&graph.Mistake{Code: code, Summary: fmt.Sprintf(format, args...), Operands: []graph.OperandNote{{Node: x}}})
	}
}

// width is that of the window.
func (a stftOptions) width() graph.Dim {
	if a.window != nil && a.window.Rank() == 1 {
		return a.window.Shape()[0]
	}
	return graph.Dim(a.wide)
}

// forward is the call of [STFT].
func (a stftOptions) forward(x node) (bad node) {
	call, bad := a.call("STFT", x)
	if bad != nil {
		return bad
	}
	switch refuse := a.refusing(call, x); {
	case x.Rank() != 1 && x.Rank() != 2:
		return refuse(graph.CodeRank, "expected a 1D or 2D tensor, but %s has shape %s", x.Called(), x.Shape())
	case a.cut:
		return refuse(graph.CodeOperand, "STFTLength is an option of ISTFT")
	}
	return nil
}

// backward is the call of [ISTFT].
func (a stftOptions) backward(x node) (call refusedCall, bad node) {
	if call, bad = a.call("ISTFT", x); bad != nil {
		return call, bad
	}
	rank, refuse := x.Rank(), a.refusing(call, x)
	wide, _ := a.width().Int()
	switch {
	case int64(a.hop) > wide:
		return call, refuse(graph.CodeOperand,
			"expected 0 < hop_length <= win_length, but got hop_length=%d and win_length=%d: frames leave gaps", a.hop,
			wide)
	case rank != 3 && rank != 4 || x.Shape()[rank-1] != 2:
		return call, refuse(
			graph.CodeRank,
			"istft expects [F, T, 2] or [N, F, T, 2], pairs of real and imaginary parts, but %s has shape %s",
			x.Called(), x.Shape())
	}
	return call, nil
}

// frame is the window with zeros around it, or nil if it is 1 everywhere.
func (a stftOptions) frame(x node) node {
	w := a.window
	if w == nil && a.wide == a.n {
		return nil
	}
	if w == nil {
		w = Ones(x.Graph(), x.DType(), graph.Dim(a.wide))
	}
	size, _ := w.Shape()[0].Int()
	before := (a.n - int(size)) / 2
	return Pad(w, 0, graph.Dim(before), graph.Dim(a.n-int(size)-before), 0)
}

func (a stftOptions) norm() FFTOption {
	if a.normalized {
		return FFTNorm(ScaleBoth)
	}
	return FFTNorm(ScaleInverse)
}

// STFT returns the short-time Fourier transform of signals x, [L] or [N, L], Float32 or Float64, in frames of n
// elements. The result is [n/2+1, T, 2] or [N, n/2+1, T, 2]: real and imaginary parts for each frequency in T = 1 +
// L/hop frames. A signal must have more than n/2 elements. Options are [STFTHop], [STFTWindow], [STFTWide],
// [STFTPad], [STFTBeside], [STFTNormalized] and [STFTWhole]. It is PyTorch's stft with return_complex, as pairs.
func STFT(x *graph.Node, n int, opts ...STFTOption) *graph.Node {
	a := stftOf(n, opts)
	defer building("STFT", append([]any{x}, a.words...)...)()
	defer inFloat32(&x)()
	if bad := a.forward(x); bad != nil {
		return bad
	}
	if !a.beside {
		x = PadWith(x, -1, graph.Dim(n/2), graph.Dim(n/2), a.mode)
	}
	// Frames are columns, as the result has them.
	frames := transposed(Window(x, -1, graph.Dim(n), a.hop, 1))
	if w := a.frame(x); w != nil {
		frames = Mul(frames, Unsqueeze(w, -1))
	}
	if a.whole {
		return FFT(Stack(-1, frames, ZerosLike(frames)), FFTAxis(-2), a.norm())
	}
	return RFFT(frames, FFTAxis(-2), a.norm())
}

// ISTFT is the inverse of [STFT] with the same options: for x [F, T, 2] or [N, F, T, 2] it returns [L] or [N, L],
// where L is (T-1)·hop, or n more with [STFTBeside]. If there are all frequencies, only the first half counts.
// Overlapping frames are added and divided by the sum of their squared windows; if that is 0, the run stops. It is
// PyTorch's istft.
func ISTFT(x *graph.Node, n int, opts ...STFTOption) *graph.Node {
	a := stftOf(n, opts)
	defer building("ISTFT", append([]any{x}, a.words...)...)()
	defer inFloat32(&x)()
	call, bad := a.backward(x)
	if bad != nil {
		return bad
	}
	rank := x.Rank()
	have, want := x.Shape()[rank-3], graph.Dim(n/2+1)
	if a.whole {
		want = graph.Dim(n)
	}
	if have != want {
		return refusal(call,
			&graph.Mistake{Code: graph.CodeOperand, Operands: []graph.OperandNote{{Node: x, Bad: []int{rank - 3}}},
				Summary: fmt.Sprintf(
					"expected the frequency dimension (3rd to the last) of the input tensor to be %s, but got %s", want,
					have)})
	}
	half := Slice(Transpose(x, -3, -2), -2, 0, graph.Dim(n/2+1), 1)
	frames := IRFFT(half, FFTSize(graph.Dim(n)), a.norm())
	count := x.Shape()[rank-2]
	w := a.frame(x)
	if w == nil {
		w = Ones(x.Graph(), x.DType(), graph.Dim(n))
	}
	reach := count.Minus(1).Times(graph.Dim(a.hop)).Plus(graph.Dim(n))
	sum := Fold(Mul(frames, w), rank-3, reach, a.hop, 1)
	squares := Fold(Expand(Square(w), count, graph.Dim(n)), 0, reach, a.hop, 1)
	first, last := graph.Dim(0), reach
	if !a.beside {
		first, last = graph.Dim(n/2), reach.Minus(graph.Dim(n/2))
	}
	if a.cut {
		last = graph.MinDim(first.Plus(a.length), reach)
	}
	sum, squares = Slice(sum, -1, first, last, 1), Slice(squares, 0, first, last, 1)
	squares = Assert(squares, GreaterEqual(squares, num(1e-11)), "the squares of the overlapping windows sum to 0 here")
	y := Div(sum, squares)
	if a.cut {
		y = Pad(y, -1, 0, a.length.Minus(last.Minus(first)), 0)
	}
	return y
}

func init() {
	composed("STFT", "Fourier transforms of frames of a signal, as pairs of real and imaginary parts.",
		named("scipy.signal.stft", "torch.stft", "jax.scipy.signal.stft", "STFT", "",
			func(e *graph.Example) node { return STFT(e.Of("x", "n", "32"), 8) }))
	composed("ISTFT", "the signal of which frames have these Fourier transforms.",
		named("scipy.signal.istft", "torch.istft", "jax.scipy.signal.istft", "", "",
			func(e *graph.Example) node { return ISTFT(e.Of("x", "n", "5", "9", "2"), 8) }))
}
