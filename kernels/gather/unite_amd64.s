#include "go_asm.h"
#include "textflag.h"

// An element that is NaN stays the one of the row that is added to, as in x + y.

// ROWS begins with the next row: its index is in AX as LOAD brings it there, its place in DI, that of what is added in SI, and the bytes in CX. It asks for a
// later row meanwhile.
#define ROWS(LOAD, size, row, near, ask, done) \
	MOVQ u+0(FP), AX; \
	MOVQ uniting_to(AX), R8; \
	MOVQ uniting_from(AX), R9; \
	MOVQ uniting_index(AX), R10; \
	MOVQ uniting_count(AX), R11; \
	MOVQ uniting_pitch(AX), R12; \
	MOVQ uniting_width(AX), R13; \
	MOVQ uniting_ahead(AX), BX; \
row: \
	TESTQ R11, R11; \
	JZ    done; \
	TESTQ BX, BX; \
	JZ    near; \
	CMPQ  R11, BX; \
	JLE   near; \
	LOAD  (R10)(BX*size), AX; \
	IMULQ R12, AX; \
	ADDQ  R8, AX; \
	MOVQ  R13, DX; \
ask: \
	PREFETCHT0 (AX); \
	ADDQ  $64, AX; \
	SUBQ  $64, DX; \
	JG    ask; \
near: \
	LOAD  (R10), AX; \
	IMULQ R12, AX; \
	LEAQ  (R8)(AX*1), DI; \
	MOVQ  R9, SI; \
	MOVQ  R13, CX

// ADD adds CX bytes.
#define ADD(VADD, four, one, begin, rest, half) \
	SUBQ $128, CX; \
	JLT  begin; \
four: \
	VMOVUPS (DI), Y0; \
	VMOVUPS 32(DI), Y1; \
	VMOVUPS 64(DI), Y2; \
	VMOVUPS 96(DI), Y3; \
	VADD (SI), Y0, Y0; \
	VADD 32(SI), Y1, Y1; \
	VADD 64(SI), Y2, Y2; \
	VADD 96(SI), Y3, Y3; \
	VMOVUPS Y0, (DI); \
	VMOVUPS Y1, 32(DI); \
	VMOVUPS Y2, 64(DI); \
	VMOVUPS Y3, 96(DI); \
	ADDQ $128, DI; \
	ADDQ $128, SI; \
	SUBQ $128, CX; \
	JGE  four; \
begin: \
	ADDQ $96, CX; \
	JLT  rest; \
one: \
	VMOVUPS (DI), Y0; \
	VADD (SI), Y0, Y0; \
	VMOVUPS Y0, (DI); \
	ADDQ $32, DI; \
	ADDQ $32, SI; \
	SUBQ $32, CX; \
	JGE  one; \
rest: \
	ADDQ $32, CX; \
	TESTQ $16, CX; \
	JZ   half; \
	VMOVUPS (DI), X0; \
	VADD (SI), X0, X0; \
	VMOVUPS X0, (DI); \
	ADDQ $16, DI; \
	ADDQ $16, SI; \
half:

// NEXT goes on with the next row.
#define NEXT(size, row) \
	ADDQ R12, R9; \
	ADDQ $size, R10; \
	DECQ R11; \
	JMP  row

// F32 adds the last one to three numbers, and F64 the last one.
#define F32(LOAD, size) \
	ROWS(LOAD, size, row, near, ask, done); \
	ADD(VADDPS, four, one, begin, rest, half); \
	TESTQ $8, CX; \
	JZ    last; \
	VMOVSD (DI), X0; \
	VMOVSD (SI), X1; \
	VADDPS X1, X0, X0; \
	VMOVSD X0, (DI); \
	ADDQ  $8, DI; \
	ADDQ  $8, SI; \
last: \
	TESTQ $4, CX; \
	JZ    next; \
	VMOVSS (DI), X0; \
	VADDSS (SI), X0, X0; \
	VMOVSS X0, (DI); \
next: \
	NEXT(size, row); \
done: \
	VZEROUPPER; \
	RET

#define F64(LOAD, size) \
	ROWS(LOAD, size, row, near, ask, done); \
	ADD(VADDPD, four, one, begin, rest, half); \
	TESTQ $8, CX; \
	JZ    next; \
	VMOVSD (DI), X0; \
	VADDSD (SI), X0, X0; \
	VMOVSD X0, (DI); \
next: \
	NEXT(size, row); \
done: \
	VZEROUPPER; \
	RET

// func addRowsF32I32(u *uniting)
TEXT ·addRowsF32I32(SB), NOSPLIT, $0-8
	F32(MOVLQSX, 4)

// func addRowsF32I64(u *uniting)
TEXT ·addRowsF32I64(SB), NOSPLIT, $0-8
	F32(MOVQ, 8)

// func addRowsF64I32(u *uniting)
TEXT ·addRowsF64I32(SB), NOSPLIT, $0-8
	F64(MOVLQSX, 4)

// func addRowsF64I64(u *uniting)
TEXT ·addRowsF64I64(SB), NOSPLIT, $0-8
	F64(MOVQ, 8)
