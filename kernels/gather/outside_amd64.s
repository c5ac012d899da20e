#include "textflag.h"

// An index at is inside if neither at nor last-at is negative. What is left of either one is combined with OR: the sign tells.

// OUTSIDE looks at the indices from SI on, CX of them, step at a time.
#define OUTSIDE(SUB, BROADCAST, SIGNS, step, more, result) \
	MOVQ index+0(FP), SI; \
	MOVQ count+8(FP), CX; \
	BROADCAST last+16(FP), Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
more: \
	VMOVUPS (SI), Y3; \
	VMOVUPS 32(SI), Y4; \
	VMOVUPS 64(SI), Y5; \
	VMOVUPS 96(SI), Y6; \
	SUB  Y3, Y0, Y7; \
	SUB  Y4, Y0, Y8; \
	SUB  Y5, Y0, Y9; \
	SUB  Y6, Y0, Y10; \
	VPOR Y3, Y7, Y7; \
	VPOR Y4, Y8, Y8; \
	VPOR Y5, Y9, Y9; \
	VPOR Y6, Y10, Y10; \
	VPOR Y7, Y1, Y1; \
	VPOR Y8, Y2, Y2; \
	VPOR Y9, Y1, Y1; \
	VPOR Y10, Y2, Y2; \
	ADDQ $128, SI; \
	SUBQ $step, CX; \
	JNZ  more; \
	VPOR Y2, Y1, Y1; \
	SIGNS Y1, AX; \
	TESTL AX, AX; \
	SETNE result+24(FP); \
	VZEROUPPER; \
	RET

// func anyOutside64(index unsafe.Pointer, count int, last int64) bool
TEXT ·anyOutside64(SB), NOSPLIT, $0-25
	OUTSIDE(VPSUBQ, VPBROADCASTQ, VMOVMSKPD, 16, more64, ret)

// func anyOutside32(index unsafe.Pointer, count int, last int32) bool
TEXT ·anyOutside32(SB), NOSPLIT, $0-25
	OUTSIDE(VPSUBD, VPBROADCASTD, VMOVMSKPS, 32, more32, ret)
