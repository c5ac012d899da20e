package graph

// The codes of programs that are divided over many devices, by package reach.
const (
	// A mesh of devices has no axes, an axis without a name or without devices, or two axes with the same name.
	//
	//	g.Input("x", graph.Float32, 8)
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("data", 0)))
	//
	// Cure: give each axis a name of its own and at least one device.
	CodeMesh Code = "BL601"

	// A value is divided over an axis that the mesh does not have, or two of its axes over the same one.
	//
	//	g.Input("x", graph.Float32, 8, 8)
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("data", 4)), reach.Inputs("x", "data", "data"))
	//
	// Cure: take the names that reach.NewMesh was given, each for one axis of a value at most.
	CodeMeshAxis Code = "BL602"

	// A sharding rule matches nothing: no value has such a name, or no input such a size.
	//
	//	g.Param("layer.weight", graph.Float32, 8, 8)
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("tensor", 2)), reach.Params("*.wieght", "tensor", ""))
	//
	// Cure: write the names as the graph has them: the message lists them. A value that stays
	// whole needs no rule.
	CodeShardRule Code = "BL603"

	// A sharding has more or fewer axes than the value.
	//
	//	g.Param("layer.bias", graph.Float32, 8)
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("tensor", 2)), reach.Params("layer.*", "tensor", ""))
	//
	// Cure: give a name for each axis, "" for those that stay whole; write a rule for each rank.
	CodeShardRank Code = "BL604"

	// The mesh does not divide a size evenly, or not for all values that a named size may take.
	//
	//	g.Input("x", graph.Float32, g.Dim("batch"), 8)
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("data", 4)), reach.Dim("batch", "data"))
	//
	// Cure: take a multiple of the number of parts. Of a named size, declare it:
	// g.Dim("batch", graph.MultipleOf(4)); or bind it with reach.Sizes.
	CodeShardSize Code = "BL605"

	// The result of an update is divided differently from the parameter to which it is written.
	//
	//	w := g.Param("w", graph.Float32, 8, 8)
	//	step := ops.AddInPlace(w, graph.Num(1))
	//	_, err = reach.Shard(g, reach.NewMesh(reach.Axis("tensor", 2)), reach.Params("w", "tensor", ""), reach.At(step, "", "tensor"))
	//
	// Cure: divide the parameter: what is written into it follows.
	CodeShardUpdate Code = "BL606"

	// Warns that nothing is divided over an axis of the mesh: all devices along it compute the same.
	//
	//	g.Input("x", graph.Float32, 8)
	//	plan, failed := reach.Shard(g, reach.NewMesh(reach.Axis("data", 4)))
	//	if err = failed; err == nil {
	//		err = plan.Report().Warnings[0]
	//	}
	//
	// Cure: divide the batch over it, with reach.Dim, or take the axis from the mesh.
	CodeIdleAxis Code = "BL607"
)
