package main

import (
	"github.com/broadloom/broadloom/graph"
	"github.com/broadloom/broadloom/nn"
	"github.com/broadloom/broadloom/ops"
	"github.com/broadloom/broadloom/optim"
)

const (
	side          = 8 // pixels
	latent        = 8 // numbers that represent an image
	rows, columns = 8, 16
)

// model is an autoencoder of images.
type model struct {
	graph    *graph.Graph
	image    *graph.Node // input: float32 [batch, 1, side, side], from 0 to 1
	loss     *graph.Node // for each image: an upper bound on its negative log-likelihood
	step     []*graph.Node
	samples  *graph.Node // float32 [rows·columns, side·side]: generated images
	dreaming []*graph.Node
}

func newModel() *model {
	const width = 128
	g := graph.New("vae")
	batch := g.Dim("batch")
	m := &model{graph: g, image: g.Input("image", graph.Float32, batch, 1, side, side)}
	relu := nn.Func(ops.Relu)
	encoder := nn.Sequential(nn.NewLinear(g, "encoder", side*side, width), relu)
	mean, logVariance := nn.NewLinear(g, "mean", width, latent), nn.NewLinear(g, "log_variance", width, latent)
	decoder := nn.Sequential(
		nn.NewLinear(g, "decoder.1", latent, width), relu, nn.NewLinear(g, "decoder.2", width, width), relu,
		nn.NewLinear(g, "decoder.3", width, side*side)) // logits of pixels

	training := nn.Training(g)
	x := ops.Flatten(m.image, 1, -1)
	h := encoder.Apply(training, x)
	mu, logVar := mean.Apply(training, h), logVariance.Apply(training, h)
	noise := ops.Normal(training.Seed(), graph.Float32, batch, latent)
	z := ops.Add(mu, ops.Mul(ops.Exp(ops.Mul(logVar, graph.Num(0.5))), noise))
	missed := ops.Sum(ops.BCEWithLogits(decoder.Apply(training, z), x, ops.EachLoss()), 1)
	m.loss = ops.Mean(ops.Add(missed, divergence(mu, logVar)))
	m.step = append(optim.Adam(2e-3).Minimize(m.loss), training.Updates()...)

	dream := nn.Evaluation(g)
	drawn := ops.Normal(dream.Seed(), graph.Float32, rows*columns, latent)
	m.samples = ops.Sigmoid(decoder.Apply(dream, drawn))
	m.dreaming = dream.Updates()
	return m
}

// divergence is the Kullback-Leibler divergence of normal distributions [batch, latent] from the standard
// one, for each image: ½·Σ(μ² + σ² - 1 - log σ²) (Kingma and Welling, appendix B).
func divergence(mean, logVariance *graph.Node) *graph.Node {
	moments := ops.Add(ops.Square(mean), ops.Exp(logVariance))
	return ops.Mul(ops.Sum(ops.Sub(moments, ops.Add(logVariance, graph.Num(1))), 1), graph.Num(0.5))
}

// checked is the model for `broadloom check ./examples/vae`.
//
//broadloom:model
func checked() *graph.Graph { return newModel().graph }
