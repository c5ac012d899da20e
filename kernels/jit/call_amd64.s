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

// func callTimes(entries *entry, size int, words *word, wordsSize, most int, goesOn, stop *uint64) (left int)
TEXT ·callTimes(SB), NOSPLIT, $16-64
	MOVQ most+32(FP), AX
	MOVQ AX, rest-16(SP)
again:
	XORL CX, CX
next:
	MOVQ CX, at-8(SP) // the code may use all registers
	MOVQ entries+0(FP), DX
	MOVQ entry_code(DX)(CX*1), AX
	MOVQ entry_args(DX)(CX*1), DI
	CALL AX
	MOVQ stop+48(FP), BX
	CMPQ (BX), $0
	JNE  stopped
	MOVQ at-8(SP), CX
	ADDQ $entry__size, CX
	CMPQ CX, size+8(FP)
	JLT  next
	MOVQ rest-16(SP), SI
	DECQ SI
	MOVQ goesOn+40(FP), BX
	TESTQ BX, BX
	JZ   goes
	MOVQ (BX), BX
	CMPB (BX), $0
	JNE  goes
	NOTQ SI
goes:
	MOVQ words+16(FP), DX
	MOVQ wordsSize+24(FP), CX
	ADDQ DX, CX
	JMP  more
change:
	MOVQ word_value(DX), AX
	ADDQ word_add(DX), AX
	XORQ word_flip(DX), AX
	MOVQ AX, word_value(DX)
	MOVQ word_at(DX), BX
	MOVQ AX, (BX)
	ADDQ $word__size, DX
more:
	CMPQ DX, CX
	JNE  change
	MOVQ SI, rest-16(SP)
	TESTQ SI, SI
	JG   again
	MOVQ SI, left+56(FP)
	RET
stopped:
	MOVQ rest-16(SP), SI
	MOVQ SI, left+56(FP)
	RET
