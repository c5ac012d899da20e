package weights

import "github.com/broadloom/broadloom/exec"

// Save writes the parameters of a session, the state of optimisers among them, to a file: see
// [Write]. Options are [Only], [Rename], [Metadata] and [ShardBytes]. No other session that shares
// the parameters may write them meanwhile.
func Save(path string, s *exec.Session, opts ...Option) error {
	o := optionsOf(opts)
	params, err := paramsOf(s, o)
	if err != nil {
		return err
	}
	values := make([]Named, len(params))
	for i, n := range params {
		values[i].Name = o.rename(n.Name())
		if values[i].Value, err = s.Param(n); err != nil {
			return err
		}
	}
	return Write(path, values, opts...)
}
