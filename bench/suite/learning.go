package suite

// contrast makes what is known of images and of texts that belong together, and the parameters of two layers for each,
// and how far apart others are to be, as in A. Radford et al., Learning Transferable Visual Models from Natural
// Language Supervision, arXiv:2103.00020.
func contrast(pairs, width, hidden, d int) func(*source) {
	return func(s *source) {
		s.normal("image", pairs, width)
		s.normal("text", pairs, width)
		for _, side := range []string{"i", "t"} {
			s.linear(side+"0", "b"+side+"0", width, hidden)
			s.linear(side+"1", "b"+side+"1", hidden, d)
		}
		s.parameter("scale", []int{1}, func() float32 { return 2.6592 })
	}
}

// The tasks from which a step learns to learn, the convolutions, and how far a task's own step goes.
const (
	MetaTasks  = 2
	MetaLayers = 4
	MetaRate   = 0.4
)

// meta makes a few images with their classes for each task, more of them to try what was learned, and the parameters of
// convolutions, as in C. Finn, P. Abbeel, S. Levine, Model-Agnostic Meta-Learning, arXiv:1703.03400. Norms have a bias
// of 3, as MobileNetV2's.
func meta(shots, tries, size, d int) func(*source) {
	const classes = 5
	return func(s *source) {
		for i := range MetaTasks {
			s.normal(numbered("x", i), shots, 1, size, size)
			s.classes(numbered("t", i), classes, shots)
			s.normal(numbered("tryx", i), tries, 1, size, size)
			s.classes(numbered("tryt", i), classes, tries)
		}
		in := 1
		for i := range MetaLayers {
			s.filters(numbered("w", i), numbered("b", i), d, d, in, 3, 3)
			s.ones(numbered("g", i), d)
			s.parameter(numbered("c", i), []int{d}, func() float32 { return 3 })
			in = d
		}
		s.linear("head", "bias", d, classes)
	}
}

// The discount of what comes later, and the number of moves.
const (
	Discount = 0.99
	Moves    = 6
)

// player makes what a player saw before moves and behind them, the moves, what they brought and whether the game went
// on, and the parameters of a network that tells what moves are worth beside those of an earlier one, as in V. Mnih et
// al., Human-level control through deep reinforcement learning (2015), with the moves behind chosen as in H. van
// Hasselt, A. Guez, D. Silver, arXiv:1509.06461.
func player(batch int) func(*source) {
	return func(s *source) {
		s.normal("x", batch, 4, 84, 84)
		s.normal("y", batch, 4, 84, 84)
		s.classes("move", Moves, batch)
		s.normal("reward", batch)
		s.coins("goes", batch)
		for _, net := range []string{"", "old"} {
			s.evaluates = net != ""
			in := 4
			for i, c := range [][2]int{{32, 8}, {64, 4}, {64, 3}} {
				s.filters(numbered(net+"w", i), numbered(net+"b", i), c[0], c[0], in, c[1], c[1])
				in = c[0]
			}
			s.linear(net+"l0", net+"bl0", in*7*7, 512)
			s.linear(net+"l1", net+"bl1", 512, Moves)
		}
		s.evaluates = false
	}
}

// gcn makes nodes of a graph with their classes, edges by their ends, what each edge counts, and the parameters of two
// layers that add up what neighbours have, as in T. N. Kipf, M. Welling, arXiv:1609.02907.
func gcn(nodes, edges, features, d int) func(*source) {
	const classes = 40
	return func(s *source) {
		s.normal("x", nodes, features)
		s.classes("t", classes, nodes)
		s.classes("from", nodes, edges)
		s.classes("to", nodes, edges)
		s.uniform("counts", 0, 0.2, edges, 1)
		s.linear("w0", "b0", features, d)
		s.linear("w1", "b1", d, d)
		s.linear("w2", "b2", d, classes)
	}
}
