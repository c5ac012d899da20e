package hugepage

import "time"

// Slow is the time from which getting a large page counts as slow. A processor fills a page with zeros in about a tenth
// of it. Pages are slow if a virtual machine has returned them to its host, which then finds them again 4 kB at a time.
const Slow = time.Millisecond

// leastLater is the size from which it pays to begin with small pages.
const leastLater = 8 * huge

// Later is memory in small pages that are to become large ones. The zero value has none.
type Later struct{ left []byte }

// mostSlow is the number of slow pages after which no more are requested. A single one may have been slow because the
// thread waited for its processor.
const mostSlow = 2

// MakeLater makes n bytes like [Make], and touches each large page, as any user of all of them does. If some take
// longer than slow, the ones after them are small pages at first, which are filled with zeros as they are touched;
// [Later.Enlarge] makes large pages of them.
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

// Enlarge makes large pages, at least one, for up to most, and returns how long it took. The contents do not change,
// and can be read and written meanwhile. If the system refuses, the rest is left to it.
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
