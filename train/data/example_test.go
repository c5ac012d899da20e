package data_test

import (
	"context"
	"fmt"
	"log"

	"github.com/broadloom/broadloom/train/data"
)

func Example() {
	pixels := []uint8{0, 51, 102, 153, 204, 255} // three images of two pixels each
	x, err := data.Converted(pixels, func(p uint8) float32 { return float32(p) / 255 }, 2)
	if err != nil {
		log.Fatal(err)
	}
	y, err := data.Of([]int64{7, 8, 9})
	if err != nil {
		log.Fatal(err)
	}
	loader, err := data.New(2, []data.Column{x, y}, data.Prefetched(1))
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range loader.Epoch(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.Columns[0].Shape, batch.Columns[0].Data, batch.Columns[1].Data)
	}
	// Output:
	// [2 2] [0 0.2 0.4 0.6] [7 8]
	// [1 2] [0.8 1] [9]
}
