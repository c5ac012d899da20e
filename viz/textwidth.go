package viz

// arialWidths are the widths of the characters from space to tilde in Arial, in
// thousandths of the size.
var arialWidths = [...]int{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

const (
	otherWidth = 600  // of letters elsewhere in Unicode
	wideWidth  = 1000 // of those of East Asia, and of pictures
	boldFactor = 1.08 // of bold text to plain text
)

// textWidth estimates the width of text in Arial; other fonts differ by a few percent.
func textWidth(s string, points float64, bold bool) float64 {
	sum := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += arialWidths[r-' ']
		case r >= 0x2e80:
			sum += wideWidth
		default:
			sum += otherWidth
		}
	}
	w := float64(sum) * points / 1000
	if bold {
		w *= boldFactor
	}
	return w
}
