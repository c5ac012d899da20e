// Package weights stores the parameters of models in files: safetensors, NumPy's .npy and .npz, and Hugging Face's
// indexes of sharded files. It reads llama.cpp's .gguf too. Files are memory-mapped for reading. They are written so
// that a crash leaves the last complete file.
//
// open.go opens files, and index.go sharded ones. load.go sets a session's parameters, or values for a program, from a
// file, after it has compared all names and shapes. parts.go joins tensors to a parameter, convert.go converts numbers
// to a parameter's dtype, quantised.go to weights of nn.Int8Weights and nn.Int4Weights, report.go lists differences,
// and hints.go guesses their cause. save.go writes a session's parameters, write.go any values, and shards.go sharded
// files. checkpoints.go keeps the newest of many files. options.go has the options.
//
// Files of PyTorch's own format (.pt, .bin) run code when they are read, and are refused. Three lines of Python
// convert them:
//
//	import torch, safetensors.torch
//	state = torch.load("model.pt", map_location="cpu", weights_only=True)
//	safetensors.torch.save_file({k: v.contiguous() for k, v in state.items()}, "model.safetensors")
package weights
