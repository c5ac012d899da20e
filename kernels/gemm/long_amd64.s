#include "go_asm.h"
#include "textflag.h"

// STEP adds an element of A at a row, broadcast, times two vectors of B to the sums of the row.
#define STEP(row, sum0, sum1) \
	VPBROADCASTQ (row), Z10; \
	VPMULLQ Z8, Z10, Z11; \
	VPMULLQ Z9, Z10, Z12; \
	VPADDQ Z11, sum0, sum0; \
	VPADDQ Z12, sum1, sum1

// func longTileAVX512(args *longTile)
TEXT ·longTileAVX512(SB), NOSPLIT, $0-8
	MOVQ args+0(FP), DI
	MOVQ (longTile_a+0)(DI), R8
	MOVQ (longTile_a+8)(DI), R9
	MOVQ (longTile_a+16)(DI), R10
	MOVQ (longTile_a+24)(DI), R11
	MOVQ longTile_b(DI), SI
	MOVQ longTile_k(DI), CX
	MOVQ longTile_stepA(DI), DX
	MOVQ longTile_stepB(DI), BX
	KMOVB longTile_first(DI), K1
	KMOVB longTile_second(DI), K2
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	VPXORQ Z5, Z5, Z5
	VPXORQ Z6, Z6, Z6
	VPXORQ Z7, Z7, Z7
	CMPB longTile_adds(DI), $0
	JEQ  rest
	MOVQ (longTile_c+0)(DI), AX
	VMOVDQU64.Z (AX), K1, Z0
	VMOVDQU64.Z 64(AX), K2, Z1
	MOVQ (longTile_c+8)(DI), AX
	VMOVDQU64.Z (AX), K1, Z2
	VMOVDQU64.Z 64(AX), K2, Z3
	MOVQ (longTile_c+16)(DI), AX
	VMOVDQU64.Z (AX), K1, Z4
	VMOVDQU64.Z 64(AX), K2, Z5
	MOVQ (longTile_c+24)(DI), AX
	VMOVDQU64.Z (AX), K1, Z6
	VMOVDQU64.Z 64(AX), K2, Z7
	JMP  rest
step:
	VMOVDQU64.Z (SI), K1, Z8
	VMOVDQU64.Z 64(SI), K2, Z9
	STEP(R8, Z0, Z1)
	STEP(R9, Z2, Z3)
	STEP(R10, Z4, Z5)
	STEP(R11, Z6, Z7)
	ADDQ DX, R8
	ADDQ DX, R9
	ADDQ DX, R10
	ADDQ DX, R11
	ADDQ BX, SI
rest:
	SUBQ $1, CX
	JGE  step
	MOVQ (longTile_c+0)(DI), AX
	VMOVDQU64 Z0, K1, (AX)
	VMOVDQU64 Z1, K2, 64(AX)
	MOVQ (longTile_c+8)(DI), AX
	VMOVDQU64 Z2, K1, (AX)
	VMOVDQU64 Z3, K2, 64(AX)
	MOVQ (longTile_c+16)(DI), AX
	VMOVDQU64 Z4, K1, (AX)
	VMOVDQU64 Z5, K2, 64(AX)
	MOVQ (longTile_c+24)(DI), AX
	VMOVDQU64 Z6, K1, (AX)
	VMOVDQU64 Z7, K2, 64(AX)
	VZEROUPPER
	RET
