package progress_test

import (
	"fmt"
	"os"
	"time"

	"github.com/broadloom/broadloom/train"
	"github.com/broadloom/broadloom/train/progress"
)

// Without a terminal, each epoch is one line.
func ExampleNew() {
	p := progress.New(os.Stdout, 100)
	for epoch, loss := range []float64{2.3, 0.9} {
		e := train.Epoch{Number: epoch, Steps: 50, Total: 50 * (epoch + 1), Loss: loss,
			Measures: map[string]float64{"accuracy": 0.5}, Took: time.Second}
		if err := p.Epoch(e); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// epoch 1, step 50 of 100: loss 2.3, accuracy 0.5
	// epoch 2, step 100 of 100: loss 0.9, accuracy 0.5
}
