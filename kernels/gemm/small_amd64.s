#include "go_asm.h"
#include "textflag.h"

// func callSmall(code unsafe.Pointer, args *Small)
TEXT ·callSmall(SB), NOSPLIT, $0-16
	MOVQ code+0(FP), AX
	MOVQ args+8(FP), DI
	CALL AX
	RET

// func smallCode() (single, double unsafe.Pointer)
TEXT ·smallCode(SB), NOSPLIT, $0-16
	LEAQ ·smallF32(SB), AX
	MOVQ AX, single+0(FP)
	LEAQ ·smallF64(SB), AX
	MOVQ AX, double+8(FP)
	RET

// SMALL multiplies matrices of a batch, a vector of columns of C after the other, four rows at once where there are as many:
//
//	for range k {
//		for r := range rows {
//			sum[r] = fma(B[k], A[r][k], sum[r])
//		}
//	}
//
// R15 has the arguments. Of a vector of columns CX is how many are left, SI where they begin in B and DX in C; of rows BX, DI in A and R12 in C. While sums are
// added up, AX products are left of each, R13 is where they are in A and R14 in B.
//
// Less than four rows are multiplied with four vectors of columns at once, where there are as many. Where the elements of a column lie side by side, a vector
// of columns is turned four products at a time by TURN: from R14, columns by R8, three of them by R9, to Y1, Y2, Y3 and Y4.
#define SMALL(lanes, size, MASKMOV, MOVU, BROADCAST, FMA, GATHER, TURN) \
	MOVQ DI, R15; \
	MOVQ Small_first(R15), BX; \
	MOVQ Small_Operands(R15)(BX*1), AX; \
	MOVQ AX, Small_a(R15); \
	XORQ $8, BX; \
	MOVQ Small_Operands(R15)(BX*1), AX; \
	MOVQ AX, Small_b(R15); \
	MOVQ (Small_Operands+16)(R15), AX; \
	MOVQ AX, Small_c(R15); \
	MOVQ Small_count(R15), AX; \
	MOVQ AX, Small_counts(R15); \
	MOVQ Small_aRow(R15), R8; \
	LEAQ (R8)(R8*2), R9; \
	MOVQ Small_aCol(R15), R10; \
	MOVQ Small_bRow(R15), R11; \
	VMOVUPS Small_lanes(R15), Y14; \
matrix: \
	MOVQ Small_b(R15), SI; \
	MOVQ Small_c(R15), DX; \
	MOVQ Small_n(R15), CX; \
columns: \
	CMPQ Small_m(R15), $4; \
	JGE  one; \
	CMPQ CX, $(4*lanes); \
	JLT  one; \
	CMPQ Small_bCol(R15), $size; \
	JNE  one; \
	MOVQ Small_a(R15), DI; \
	MOVQ DX, R12; \
	MOVQ Small_m(R15), BX; \
wide: \
	MOVQ Small_k(R15), AX; \
	MOVQ DI, R13; \
	MOVQ SI, R14; \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3; \
nearwide: \
	BROADCAST (R13), Y5; \
	FMA  (R14), Y5, Y0; \
	FMA  32(R14), Y5, Y1; \
	FMA  64(R14), Y5, Y2; \
	FMA  96(R14), Y5, Y3; \
	ADDQ R10, R13; \
	ADDQ R11, R14; \
	DECQ AX; \
	JNZ  nearwide; \
	MOVU Y0, (R12); \
	MOVU Y1, 32(R12); \
	MOVU Y2, 64(R12); \
	MOVU Y3, 96(R12); \
	ADDQ R8, DI; \
	ADDQ Small_cRow(R15), R12; \
	DECQ BX; \
	JNZ  wide; \
	SUBQ $-128, SI; \
	SUBQ $-128, DX; \
	SUBQ $(4*lanes), CX; \
	JG   columns; \
	JMP  next; \
one: \
	MOVQ CX, AX; \
	CMPQ AX, $lanes; \
	JLE  some; \
	MOVQ $lanes, AX; \
some: \
	IMULQ $size, AX; \
	MOVQ Small_masks(R15), R13; \
	SUBQ AX, R13; \
	VMOVUPS (R13), Y15; \
	MOVQ Small_a(R15), DI; \
	MOVQ DX, R12; \
	MOVQ Small_m(R15), BX; \
rows: \
	MOVQ Small_k(R15), AX; \
	MOVQ DI, R13; \
	MOVQ SI, R14; \
	VXORPS Y0, Y0, Y0; \
	CMPQ R11, $size; \
	JNE  straight; \
	CMPQ CX, $lanes; \
	JLT  straight; \
	CMPQ Small_bCol(R15), $size; \
	JE   straight; \
	CMPQ AX, $4; \
	JLT  straight; \
	MOVQ Small_bCol(R15), R8; \
	LEAQ (R8)(R8*2), R9; \
turn: \
	TURN; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y1, Y0; \
	ADDQ R10, R13; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y2, Y0; \
	ADDQ R10, R13; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y3, Y0; \
	ADDQ R10, R13; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y4, Y0; \
	ADDQ R10, R13; \
	ADDQ $(4*size), R14; \
	SUBQ $4, AX; \
	CMPQ AX, $4; \
	JGE  turn; \
	MOVQ Small_aRow(R15), R8; \
	LEAQ (R8)(R8*2), R9; \
	MOVQ $size, R11; \
	TESTQ AX, AX; \
	JZ   store; \
	JMP  apart; \
straight: \
	CMPQ BX, $4; \
	JLT  single; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3; \
	CMPQ Small_bCol(R15), $size; \
	JNE  apart4; \
near4: \
	MASKMOV (R14), Y15, Y4; \
	BROADCAST (R13), Y5; \
	BROADCAST (R13)(R8*1), Y6; \
	BROADCAST (R13)(R8*2), Y7; \
	BROADCAST (R13)(R9*1), Y8; \
	FMA  Y5, Y4, Y0; \
	FMA  Y6, Y4, Y1; \
	FMA  Y7, Y4, Y2; \
	FMA  Y8, Y4, Y3; \
	ADDQ R10, R13; \
	ADDQ R11, R14; \
	DECQ AX; \
	JNZ  near4; \
	JMP  store4; \
apart4: \
	VMOVAPS Y15, Y13; \
	VXORPS Y4, Y4, Y4; \
	GATHER Y13, (R14)(Y14*1), Y4; \
	BROADCAST (R13), Y5; \
	BROADCAST (R13)(R8*1), Y6; \
	BROADCAST (R13)(R8*2), Y7; \
	BROADCAST (R13)(R9*1), Y8; \
	FMA  Y5, Y4, Y0; \
	FMA  Y6, Y4, Y1; \
	FMA  Y7, Y4, Y2; \
	FMA  Y8, Y4, Y3; \
	ADDQ R10, R13; \
	ADDQ R11, R14; \
	DECQ AX; \
	JNZ  apart4; \
store4: \
	MOVQ Small_cRow(R15), R13; \
	LEAQ (R13)(R13*2), R14; \
	CMPQ CX, $lanes; \
	JLT  masked4; \
	MOVU Y0, (R12); \
	MOVU Y1, (R12)(R13*1); \
	MOVU Y2, (R12)(R13*2); \
	MOVU Y3, (R12)(R14*1); \
	JMP  stored4; \
masked4: \
	MASKMOV Y0, Y15, (R12); \
	MASKMOV Y1, Y15, (R12)(R13*1); \
	MASKMOV Y2, Y15, (R12)(R13*2); \
	MASKMOV Y3, Y15, (R12)(R14*1); \
stored4: \
	LEAQ (DI)(R8*4), DI; \
	LEAQ (R12)(R13*4), R12; \
	SUBQ $4, BX; \
	JNZ  rows; \
	JMP  below; \
single: \
	CMPQ Small_bCol(R15), $size; \
	JNE  apart; \
near: \
	MASKMOV (R14), Y15, Y4; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y4, Y0; \
	ADDQ R10, R13; \
	ADDQ R11, R14; \
	DECQ AX; \
	JNZ  near; \
	JMP  store; \
apart: \
	VMOVAPS Y15, Y13; \
	VXORPS Y4, Y4, Y4; \
	GATHER Y13, (R14)(Y14*1), Y4; \
	BROADCAST (R13), Y5; \
	FMA  Y5, Y4, Y0; \
	ADDQ R10, R13; \
	ADDQ R11, R14; \
	DECQ AX; \
	JNZ  apart; \
store: \
	CMPQ CX, $lanes; \
	JLT  masked; \
	MOVU Y0, (R12); \
	JMP  stored; \
masked: \
	MASKMOV Y0, Y15, (R12); \
stored: \
	ADDQ R8, DI; \
	ADDQ Small_cRow(R15), R12; \
	DECQ BX; \
	JNZ  rows; \
below: \
	MOVQ Small_bCol(R15), AX; \
	IMULQ $lanes, AX; \
	ADDQ AX, SI; \
	ADDQ $32, DX; \
	SUBQ $lanes, CX; \
	JG   columns; \
next: \
	MOVQ Small_aEach(R15), AX; \
	ADDQ AX, Small_a(R15); \
	MOVQ Small_bEach(R15), AX; \
	ADDQ AX, Small_b(R15); \
	MOVQ Small_cEach(R15), AX; \
	ADDQ AX, Small_c(R15); \
	DECQ Small_counts(R15); \
	JNZ  matrix; \
	VZEROUPPER; \
	RET

#define TURNF32 \
	LEAQ (R14)(R8*4), R11; \
	VMOVUPS (R14), X1; \
	VMOVUPS (R14)(R8*1), X2; \
	VMOVUPS (R14)(R8*2), X3; \
	VMOVUPS (R14)(R9*1), X4; \
	VINSERTF128 $1, (R11), Y1, Y1; \
	VINSERTF128 $1, (R11)(R8*1), Y2, Y2; \
	VINSERTF128 $1, (R11)(R8*2), Y3, Y3; \
	VINSERTF128 $1, (R11)(R9*1), Y4, Y4; \
	VUNPCKLPS Y2, Y1, Y5; \
	VUNPCKHPS Y2, Y1, Y6; \
	VUNPCKLPS Y4, Y3, Y7; \
	VUNPCKHPS Y4, Y3, Y8; \
	VUNPCKLPD Y7, Y5, Y1; \
	VUNPCKHPD Y7, Y5, Y2; \
	VUNPCKLPD Y8, Y6, Y3; \
	VUNPCKHPD Y8, Y6, Y4

#define TURNF64 \
	VMOVUPD (R14), Y1; \
	VMOVUPD (R14)(R8*1), Y2; \
	VMOVUPD (R14)(R8*2), Y3; \
	VMOVUPD (R14)(R9*1), Y4; \
	VUNPCKLPD Y2, Y1, Y5; \
	VUNPCKHPD Y2, Y1, Y6; \
	VUNPCKLPD Y4, Y3, Y7; \
	VUNPCKHPD Y4, Y3, Y8; \
	VPERM2F128 $0x20, Y7, Y5, Y1; \
	VPERM2F128 $0x20, Y8, Y6, Y2; \
	VPERM2F128 $0x31, Y7, Y5, Y3; \
	VPERM2F128 $0x31, Y8, Y6, Y4

TEXT ·smallF32(SB), NOSPLIT|NOFRAME, $0-0
	SMALL(8, 4, VMASKMOVPS, VMOVUPS, VBROADCASTSS, VFMADD231PS, VGATHERDPS, TURNF32)

TEXT ·smallF64(SB), NOSPLIT|NOFRAME, $0-0
	SMALL(4, 8, VMASKMOVPD, VMOVUPD, VBROADCASTSD, VFMADD231PD, VGATHERQPD, TURNF64)
