package prefetch

import "unsafe"

// The limits of prefetching.
const (
	cached = 1 << 18 // bytes of a table whose rows are near anyway
	least  = 64      // bytes of a row that are worth asking for: of shorter ones, processors read several at once
	ahead  = 1 << 11 // bytes that are on the way at once
	most   = 1 << 10 // bytes of a row that are asked for: what follows, processors foresee
	atMost = 16      // rows that are asked for before the one at hand
)

// Rows prefetches the rows of a table in an order that is known in advance.
type Rows struct {
	table      unsafe.Pointer
	row, bytes uintptr
	// Ahead is the number of rows between the current one and the one to prefetch, or 0 if nothing is prefetched.
	Ahead int
}

// Of prepares for rows of a number of elements of a table.
func Of[T any](table []T, elements int) (r Rows) {
	size := unsafe.Sizeof(*new(T))
	if uintptr(len(table))*size <= cached || uintptr(elements)*size < least {
		return r
	}
	r.table, r.row = unsafe.Pointer(unsafe.SliceData(table)), uintptr(elements)*size
	r.bytes = min(r.row, most)
	r.Ahead = min(max(1, int(ahead/r.bytes)), atMost)
	return r
}

// Fetch prefetches a row of the table, given by its number.
func (r *Rows) Fetch(row int) { lines(unsafe.Add(r.table, uintptr(row)*r.row), r.bytes) }
