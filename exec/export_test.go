package exec

import "github.com/broadloom/broadloom/kernels/bind"

// CheckArguments verifies the arguments of all row programs that the session has bound.
func (s *Session) CheckArguments() error {
	for _, b := range s.bindings {
		for _, st := range b.steps {
			if k, ok := st.kernel.(*boundPart); ok {
				if err := bind.Check(k.part.prog, k.args); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
