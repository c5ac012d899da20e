package viz

import "io"

// Text writes the program's text form: one value a line, operands before users. Of the
// options it heeds Details(Lines). It is meant for grep and diff, and shows all values.
func Text(w io.Writer, s Source, opts ...Option) error {
	o := newOptions(opts)
	_, err := io.WriteString(w, s.text(o.detail&Lines != 0))
	return err
}
