package cpu

// Cache is a cache of the processor that holds data.
type Cache struct {
	Bytes int
	Ways  int // lines that a set holds
}

// WayBytes is the distance after which addresses fall into the same set again.
func (c Cache) WayBytes() int { return c.Bytes / c.Ways }

// Data returns the cache of a level from 1 to 3, as the processor reports it. If it reports nothing, the sizes are ones
// that nearly all processors have at least.
func Data(level int) Cache { return caches[level-1] }

// hierarchy is the data caches, by level less one.
type hierarchy [3]Cache

// common is what is assumed of a processor that reports nothing.
var common = hierarchy{{32 << 10, 8}, {256 << 10, 4}, {4 << 20, 16}}

var caches = detectCaches()

// add records a cache; implausible ones are ignored.
func (h *hierarchy) add(level, bytes, ways int) {
	if level >= 1 && level <= len(h) && ways > 0 && bytes >= ways {
		h[level-1] = Cache{bytes, ways}
	}
}
