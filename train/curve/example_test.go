package curve_test

import (
	"bytes"
	"fmt"

	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/train/curve"
)

// The curves of a train.History, or of train.ReadLog, are drawn as they are.
func ExampleSVG() {
	history := &train.History{}
	for epoch, loss := range []float64{2.3, 0.9, 0.4} {
		if err := history.Epoch(train.Epoch{Number: epoch, Steps: 10, Total: 10 * (epoch + 1), Loss: loss}); err !=
			nil {
			fmt.Println(err)
		}
	}
	var picture bytes.Buffer
	err := curve.SVG(&picture, "digits", history.Curves())
	fmt.Println(bytes.Contains(picture.Bytes(), []byte("<svg")), err)
	// Output: true <nil>
}
