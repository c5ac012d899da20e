package suite

import "math"

// Bottleneck is one of MobileNetV2's blocks: a 1×1 convolution to more channels, where there are to be more,
// a depthwise 3×3 one, and a 1×1 one to fewer. The sum with its input follows where shapes are equal.
type Bottleneck struct{ In, Hidden, Out, Stride int }

// Expands reports whether the block begins with a convolution to more channels.
func (b Bottleneck) Expands() bool { return b.Hidden != b.In }

// Adds reports whether the block's input is added to its result.
func (b Bottleneck) Adds() bool { return b.In == b.Out && b.Stride == 1 }

// MobileNetV2 lists the blocks, as in table 2 of M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen,
// MobileNetV2: Inverted Residuals and Linear Bottlenecks, arXiv:1801.04381.
var MobileNetV2 = bottlenecks(32, [][4]int{
	{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1},
})

// bottlenecks expands rows of the table: a factor for hidden channels, channels, repetitions, the first one's stride.
func bottlenecks(in int, rows [][4]int) []Bottleneck {
	var list []Bottleneck
	for _, r := range rows {
		for i := range r[2] {
			b := Bottleneck{In: in, Hidden: in * r[0], Out: r[1], Stride: 1}
			if i == 0 {
				b.Stride = r[3]
			}
			list, in = append(list, b), b.Out
		}
	}
	return list
}

// mobileNet makes square images, their classes if the model is trained, and its parameters, named as ResNet-18's:
// "0" is the first convolution, "last" the one behind the blocks.
//
// In training, norms before ReLU6 have a bias of 3. Gradients jump where an element lies at 0 or 6 but for rounding,
// and with a bias of 0 so many do that two float32 computations differ by a hundredth. Around 3 a few in a thousand are
// cut off.
func mobileNet(batch, size int) func(*source) {
	const classes, width = 1000, 1280
	return func(s *source) {
		s.images(classes, batch, size)
		middle := float32(3)
		if s.evaluates {
			middle = 0
		}
		s.normalizedAround(middle, "0", MobileNetV2[0].In, 3, 3)
		for i, b := range MobileNetV2 {
			if b.Expands() {
				s.normalizedAround(middle, numbered("a", i), b.Hidden, b.In, 1)
			}
			s.normalizedAround(middle, numbered("b", i), b.Hidden, 1, 3)
			s.normalized(numbered("c", i), b.Out, b.Hidden, 1)
		}
		s.normalizedAround(middle, "last", width, MobileNetV2[len(MobileNetV2)-1].Out, 1)
		s.linear("head", "bias", width, classes)
	}
}

// uNet makes square images, and for each of ten 3×3 convolutions filters "w…", bias "b…", and gain "g…" and bias "c…"
// of the norm behind it: two at each of three sizes on the way down, two at each of two on the way up. A 1×1 one is
// last.
func uNet(batch, size int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 3, size, size)
		i := 0
		for _, level := range [][2]int{{3, 32}, {32, 64}, {64, 128}, {128 + 64, 64}, {64 + 32, 32}} {
			in, out := level[0], level[1]
			for range 2 {
				s.filters(numbered("w", i), numbered("b", i), out, out, in, 3, 3)
				s.ones(numbered("g", i), out)
				s.zeros(numbered("c", i), out)
				i, in = i+1, out
			}
		}
		s.filters("wlast", "blast", 3, 3, 32, 1, 1)
	}
}

// vae makes square images of one channel, noise for the codes, and the parameters of an encoder and a decoder:
// each of two convolutions with a stride of 2 or transposed ones, and linear layers to the codes and back.
func vae(batch, size, codes int) func(*source) {
	return func(s *source) {
		s.uniform("x", 0, 1, batch, 1, size, size)
		s.normal("eps", batch, codes)
		flat := 64 * (size / 4) * (size / 4)
		s.filters("e0", "be0", 32, 32, 1, 4, 4)
		s.filters("e1", "be1", 64, 64, 32, 4, 4)
		s.linear("mean", "bmean", flat, codes)
		s.linear("logvar", "blogvar", flat, codes)
		s.linear("back", "bback", codes, flat)
		s.filters("d0", "bd0", 32, 64, 32, 4, 4)
		s.filters("d1", "bd1", 1, 32, 1, 4, 4)
	}
}

// gru makes sequences with their classes, and the parameters of two layers in both directions, named as PyTorch's.
func gru(batch, length, width, hidden int) func(*source) {
	const classes, gates = 10, 3
	return func(s *source) {
		s.normal("x", batch, length, width)
		s.classes("t", classes, batch)
		for _, suffix := range []string{"_l0", "_l0_reverse", "_l1", "_l1_reverse"} {
			s.weight("gru.weight_ih"+suffix, gates*hidden, width)
			s.weight("gru.weight_hh"+suffix, gates*hidden, hidden)
			s.zeros("gru.bias_ih"+suffix, gates*hidden)
			s.zeros("gru.bias_hh"+suffix, gates*hidden)
			if suffix == "_l0_reverse" {
				width = 2 * hidden
			}
		}
		s.linear("head", "bias", 2*hidden, classes)
	}
}

// vit makes square images with their classes, filters for patches, a token and positions, and blocks of width d.
func vit(batch, size, patch, d, layers int) func(*source) {
	const classes = 1000
	return func(s *source) {
		s.images(classes, batch, size)
		s.filters("patch", "bpatch", d, d, 3, patch, patch)
		s.scaled("token", 0.02, 1, 1, d)
		s.scaled("positions", 0.02, 1, 1+(size/patch)*(size/patch), d)
		s.blocks(layers, d)
		s.linear("head", "bias", d, classes)
	}
}

// dlrm makes rows of 13 numbers and of classes, one for each table, and which rows are true; tables of vectors of width
// d; and layers: two for the numbers, three for what these give beside the products of all pairs of vectors.
func dlrm(batch, tables, rows, d int) func(*source) {
	const numbers = 13
	return func(s *source) {
		s.normal("x", batch, numbers)
		for i := range tables {
			s.classes(numbered("i", i), rows, batch)
		}
		s.coins("t", batch, 1)
		for i := range tables {
			s.weight(numbered("e", i), rows, d)
		}
		widths := [][2]int{{numbers, 256}, {256, d}, {d + (1+tables)*(1+tables), 512}, {512, 256}, {256, 1}}
		for i, w := range widths {
			s.linear(numbered("w", i), numbered("b", i), w[0], w[1])
		}
	}
}

// filters adds the weights of a convolution, of whatever layout, and a bias of so many channels.
func (s *source) filters(weight, bias string, channels int, shape ...int) {
	fan := 1
	for _, n := range shape[1:] {
		fan *= n
	}
	s.scaled(weight, math.Sqrt(2/float64(fan)), shape...)
	s.zeros(bias, channels)
}

// linear adds the weights of a linear layer, [out, in], and its bias.
func (s *source) linear(weight, bias string, in, out int) {
	s.weight(weight, out, in)
	s.zeros(bias, out)
}
