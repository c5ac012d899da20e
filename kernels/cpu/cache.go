package cpu

// Cache is a cache of the processor that holds data.
type Cache struct {
	Bytes int
	Ways  int // lines that a set holds
}

// WayBytes is after how many bytes a set comes again.
func (c Cache) WayBytes() int { return c.Bytes / c.Ways }

// Data returns the cache of a level from 1 to 3, as the processor reports it: for what it does not
// report, sizes that nearly all processors have at least.
func Data(level int) Cache { return caches[level-1] }

// hierarchy is the caches that hold data, by level less one.
type hierarchy [3]Cache

// common is what is assumed of a processor that reports nothing.
var common = hierarchy{{32 << 10, 8}, {256 << 10, 4}, {4 << 20, 16}}

var caches = detectCaches()

// add notes a cache; what cannot be one changes nothing.
func (h *hierarchy) add(level, bytes, ways int) {
	if level >= 1 && level <= len(h) && ways > 0 && bytes >= ways {
		h[level-1] = Cache{bytes, ways}
	}
}
