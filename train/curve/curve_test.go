package curve

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/broadloom/broadloom/train"
)

var measured = []train.Curve{
	{Name: "loss", Points: points(2, 1, math.NaN(), 0.5)},
	{Name: "loss", PerEpoch: true, Points: points(1)},
	{Name: "hopeless", Points: points(math.Inf(1))},
	{Name: "accuracy", PerEpoch: true, Points: points(0.5, 0.75)},
}

// points makes points of steps from 1 on.
func points(values ...float64) (list []train.Point) {
	for i, v := range values {
		list = append(list, train.Point{Step: i + 1, Value: v})
	}
	return list
}

func TestSVG(t *testing.T) {
	var text bytes.Buffer
	require.NoError(t, SVG(&text, "A <training>", measured))
	assert.Contains(t, text.String(), "accuracy")
	assert.NotContains(t, text.String(), "hopeless")
	for d := xml.NewDecoder(&text); ; {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
}

func TestPNG(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, PNG(&file, "", measured))
	picture, err := png.Decode(&file)
	require.NoError(t, err)
	size := picture.Bounds().Size()
	assert.InDelta(t, 1, float64(size.Y)/float64(size.X), 0.01, "two diagrams, each half as high as wide")
}

func TestNothingToDraw(t *testing.T) {
	for _, curves := range [][]train.Curve{nil, measured[2:3], {{Name: "loss"}}} {
		require.ErrorIs(t, SVG(io.Discard, "", curves), errNothing)
		require.ErrorIs(t, PNG(io.Discard, "", curves), errNothing)
	}
}
