#include "go_asm.h"
#include "textflag.h"

// func call(code, args unsafe.Pointer)
TEXT ·call(SB), NOSPLIT, $0-16
	MOVQ code+0(FP), AX
	MOVQ args+8(FP), DI
	CALL AX
	RET

// func callEach(entries *entry, size int)
TEXT ·callEach(SB), NOSPLIT, $8-16
	XORL CX, CX
next:
	MOVQ CX, at-8(SP) // the code may use all registers
	MOVQ entries+0(FP), DX
	MOVQ entry_code(DX)(CX*1), AX
	MOVQ entry_args(DX)(CX*1), DI
	CALL AX
	MOVQ at-8(SP), CX
	ADDQ $entry__size, CX
	CMPQ CX, size+8(FP)
	JLT  next
	RET
