package viz

import "io"

// HTML writes a self-contained page. It has a column for each stage of compilation, in all of which the selected
// value is highlighted; a picture that folds and unfolds; kernels with their row programs; memory over time; and
// mistakes with their positions. It uses the options Title, Sizes and Profile. If a program has named sizes that
// Sizes does not bind, sizes in bytes are those for typical ones, which the page names.
//
// A program need not call it: with BROADLOOM_VIZ=out.html in the environment, every compilation writes its page.
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
