package dense

// PseudoInverse writes the Moore-Penrose inverse, of m rows and n columns, of a matrix of n rows and m columns. Singular
// values up to least, or up to the greatest times share, count as 0.
func PseudoInverse(memory Memory, inverse, a []float64, n, m int, least, share float64) error {
	k := min(n, m)
	u, s, vt := memory.Floats(n*k), memory.Floats(k), memory.Floats(k*m)
	if err := SVD(memory, u, s, vt, a, n, m); err != nil {
		return err
	}
	clear(inverse)
	for i, v := range s {
		if !(v > max(least, s[0]*share)) {
			break
		}
		for row := range m {
			factor := vt[i*m+row] / v
			for col := range n {
				inverse[row*n+col] += factor * u[col*k+i]
			}
		}
	}
	return nil
}
