// Package reach spreads a program over many devices: it says which axes of which values are divided over
// which axes of a mesh, checks that before anything runs, tells what it costs, and hands the program with
// its shardings to XLA, whose partitioner inserts the communication.
//
//	mesh := reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2))
//	plan, err := reach.Shard(g, mesh, reach.Outputs(loss), reach.Updates(step...),
//		reach.Dim("batch", "data"), reach.Params("*.up.weight", "tensor", ""))
//
// A program means the same on any mesh: the mean over a batch is that of the whole batch, and random numbers
// are the same, since they are computed from a key and a position.
//
// mesh.go is the mesh, sharding.go how a value is divided over it, options.go what a user says, plan.go which
// sharding each value gets from that, and check.go what may be wrong with it. explain.go tells what a plan costs:
// propagate.go follows shardings through a program, primitive.go through one operation, and collective.go is
// what devices tell each other. module.go hands the program to XLA.
package reach
