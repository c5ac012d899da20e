package axisflow_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/internal/prove"
	"github.com/broadloom/broadloom/shapeinfer/axisflow"
)

// sizes of the tables below: seq is a multiple of 8, and so are d and h, which is even.
var bounds = map[string]graph.Bounds{
	"seq": {Min: 8, Multiple: 8}, "d": {Min: 8, Multiple: 8}, "h": {Min: 8, Multiple: 8}}

func prover() *prove.Prover {
	return prove.NewProver(func(name string) graph.Bounds {
		if b, said := bounds[name]; said {
			return b
		}
		return graph.DefaultBounds()
	})
}

// shape reads sizes.
func shape(t *testing.T, sizes ...string) graph.Shape {
	s := make(graph.Shape, len(sizes))
	for i, text := range sizes {
		d, err := graph.ParseDim(text)
		require.NoError(t, err)
		s[i] = d
	}
	return s
}

type words = []string

func TestMixes(t *testing.T) {
	for _, c := range []struct {
		name     string
		from, to words
		want     bool
	}{
		{"heads put back without a transpose", words{"b", "8", "t", "64"}, words{"b", "t", "512"}, true},
		{"the same of sizes that divide each other", words{"b", "8", "seq", "64"}, words{"b", "seq", "512"}, true},
		{"the same of numbers", words{"32", "8", "128", "64"}, words{"32", "128", "512"}, true},
		{"heads into the batch", words{"b", "t", "512"}, words{"8*b", "t", "64"}, true},
		{"heads into the batch, of a multiple of 8", words{"b", "seq", "512"}, words{"8*b", "seq", "64"}, true},
		{"the same of other numbers", words{"32", "8", "100", "64"}, words{"32", "100", "512"}, true},
		{"batch first", words{"t", "b", "64"}, words{"b", "t", "64"}, true},
		{"batch first, of numbers", words{"512", "8", "3"}, words{"8", "512", "3"}, true},
		{"channels last to first", words{"b", "h*w", "19"}, words{"b", "19", "h", "w"}, true},
		{"channels last to first, of numbers", words{"b", "196", "768"}, words{"b", "768", "14", "14"}, true},
		{"channels first to tokens", words{"b", "c", "h", "w"}, words{"b", "h*w", "c"}, true},
		{"patches without a transpose", words{"b", "3", "h", "w"}, words{"b", "floor(h/8)*w", "24"}, true},
		{"a matrix for its transpose", words{"n", "m"}, words{"m", "n"}, true},

		{"heads apart", words{"b", "t", "512"}, words{"b", "t", "8", "64"}, false},
		{"heads together", words{"b", "t", "8", "64"}, words{"b", "t", "512"}, false},
		{"heads of a part of the width", words{"b", "t", "d"}, words{"b", "t", "8", "floor(d/8)"}, false},
		{"heads into the batch, time first", words{"t", "b", "d"}, words{"t", "8*b", "floor(d/8)"}, false},
		{"examples and places together", words{"b", "t", "64"}, words{"b*t", "64"}, false},
		{"examples and places apart", words{"b*t", "64"}, words{"b", "t", "64"}, false},
		{"all in one and apart", words{"b", "t", "64"}, words{"64*b*t"}, false},
		{"frames stacked", words{"b", "seq", "80"}, words{"b", "floor(seq/4)", "320"}, false},
		{"frames stacked, of no declared multiple", words{"t", "80"}, words{"floor(t/2)", "160"}, false},
		{"windows of an image", words{"b", "h", "w", "c"}, words{"b", "floor(h/8)", "8", "w", "c"}, false},
		{"pixels shuffled", words{"b", "c", "h", "2", "w", "2"}, words{"b", "c", "2*h", "2*w"}, false},
		{"rows moved against each other", words{"b", "t", "t+1"}, words{"b", "t+1", "t"}, false},
		{"the same of numbers", words{"9", "10"}, words{"10", "9"}, false},
		{"numbers that are no kin", words{"3", "4"}, words{"2", "6"}, false},
		{"frames into examples", words{"b", "t", "3", "h", "w"}, words{"b*t", "3", "h", "w"}, false},
		{"groups of channels", words{"b", "32", "h", "w"}, words{"b", "4", "8*h*w"}, false},
		{"keys and values in one", words{"b", "t", "3*d"}, words{"b", "t", "3", "d"}, false},
		{"axes of one element", words{"b", "1", "t"}, words{"b", "t", "1"}, false},
		{"pairs by twos", words{"n", "n-1", "8"}, words{"floor((n*n-n)/2)", "2", "8"}, false},
		{"as it is", words{"b", "t"}, words{"b", "t"}, false},
	} {
		assert.Equal(t, c.want, axisflow.Mixes(prover(), shape(t, c.from...), shape(t, c.to...)), "%s: %s to %s",
			c.name, c.from, c.to)
	}
}

func TestUnmix(t *testing.T) {
	for _, c := range []struct {
		from, to words
		split    words
		perm     []int
	}{
		{words{"b", "8", "t", "64"}, words{"b", "t", "512"}, nil, []int{0, 2, 1, 3}},
		{words{"b", "8", "seq", "64"}, words{"b", "seq", "512"}, nil, []int{0, 2, 1, 3}},
		{words{"b", "t", "512"}, words{"8*b", "t", "64"}, words{"b", "t", "8", "64"}, []int{0, 2, 1, 3}},
		{words{"b", "t", "256"}, words{"b", "4", "t", "64"}, words{"b", "t", "4", "64"}, []int{0, 2, 1, 3}},
		{words{"t", "b", "64"}, words{"b", "t", "64"}, nil, []int{1, 0, 2}},
		{words{"b", "h*w", "19"}, words{"b", "19", "h", "w"}, nil, []int{0, 2, 1}},
		{words{"b", "c", "h", "w"}, words{"b", "h*w", "c"}, nil, []int{0, 2, 3, 1}},
	} {
		r, ok := axisflow.Unmix(prover(), shape(t, c.from...), shape(t, c.to...))
		require.True(t, ok, "%s to %s", c.from, c.to)
		assert.Equal(t, c.perm, r.Perm, "%s to %s", c.from, c.to)
		if c.split != nil {
			assert.Equal(t, shape(t, c.split...), r.Split)
		} else {
			assert.Nil(t, r.Split)
		}
	}
}
