package symbolic

// Sizes made before the first program are kept for ever, and sweeps would see those of all tests.
func init() { NewLife() }

// SweepNow sweeps the table as if much time had passed since everything was used.
func SweepNow() {
	table.Lock()
	defer table.Unlock()
	for range 3 {
		sweep()
	}
}

// Entries returns the number of expressions in the table.
func Entries() int {
	table.Lock()
	defer table.Unlock()
	return table.count
}
