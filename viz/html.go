package viz

import "io"

// HTML writes a page that works from disk without any other file: a column for each
// stage of compilation with the same value lit up in all of them, a picture that folds
// and unfolds, kernels with their row programs, memory over time, and mistakes with their
// places. Of the options it heeds Title, Sizes and Profile. Where a program has named
// sizes and Sizes does not give them, figures in bytes hold for usual ones, which the
// page names.
//
// A program need not call it: with BROADLOOM_VIZ=out.html in the environment, every
// compilation writes its page.
func HTML(w io.Writer, s Source, opts ...Option) error {
	if err := checkPicture(w, s); err != nil {
		return err
	}
	o := newOptions(opts)
	d := s.page(o)
	if o.title != "" {
		d.Title = o.title
	}
	return d.Write(w)
}
