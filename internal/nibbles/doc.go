// Package nibbles finds bytes that hold two integers of 4 bits each.
//
// nibbles.go compares values with the halves of bytes, and bytefunction.go computes values for all bytes.
package nibbles
