package ops

import "github.com/broadloom/broadloom/graph"

// The functions of this file go down the columns of matrices, which may be many: an array is [steps, columns] or
// [matrices, steps, columns]. What a column needs from one step to the next depends on nothing beside it, so that
// several go on together, and none waits.

// How many columns are taken together: a few cache lines of a row, or, of matrices of one column, so many matrices.
const (
	columnsTogether  = 64
	matricesTogether = 8
)

// lanes are columns that are taken together.
type lanes struct {
	first, width  int // the element where the first one begins, and their number
	across, along int // how far neighbouring lanes are apart, and the steps of a lane
	steps         int
}

// inLanes visits all columns of an array.
func inLanes(shape []int, reverse bool, each func(lanes)) {
	matrices, last := 1, len(shape)-1
	for _, d := range shape[:last-1] {
		matrices *= d
	}
	steps, columns := shape[last-1], shape[last]
	if steps == 0 {
		return
	}
	start, step := 0, columns
	if reverse {
		start, step = (steps-1)*columns, -columns
	}
	if columns == 1 {
		for m := 0; m < matrices; m += matricesTogether {
			each(lanes{m*steps + start, min(matricesTogether, matrices-m), steps, step, steps})
		}
		return
	}
	for m := range matrices {
		for c := 0; c < columns; c += columnsTogether {
			each(lanes{m*steps*columns + start + c, min(columnsTogether, columns-c), 1, step, steps})
		}
	}
}

// accumulate is the function of opAccumulate: floating-point numbers in float64.
func accumulate(a *graph.Arrays) error {
	switch a.Out.DType {
	case graph.Int32:
		accumulateIn[int32](graph.Elements[int32](a.Out), graph.Elements[int32](a.In[0]), a)
	case graph.Int64:
		accumulateIn[int64](graph.Elements[int64](a.Out), graph.Elements[int64](a.In[0]), a)
	case graph.Uint64:
		accumulateIn[uint64](graph.Elements[uint64](a.Out), graph.Elements[uint64](a.In[0]), a)
	case graph.Float32:
		accumulateIn[float64](graph.Elements[float32](a.Out), graph.Elements[float32](a.In[0]), a)
	case graph.Float64:
		accumulateIn[float64](graph.Elements[float64](a.Out), graph.Elements[float64](a.In[0]), a)
	}
	return nil
}

// totalled are the types of elements that are accumulated.
type totalled interface {
	int32 | int64 | uint64 | float32 | float64
}

// accumulateIn adds or multiplies in numbers of type S.
func accumulateIn[S, T totalled](out, x []T, a *graph.Arrays) {
	attrs := a.Attrs.(runningAttrs)
	if attrs.Extremum {
		extremaIn(out, x, a)
		return
	}
	neutral := S(0)
	if attrs.Product {
		neutral = 1
	}
	inLanes(a.Out.Shape, attrs.Reverse, func(l lanes) {
		if l.across != 1 || l.width == 1 {
			for j := 0; j < l.width; j += 4 {
				accumulateRows(out, x, l, j, attrs.Product, neutral, a)
			}
			return
		}
		var room [columnsTogether]S
		totals := room[:l.width]
		for j := range totals {
			totals[j] = neutral
		}
		for at, step := l.first, 0; step < l.steps; {
			for end := nextSteps(a, step, l.steps, l.width); step < end; at, step = at+l.along, step+1 {
				y, v := out[at:at+len(totals)], x[at:at+len(totals)]
				for j, t := range totals {
					if attrs.Product {
						t *= S(v[j])
					} else {
						t += S(v[j])
					}
					totals[j], y[j] = t, T(t)
				}
			}
		}
	})
}

// accumulateRows does so in four rows from the j-th on, whose totals stay in registers. Where there are fewer, the last
// one is taken several times.
func accumulateRows[S, T totalled](out, x []T, l lanes, j int, product bool, neutral S, arrays *graph.Arrays) {
	a, b, c, d := neutral, neutral, neutral, neutral
	if j == l.width-1 {
		for at, step := l.first+j*l.across, 0; step < l.steps; {
			for end := nextSteps(arrays, step, l.steps, 1); step < end; at, step = at+l.along, step+1 {
				if product {
					a *= S(x[at])
				} else {
					a += S(x[at])
				}
				out[at] = T(a)
			}
		}
		return
	}
	n, start := l.steps, 0
	if l.along < 0 {
		start = n - 1
	}
	row := func(x []T, lane int) []T { return x[l.first-start+min(lane, l.width-1)*l.across:][:n] }
	x0, x1, x2, x3 := row(x, j), row(x, j+1), row(x, j+2), row(x, j+3)
	y0, y1, y2, y3 := row(out, j), row(out, j+1), row(out, j+2), row(out, j+3)
	for i, step := start, 0; step < n; {
		for end := nextSteps(arrays, step, n, 4); step < end && uint(i) < uint(n); i, step = i+l.along, step+1 {
			if product {
				a *= S(x0[i])
				b *= S(x1[i])
				c *= S(x2[i])
				d *= S(x3[i])
			} else {
				a += S(x0[i])
				b += S(x1[i])
				c += S(x2[i])
				d += S(x3[i])
			}
			y0[i], y1[i], y2[i], y3[i] = T(a), T(b), T(c), T(d)
		}
	}
}

// runningPlaces is the function of opRunningPlaces.
func runningPlaces(a *graph.Arrays) error {
	switch x := a.In[0]; x.DType {
	case graph.Int32:
		placesOfExtrema(graph.Elements[int32](x), a)
	case graph.Int64:
		placesOfExtrema(graph.Elements[int64](x), a)
	case graph.Uint64:
		placesOfExtrema(graph.Elements[uint64](x), a)
	case graph.Float32:
		placesOfExtrema(graph.Elements[float32](x), a)
	case graph.Float64:
		placesOfExtrema(graph.Elements[float64](x), a)
	}
	return nil
}

// wins follows torch.cummax: an element wins that is NaN, or no less than the winner before; of the least ones, no
// greater. Few do.
func wins[T totalled](v, best T, least bool) bool {
	return (!least && !(v < best) || least && !(v > best)) && (best == best || v != v)
}

// losers is how many elements the winner is ahead of, before the next one that wins.
func losers[T totalled](x []T, best T, least bool) int {
	rest := x
	switch {
	case best != best:
		for len(rest) > 0 && rest[0] == rest[0] {
			rest = rest[1:]
		}
	case least:
		for len(rest) >= 4 {
			v := (*[4]T)(rest)
			if !(v[0] > best && v[1] > best && v[2] > best && v[3] > best) {
				break
			}
			rest = rest[4:]
		}
		for len(rest) > 0 && rest[0] > best {
			rest = rest[1:]
		}
	default:
		for len(rest) >= 4 {
			v := (*[4]T)(rest)
			if !(v[0] < best && v[1] < best && v[2] < best && v[3] < best) {
				break
			}
			rest = rest[4:]
		}
		for len(rest) > 0 && rest[0] < best {
			rest = rest[1:]
		}
	}
	return len(x) - len(rest)
}

// leastWithFewWinners is how long rows are whose winners are few: of random ones, the logarithm of their length.
const leastWithFewWinners = 32

// eachWinner visits the winners of elements, of which most rows have few: each for elements up to the next one, or for
// some of them at a time.
func eachWinner[T totalled](a *graph.Arrays, x []T, least bool, f func(winner, from, end int)) {
	for winner := 0; winner < len(x); {
		from, end := winner, winner+1
		for more := true; more; from = end {
			most := min(end+polledPart, len(x))
			end += losers(x[end:most], x[winner], least)
			a.Poll(end - from)
			f(winner, from, end)
			more = end == most && most < len(x)
		}
		winner = end
	}
}

func fill[T any](x []T, v T) {
	for ; len(x) >= 4; x = x[4:] {
		y := (*[4]T)(x)
		y[0], y[1], y[2], y[3] = v, v, v, v
	}
	for i := range x {
		x[i] = v
	}
}

// extremaIn has the winner up to each place.
func extremaIn[T totalled](out, x []T, a *graph.Arrays) {
	least := a.Attrs.(runningAttrs).Least
	inLanes(a.Out.Shape, false, func(l lanes) {
		if l.across != 1 || l.width == 1 {
			for j := range l.width {
				at := l.first + j*l.across
				if l.along == 1 && l.steps >= leastWithFewWinners {
					eachWinner(a, x[at:at+l.steps], least, func(winner, from, end int) {
						fill(out[at+from:at+end], x[at+winner])
					})
					continue
				}
				best := x[at]
				for step := 0; step < l.steps; {
					for end := nextSteps(a, step, l.steps, 1); step < end; at, step = at+l.along, step+1 {
						if v := x[at]; wins(v, best, least) {
							best = v
						}
						out[at] = best
					}
				}
			}
			return
		}
		best := out[l.first : l.first+l.width]
		copy(best, x[l.first:])
		at := l.first
		for step := 1; step < l.steps; {
			for end := nextSteps(a, step, l.steps, l.width); step < end; step++ {
				at += l.along
				y, v := out[at:at+len(best)], x[at:at+len(best)]
				for j, b := range best {
					if wins(v[j], b, least) {
						b = v[j]
					}
					y[j] = b
				}
				best = y
			}
		}
	})
}

// placesOfExtrema has the places of the winners.
func placesOfExtrema[T totalled](x []T, a *graph.Arrays) {
	least, out := a.Attrs.(runningAttrs).Least, graph.Elements[int64](a.Out)
	inLanes(a.Out.Shape, false, func(l lanes) {
		if l.across != 1 || l.width == 1 {
			for j := range l.width {
				first := l.first + j*l.across
				if l.along == 1 && l.steps >= leastWithFewWinners {
					eachWinner(a, x[first:first+l.steps], least, func(winner, from, end int) {
						fill(out[first+from:first+end], int64(winner))
					})
					continue
				}
				best, place := x[first], int64(0)
				for at, step := first, 0; step < l.steps; {
					for end := nextSteps(a, step, l.steps, 1); step < end; at, step = at+l.along, step+1 {
						if v := x[at]; wins(v, best, least) {
							best, place = v, int64(step)
						}
						out[at] = place
					}
				}
			}
			return
		}
		var best [columnsTogether]T
		var places [columnsTogether]int64
		at := l.first
		for step := 0; step < l.steps; {
			for end := nextSteps(a, step, l.steps, l.width); step < end; at, step = at+l.along, step+1 {
				i := at
				for j := range best[:l.width] {
					v := x[i]
					if step == 0 || wins(v, best[j], least) {
						best[j], places[j] = v, int64(step)
					}
					out[i] = places[j]
					i += l.across
				}
			}
		}
	})
}

// recur is the function of opRecur.
func recur(a *graph.Arrays) error {
	if a.Out.DType == graph.Float32 {
		recurDown(graph.Elements[float32](a.Out), graph.Elements[float32](a.In[0]), graph.Elements[float32](a.In[1]), a)
	} else {
		recurDown(graph.Elements[float64](a.Out), graph.Elements[float64](a.In[0]), graph.Elements[float64](a.In[1]), a)
	}
	return nil
}

// recurDown rounds products before it adds: it has the same bits on processors that could do both at once.
func recurDown[T float32 | float64](out, factors, x []T, a *graph.Arrays) {
	inLanes(a.Out.Shape, a.Attrs.(runningAttrs).Reverse, func(l lanes) {
		var sums [columnsTogether]float64
		at := l.first
		for step := 0; step < l.steps; {
			for end := nextSteps(a, step, l.steps, l.width); step < end; at, step = at+l.along, step+1 {
				i := at
				for j := range sums[:l.width] {
					sum := float64(x[i])
					if step > 0 {
						sum += float64(float64(factors[i]) * sums[j])
					}
					sums[j], out[i] = sum, T(sum)
					i += l.across
				}
			}
		}
	})
}
