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
#define SMALL(lanes, size, MASKMOV, MOVU, BROADCAST, FMA, GATHER) \
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

TEXT ·smallF32(SB), NOSPLIT|NOFRAME, $0-0
	SMALL(8, 4, VMASKMOVPS, VMOVUPS, VBROADCASTSS, VFMADD231PS, VGATHERDPS)

TEXT ·smallF64(SB), NOSPLIT|NOFRAME, $0-0
	SMALL(4, 8, VMASKMOVPD, VMOVUPD, VBROADCASTSD, VFMADD231PD, VGATHERQPD)
