package depthwise

// Axis is the sizes of a convolution along one axis. Place p of the result multiplies number k of the filter by element
// p·Stride + k·Dilation - Before of the operand, whose elements are Spread apart, with zeros between, before and after
// them.
type Axis struct {
	In, Out, Kernel          int
	Stride, Dilation, Spread int
	Before                   int
}

// Bears reports whether this package computes convolutions with such steps.
func (a Axis) Bears() bool {
	return 1 <= a.Stride && a.Stride <= mostPhases && 1 <= a.Spread && a.Spread <= mostPhases &&
		(a.Stride == 1 || a.Spread == 1) &&
		a.Before >= 0 && a.Dilation >= 1 && a.Kernel >= 1
}

// mostPhases is the largest step.
const mostPhases = 2

// lanes is the number of elements in a vector of the loops, or in two. slack is how many elements past the end of a row
// they can read or write.
const lanes, slack = 16, 32

// first is the place of the first element of the operand in its phases, which are counted from the zeros before it.
func (a *Axis) first() int { return (a.Before + a.Spread - 1) / a.Spread }

// phase is the place of element i of the operand: its phase, and its number there.
func (a *Axis) phase(i int) (phase, at int) {
	i += a.first()
	return i % a.Stride, i / a.Stride
}

// places is the number of places of a phase of the result.
func (a *Axis) places(phase int) int { return max(a.Out-phase+a.Spread-1, 0) / a.Spread }

// tap is what number k of the filter multiplies at the places of a phase of the result: the elements of a phase of the
// operand, from one on. has is false if they are all zeros between elements.
func (a *Axis) tap(result, k int) (phase, from int, has bool) {
	at := result + k*a.Dilation - a.Before + a.first()*a.Spread
	if at%a.Spread != 0 {
		return 0, 0, false
	}
	at /= a.Spread
	return at % a.Stride, at / a.Stride, true
}

// length is the number of elements of each phase of the operand, with zeros.
func (a *Axis) length() (n int) {
	for result := range a.Spread {
		for k := range a.Kernel {
			if _, from, has := a.tap(result, k); has {
				n = max(n, from+a.places(result))
			}
		}
	}
	return n
}

// taken is how many elements of the operand fit into the phases.
func (a *Axis) taken() int {
	return max(min(a.In, a.length()*a.Stride-a.first()), 0)
}
