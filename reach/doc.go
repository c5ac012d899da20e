// Package reach distributes a program over many devices: it determines which axes of which values are divided over
// which axes of a mesh, checks this before anything runs, reports its cost, and passes the program with
// its shardings to XLA, whose partitioner inserts the communication.
//
//	mesh := reach.NewMesh(reach.Axis("data", 4), reach.Axis("tensor", 2))
//	plan, err := reach.Shard(g, mesh, reach.Outputs(loss), reach.Updates(step...),
//		reach.Dim("batch", "data"), reach.Params("*.up.weight", "tensor", ""))
//
// A program means the same on any mesh: the mean over a batch is that of the whole batch, and random numbers
// are the same, since they are computed from a key and a position.
//
// mesh.go is the mesh, sharding.go describes how a value is divided over it, options.go has the user's options, plan.go
// derives the sharding of each value from them, and check.go finds mistakes. explain.go reports the cost of a plan:
// propagate.go follows shardings through a program, primitive.go through one operation, and collective.go has the
// communication between devices. module.go passes the program to XLA.
package reach
