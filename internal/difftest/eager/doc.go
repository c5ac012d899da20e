// Package eager computes programs of tensors step by step, in the plainest way: values are
// strided views of memory, elements are float64 with their first and second derivatives along
// two directions, and nothing is compiled. It is what package difftest compares Broadloom
// with, and shares no code with it.
package eager
