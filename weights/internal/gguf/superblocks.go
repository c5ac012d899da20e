package gguf

import "encoding/binary"

// The formats of this file have blocks of 256 elements, in groups of 16 or 32 with a scale of their own, which is a
// multiple of the block's scale d, and perhaps a minimum, of dmin.

// q2K decodes Q2_K: in groups of 16, d·scale·q - dmin·minimum, with a scale and a minimum of 4 bits in each of the
// first 16 bytes. Of each 32 bytes of elements, the lowest two bits are the first 32 elements, the next two the next
// 32, and so on.
func q2K(b []byte, x []int8, scales, minima []float32) {
	packed, d, dmin := b[16:80], float16(b[80:]), float16(b[82:])
	for group, both := range b[:16] {
		scales[group], minima[group] = d*float32(both&0x0f), -dmin*float32(both>>4)
	}
	for i := range x {
		x[i] = int8(packed[i/128*32+i%32] >> (2 * (i % 128 / 32)) & 3)
	}
}

// q3K decodes Q3_K: in groups of 16, d·(scale - 32)·(q - 4). The first 32 bytes have the third bits, the next 64 the
// others in the order of Q2_K; the scales have 6 bits.
func q3K(b []byte, x []int8, scales []float32) {
	third, packed, packedScales, d := b[:32], b[32:96], b[96:108], float16(b[108:])
	for group := range scales {
		scale := int(packedScales[group%8]>>(4*(group/8))&0x0f | packedScales[8+group%4]>>(2*(group/4))&3<<4)
		scales[group] = d * float32(scale-32)
	}
	for i := range x {
		x[i] = int8(packed[i/128*32+i%32]>>(2*(i%128/32))&3|third[i%32]>>(i/32)&1<<2) - 4
	}
}

// scaleAndMin returns the scale and the minimum, of 6 bits, of a group of Q4_K and Q5_K, from the 12 bytes with all.
func scaleAndMin(b []byte, group int) (scale, minimum float32) {
	if group < 4 {
		return float32(b[group] & 0x3f), float32(b[4+group] & 0x3f)
	}
	low := b[4+group]
	return float32(low&0x0f | b[group-4]>>6<<4), float32(low>>4 | b[group]>>6<<4)
}

// q4K decodes Q4_K: in groups of 32, d·scale·q - dmin·minimum. Of each 32 bytes of elements, the lower halves are one
// group and the upper halves the next.
func q4K(b []byte, x []int8, scales, minima []float32) {
	scalesAndMinima(b, scales, minima)
	lowerBits(b[16:], x)
}

// q5K decodes Q5_K: Q4_K with fifth bits, of which each byte has one for every group.
func q5K(b []byte, x []int8, scales, minima []float32) {
	scalesAndMinima(b, scales, minima)
	lowerBits(b[48:], x)
	for i := range x {
		x[i] |= int8(b[16+i%32]>>(i/32)&1) << 4
	}
}

// scalesAndMinima decodes those of all groups of Q4_K and Q5_K.
func scalesAndMinima(b []byte, scales, minima []float32) {
	d, dmin := float16(b), float16(b[2:])
	for group := range scales {
		scale, minimum := scaleAndMin(b[4:16], group)
		scales[group], minima[group] = d*scale, -dmin*minimum
	}
}

// lowerBits decodes the lower 4 bits of the elements of groups of 32.
func lowerBits(packed []byte, x []int8) {
	for i := range x {
		x[i] = int8(packed[i/64*32+i%32] >> (4 * (i / 32 % 2)) & 0x0f)
	}
}

// q6K decodes Q6_K: in groups of 16, d·scale·(q - 32). The first 128 bytes have the lower 4 bits, 64 bytes for each
// half of the elements; the next 64 have the upper 2 bits in the order of Q2_K.
func q6K(b []byte, x []int8, scales []float32) {
	lower, upper, d := b[:128], b[128:192], float16(b[208:])
	for group, scale := range b[192:208] {
		scales[group] = d * float32(int8(scale))
	}
	for i := range x {
		inHalf := i % 128
		x[i] = int8(lower[i/128*64+inHalf%64]>>(4*(inHalf/64))&0x0f|upper[i/128*32+i%32]>>(2*(inHalf/32))&3<<4) - 32
	}
}

// iq4XS decodes IQ4_XS: in groups of 32, d·(scale - 32)·level(q), with scales of 6 bits, of which the first two bytes
// after d have the upper ones. A group's 16 bytes are packed like those of IQ4_NL.
func iq4XS(b []byte, x []int8, scales []float32) {
	d, upper := float16(b), binary.LittleEndian.Uint16(b[2:])
	for group := range superblock / 32 {
		scale := int(b[4+group/2]>>(4*(group%2))&0x0f) | int(upper>>(2*group)&3)<<4
		scales[group] = d * float32(scale-32)
		to := x[32*group : 32*group+32]
		nibbles(b[8+16*group:24+16*group], func(i int, q byte) { to[i] = unevenLevels[q] })
	}
}

// tq2By0 decodes TQ2_0: d·(q - 1), with elements of 2 bits in the order of Q2_K.
func tq2By0(b []byte, x []int8, scales []float32) {
	scales[0] = float16(b[64:])
	for i := range x {
		x[i] = int8(b[i/128*32+i%32]>>(2*(i%128/32))&3) - 1
	}
}
