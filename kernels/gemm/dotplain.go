package gemm

import "unsafe"

// plainDots are the loops in plain Go: integers of 32 bits.
var plainDots = dots{each: 1, rows: 2, cols: 4, unit: 1, tiles: []func(*dotArgs){nil, plainDotRow, plainDotRows}}

// plainDotRows multiplies tiles of two rows.
func plainDotRows(args *dotArgs) {
	for range args.tiles {
		plainDotTile(args, 0)
		plainDotTile(args, 1)
		args.a += uintptr(args.aTile)
		args.c += uintptr(args.cTile)
	}
}

// plainDotRow multiplies a tile of one row.
func plainDotRow(args *dotArgs) { plainDotTile(args, 0) }

// plainDotTile multiplies a row of a tile.
func plainDotTile(args *dotArgs, row int) {
	a, b := unsafe.Add(pointer(&args.a), row*args.aRow), pointer(&args.b)
	c := (*[4]int32)(unsafe.Add(pointer(&args.c), row*args.cRow))
	begin := (*[4]int32)(pointer(&args.begin))
	s0, s1, s2, s3 := begin[0], begin[1], begin[2], begin[3]
	if args.add != 0 {
		s0, s1, s2, s3 = s0+c[0], s1+c[1], s2+c[2], s3+c[3]
	}
	for k := range args.words {
		x, y := *(*int32)(unsafe.Add(a, k*wordBytes)), (*[4]int32)(unsafe.Add(b, k*4*wordBytes))
		s0 += x * y[0]
		s1 += x * y[1]
		s2 += x * y[2]
		s3 += x * y[3]
	}
	c[0], c[1], c[2], c[3] = s0, s1, s2, s3
}

// pointer converts an address in memory that the product keeps alive.
func pointer(address *uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(address)) }
