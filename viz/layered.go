package viz

import (
	"cmp"
	"math"
	"slices"
)

// Distances of a layered layout, and what bounds its time.
const (
	acrossGap  = 22  // between boxes of one row
	alongGap   = 36  // between rows
	partGap    = 40  // between what does not hang together
	bendWidth  = 6   // what an edge takes of a row that it crosses
	mostBends  = 12  // rows that an edge crosses between boxes; longer ones go straight
	orderings  = 12  // times that rows are sorted
	placings   = 14  // times that rows are placed
	mostCounts = 300 // edges between two rows up to which crossings are counted
	bendWeight = 3.0 // how much more a bend stays in line than a box
)

// layered is a layout of boxes joined by edges: rows by longest paths, their order by
// barycentres, places by least squares under that order. Rows follow each other along one
// axis; boxes of a row stand beside one another across it.
type layered struct {
	nodes []place // the boxes, then the bends of edges that cross rows
	rows  [][]int
	ways  [][]int // for each edge the nodes from its tail to its head
	size  extent
}

type place struct {
	extent
	at       extent // the centre
	row      int
	up, down []int // neighbours in the rows before and behind
	bend     bool
}

// extent is a length across rows and one along them.
type extent struct{ across, along float64 }

// arc is an edge between boxes, by their places in a list.
type arc struct{ tail, head int }

// layOut places boxes of the given sizes: what hangs together as layered by itself, and these
// beside one another. It gives the centre of each box, the bends of each edge and the size
// of it all. Edges that close a cycle, and very long ones, have no bends.
func layOut(sizes []extent, arcs []arc) (at []extent, bends [][]extent, size extent) {
	at, bends = make([]extent, len(sizes)), make([][]extent, len(arcs))
	for _, part := range partsOf(len(sizes), arcs) {
		l := layer(part, sizes, arcs)
		shift := size.across
		if shift > 0 {
			shift += partGap
		}
		moved := func(node int) extent {
			c := l.nodes[node].at
			return extent{c.across + shift, c.along}
		}
		for k, box := range part.boxes {
			at[box] = moved(k)
		}
		for k, a := range part.arcs {
			for _, bend := range l.ways[k][1 : len(l.ways[k])-1] {
				bends[a] = append(bends[a], moved(bend))
			}
		}
		size = extent{shift + l.size.across, max(size.along, l.size.along)}
	}
	return at, bends, size
}

// connected is boxes that hang together, and the arcs between them.
type connected struct{ boxes, arcs []int }

func partsOf(n int, arcs []arc) (parts []connected) {
	leader := make([]int, n)
	for i := range leader {
		leader[i] = i
	}
	find := func(i int) int {
		for leader[i] != i {
			leader[i] = leader[leader[i]]
			i = leader[i]
		}
		return i
	}
	for _, a := range arcs {
		x, y := find(a.tail), find(a.head)
		leader[max(x, y)] = min(x, y)
	}
	number := make([]int, n)
	for i := range n {
		if find(i) == i {
			number[i] = len(parts)
			parts = append(parts, connected{})
		}
		part := &parts[number[find(i)]]
		part.boxes = append(part.boxes, i)
	}
	for k, a := range arcs {
		part := &parts[number[find(a.tail)]]
		part.arcs = append(part.arcs, k)
	}
	return parts
}

// layer lays out boxes that hang together.
func layer(part connected, sizes []extent, all []arc) *layered {
	index := make(map[int]int, len(part.boxes))
	for k, box := range part.boxes {
		index[box] = k
	}
	arcs := make([]arc, len(part.arcs))
	for k, a := range part.arcs {
		arcs[k] = arc{index[all[a].tail], index[all[a].head]}
	}
	l := &layered{}
	rank := rankBoxes(len(part.boxes), arcs)
	for k, box := range part.boxes {
		l.nodes = append(l.nodes, place{extent: sizes[box], row: rank[k]})
	}
	for _, a := range arcs {
		l.route(a)
	}
	l.fillRows()
	l.orderRows()
	l.placeRows()
	l.measure()
	return l
}

// rankBoxes gives each box a row: below all whose edges lead to it, and what only feeds
// others right above the first of them.
func rankBoxes(n int, arcs []arc) []int {
	into, out := make([][]int, n), make([][]int, n)
	for _, e := range arcs {
		into[e.head], out[e.tail] = append(into[e.head], e.tail), append(out[e.tail], e.head)
	}
	rank, waits, done := make([]int, n), make([]int, n), make([]bool, n)
	var ready []int
	for i := range n {
		if waits[i] = len(into[i]); waits[i] == 0 {
			ready = append(ready, i)
		}
	}
	for left, next := n, 0; left > 0; {
		if len(ready) == 0 { // a cycle, which is cut here
			for done[next] {
				next++
			}
			ready = append(ready, next)
		}
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if done[i] {
			continue
		}
		done[i] = true
		left--
		for _, j := range out[i] {
			if done[j] {
				continue
			}
			rank[j] = max(rank[j], rank[i]+1)
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	for i := range n {
		if len(into[i]) > 0 || len(out[i]) == 0 {
			continue
		}
		nearest := math.MaxInt
		for _, j := range out[i] {
			nearest = min(nearest, rank[j])
		}
		rank[i] = max(0, nearest-1)
	}
	return rank
}

// route returns an edge its bends.
func (l *layered) route(e arc) {
	way := []int{e.tail}
	from, to := l.nodes[e.tail].row, l.nodes[e.head].row
	if to > from && to-from <= mostBends {
		for r := from + 1; r < to; r++ {
			way = append(way, len(l.nodes))
			l.nodes = append(l.nodes, place{extent: extent{bendWidth, 0}, row: r, bend: true})
		}
	}
	way = append(way, e.head)
	l.ways = append(l.ways, way)
	if to-from > mostBends || to <= from {
		return
	}
	for k := 1; k < len(way); k++ {
		a, b := way[k-1], way[k]
		l.nodes[a].down, l.nodes[b].up = append(l.nodes[a].down, b), append(l.nodes[b].up, a)
	}
}

func (l *layered) fillRows() {
	for i, n := range l.nodes {
		for len(l.rows) <= n.row {
			l.rows = append(l.rows, nil)
		}
		l.rows[n.row] = append(l.rows[n.row], i)
	}
}

// sweep visits the rows down and up in turn, with the neighbours that were visited before.
func (l *layered) sweep(times int, visit func(row []int, near func(i int) []int) (stop bool)) {
	for s := range times {
		for k := range l.rows {
			r, near := k, func(i int) []int { return l.nodes[i].up }
			if s%2 == 1 {
				r, near = len(l.rows)-1-k, func(i int) []int { return l.nodes[i].down }
			}
			if visit(l.rows[r], near) {
				return
			}
		}
	}
}

// orderRows sorts each row by the mean place of its neighbours, back and forth, and keeps
// the order with the fewest crossings.
func (l *layered) orderRows() {
	at := make([]float64, len(l.nodes))
	note := func(row []int) {
		for k, i := range row {
			at[i] = float64(k)
		}
	}
	for _, row := range l.rows {
		note(row)
	}
	key := make([]float64, len(l.nodes))
	best, fewest, visited := [][]int(nil), math.MaxInt, 0
	l.sweep(orderings, func(row []int, near func(int) []int) bool {
		for _, i := range row {
			key[i] = mean(near(i), at[i], func(j int) float64 { return at[j] })
		}
		slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
		note(row)
		if visited++; visited%len(l.rows) == 0 {
			if c := l.crossings(at); c < fewest {
				fewest, best = c, cloneRows(l.rows)
			}
		}
		return fewest == 0
	})
	if best != nil {
		l.rows = best
	}
}

func cloneRows(rows [][]int) [][]int {
	c := make([][]int, len(rows))
	for i, r := range rows {
		c[i] = slices.Clone(r)
	}
	return c
}

func (l *layered) crossings(at []float64) (total int) {
	type ends struct{ a, b float64 }
	var list []ends
	for _, row := range l.rows {
		list = list[:0]
		for _, i := range row {
			for _, j := range l.nodes[i].down {
				list = append(list, ends{at[i], at[j]})
			}
		}
		if len(list) > mostCounts {
			continue
		}
		for i, x := range list {
			for _, y := range list[i+1:] {
				if (x.a-y.a)*(x.b-y.b) < 0 {
					total++
				}
			}
		}
	}
	return total
}

// mean returns the mean of of over nodes, or other if there are no nodes.
func mean(nodes []int, other float64, of func(int) float64) float64 {
	if len(nodes) == 0 {
		return other
	}
	sum := 0.0
	for _, i := range nodes {
		sum += of(i)
	}
	return sum / float64(len(nodes))
}

// placeRows moves boxes towards the mean of their neighbours, keeping order and gaps.
func (l *layered) placeRows() {
	for _, row := range l.rows {
		x := 0.0
		for _, i := range row {
			n := &l.nodes[i]
			n.at.across = x + n.across/2
			x += n.across + acrossGap
		}
	}
	centre := func(j int) float64 { return l.nodes[j].at.across }
	l.sweep(placings, func(row []int, near func(int) []int) bool {
		want := make([]float64, len(row))
		for k, i := range row {
			n := &l.nodes[i]
			want[k] = mean(near(i), mean(slices.Concat(n.up, n.down), n.at.across, centre), centre)
		}
		l.pack(row, want)
		return false
	})
}

// pack solves least squares under the bounds of order and gaps exactly, by pooling
// neighbours that want to pass each other.
func (l *layered) pack(row []int, want []float64) {
	type block struct {
		sum, weight float64
		first       int
	}
	var blocks []block
	offsets := make([]float64, len(row))
	for k, i := range row {
		if k > 0 {
			offsets[k] = offsets[k-1] + (l.nodes[row[k-1]].across+l.nodes[i].across)/2 + acrossGap
		}
		weight := 1.0
		if l.nodes[i].bend {
			weight = bendWeight
		}
		b := block{(want[k] - offsets[k]) * weight, weight, k}
		for len(blocks) > 0 && blocks[len(blocks)-1].sum/blocks[len(blocks)-1].weight > b.sum/b.weight {
			a := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = block{a.sum + b.sum, a.weight + b.weight, a.first}
		}
		blocks = append(blocks, b)
	}
	for n, b := range blocks {
		end := len(row)
		if n+1 < len(blocks) {
			end = blocks[n+1].first
		}
		for k := b.first; k < end; k++ {
			l.nodes[row[k]].at.across = b.sum/b.weight + offsets[k]
		}
	}
}

// measure places the rows along their axis, and takes the size of it all.
func (l *layered) measure() {
	if len(l.nodes) == 0 {
		return
	}
	first, last, along := math.Inf(1), math.Inf(-1), 0.0
	for _, row := range l.rows {
		if len(row) == 0 {
			continue
		}
		high := 0.0
		for _, i := range row {
			high = max(high, l.nodes[i].along)
		}
		for _, i := range row {
			n := &l.nodes[i]
			n.at.along = along + high/2
			first, last = min(first, n.at.across-n.across/2), max(last, n.at.across+n.across/2)
		}
		along += high + alongGap
	}
	for i := range l.nodes {
		l.nodes[i].at.across -= first
	}
	l.size = extent{last - first, along - alongGap}
}
