package metric_test

import (
	"fmt"
	"log"

	"github.com/broadloom/broadloom/train/metric"
)

func ExampleConfusion() {
	c, err := metric.NewConfusion(3)
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Add([]int64{0, 2, 1, 0, 0, 1}, []int64{0, 1, 2, 0, 1, 1}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.2f, F1 of class 0 %.2f, mean F1 %.2f\n", c.Accuracy(), c.F1(0), c.MacroF1())
	fmt.Print(c)
	// Output:
	// accuracy 0.50, F1 of class 0 0.80, mean F1 0.40
	//  true\predicted 0 1 2
	//               0 2 0 0
	//               1 1 1 1
	//               2 0 1 0
}

func ExampleROC() {
	var r metric.ROC
	if err := metric.AddBinary(&r, []float32{0.1, 0.4, 0.35, 0.8}, []bool{false, false, true, true}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.AUC())
	// Output: 0.75
}
