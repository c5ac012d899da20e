package train

import (
	"context"
	"errors"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/optim"
)

// Plateau returns an observer that shows a measure of each epoch to a plateau, which lowers the rate. The
// measure is a name in [Epoch.Measures]; empty for the mean loss of training. The session is that of the
// training: its checkpoints hold what the plateau remembers.
func Plateau(s *exec.Session, p *optim.Plateau, measure string) (Observer, error) {
	if s == nil || p == nil {
		return nil, errors.New("train: Plateau is given a nil session or a nil plateau")
	}
	if measure == lossName {
		return nil, noMeasure("Plateau", measure, nil)
	}
	shown, updates := p.Fed()
	prog, err := exec.Compile(p.Rate().Graph(), exec.Updates(updates...))
	if err != nil {
		return nil, err
	}
	judge := prog.NewSession(exec.ShareParams(s))
	return OnEpoch(func(e Epoch) error {
		v, err := e.measure("Plateau", measure)
		if err != nil {
			return err
		}
		_, err = judge.Run(context.Background(), exec.Feed{shown: v})
		return err
	}), nil
}
