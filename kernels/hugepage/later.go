package hugepage

import "time"

// Slow is the time in which a large page is given from which on large pages are slow to come by:
// a processor fills one with zeros in about a tenth of it. They are where a virtual machine has given
// them back to its host, which then finds them again 4 kB at a time.
const Slow = time.Millisecond

// leastLater is the size from which on memory is worth beginning with small pages.
const leastLater = 8 * huge

// Later is memory in small pages that is to lie in large ones. The zero value has none.
type Later struct{ left []byte }

// mostSlow is the number of slow pages after which no more are asked for: one may have been slow
// since the thread had to wait for its processor.
const mostSlow = 2

// MakeLater makes n bytes like [Make], and touches each large page, as whoever uses all of them does
// anyway. Where some take longer than slow, those that follow are small pages at first, which are
// filled with zeros as they are touched; [Later.Enlarge] makes large pages of them.
func MakeLater(n int, slow time.Duration) ([]byte, Later) {
	if n < leastLater {
		return Make[byte](n), Later{}
	}
	memory, paged := room(n)
	for left := mostSlow; len(paged) > 0 && left > 0; paged = paged[huge:] {
		began := time.Now()
		advise(paged[:huge])
		paged[0] = 0
		if time.Since(began) > slow {
			left--
		}
	}
	return memory, Later{paged}
}

// Pending reports whether there is memory left in small pages.
func (l *Later) Pending() bool { return len(l.left) > 0 }

// Enlarge makes large pages, at least one, until some time is over, and returns how long that took.
// What is in the memory stays, and it can be read and written meanwhile. Where the system refuses,
// the rest is left to it.
func (l *Later) Enlarge(most time.Duration) (took time.Duration) {
	began := time.Now()
	for l.Pending() {
		page := l.left[:huge]
		advise(page)
		if !collapse(page) {
			advise(l.left)
			l.left = nil
			break
		}
		if l.left = l.left[huge:]; time.Since(began) >= most {
			break
		}
	}
	return time.Since(began)
}
