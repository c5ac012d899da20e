//go:build unix

package sidebyside

import (
	"testing"
	"time"
)

// TestSidesStandStillBetweenSamples has a program with a thread that counts. It counts while a sample is taken, and not
// while another side would be measured.
func TestSidesStandStillBetweenSamples(t *testing.T) {
	python, err := StartScript(t.Context(), interpreter(t), 1, []byte(`
import json, sys, threading, time
count = 0
def work():
    global count
    while True:
        count += 1
        time.sleep(0.001)
threading.Thread(target=work, daemon=True).start()
for line in sys.stdin:
    if "calls" in json.loads(line):
        time.sleep(0.1)
    print(json.dumps({"check": count, "seconds": 1}), flush=True)
`))
	if err != nil {
		t.Fatal(err)
	}
	defer python.Close()
	counted := func() float64 {
		a, err := python.ask("count")
		if err != nil {
			t.Fatal(err)
		}
		return a.Check
	}
	before := counted()
	if _, err := python.Time(1); err != nil {
		t.Fatal(err)
	}
	sampled := counted()
	if _, err := python.Time(1); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if during, all := sampled-before, counted()-sampled; during < 5 || all > 2*during+50 {
		t.Errorf(
			"%g were counted while a sample was taken, and %g in another one with a pause of five times its length",
			during, all)
	}
}
