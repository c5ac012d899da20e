package launch

// Reshaped returns each operand's steps along axes of other sizes that visit the same elements in the same order; nil
// for an operand without such steps. No size may be zero.
func (a *Args) Reshaped(sizes []int) [][]int {
	from := append(append([]int(nil), a.Outer...), a.N)
	all := make([][]int, len(a.Stride))
	for i, steps := range a.Stride {
		if all[i] = reshaped(from, steps, sizes); all[i] == nil {
			return nil
		}
	}
	return all
}

// reshaped returns steps along axes of sizes from those along axes of the sizes from. It proceeds from the last axes to
// the first.
func reshaped(from, steps, sizes []int) []int {
	to := make([]int, len(sizes))
	axis, left, step := len(from), 1, 0 // what is left of axes that go on with each other, and the step
	for i := len(sizes) - 1; i >= 0; i-- {
		if sizes[i] == 1 {
			continue
		}
		for left == 1 {
			if axis--; axis < 0 {
				return nil
			}
			left, step = from[axis], steps[axis]
			for axis > 0 && (from[axis-1] == 1 || steps[axis-1] == step*left) {
				axis--
				left *= from[axis]
			}
		}
		if left%sizes[i] != 0 {
			return nil
		}
		to[i] = step
		left, step = left/sizes[i], step*sizes[i]
	}
	return to
}
