package train

import (
	"context"
	"errors"

	"github.com/broadloom/broadloom/exec"
	"github.com/broadloom/broadloom/optim"
)

// Plateau returns an observer that passes a metric of each epoch to a plateau, which lowers the learning rate. The
// metric is a name in [Epoch.Measures], or empty for the mean training loss. The session is the one that trains: its
// checkpoints include the plateau's state.
func Plateau(s *exec.Session, p *optim.Plateau, measure string) (Observer, error) {
	if s == nil || p == nil {
		return nil, errors.New("train: Plateau got a nil session or a nil plateau")
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
