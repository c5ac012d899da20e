#include "go_asm.h"
#include "textflag.h"

// Code has the address of its arguments in R7 and may use all registers up to R25 but R18, which belongs to the system.

// func call(code, args unsafe.Pointer)
TEXT ·call(SB), NOSPLIT, $16-16
	MOVD code+0(FP), R0
	MOVD args+8(FP), R7
	CALL (R0)
	RET

// func callEach(entries *entry, size int)
TEXT ·callEach(SB), NOSPLIT, $32-16
	MOVD ZR, R1
next:
	MOVD R1, at-8(SP)
	MOVD entries+0(FP), R2
	ADD  R1, R2
	MOVD entry_code(R2), R0
	MOVD entry_args(R2), R7
	CALL (R0)
	MOVD at-8(SP), R1
	ADD  $entry__size, R1
	MOVD size+8(FP), R2
	CMP  R2, R1
	BLT  next
	RET

// func callTimes(entries *entry, size int, words *word, wordsSize, most int, goesOn, stop *uint64) (left int)
TEXT ·callTimes(SB), NOSPLIT, $32-64
	MOVD most+32(FP), R0
	MOVD R0, rest-16(SP)
again:
	MOVD ZR, R1
next:
	MOVD R1, at-8(SP)
	MOVD entries+0(FP), R2
	ADD  R1, R2
	MOVD entry_code(R2), R0
	MOVD entry_args(R2), R7
	CALL (R0)
	MOVD stop+48(FP), R3
	MOVD (R3), R3
	CBNZ R3, stopped
	MOVD at-8(SP), R1
	ADD  $entry__size, R1
	MOVD size+8(FP), R2
	CMP  R2, R1
	BLT  next
	MOVD rest-16(SP), R6
	SUB  $1, R6
	MOVD goesOn+40(FP), R3
	CBZ  R3, goes
	MOVD (R3), R3
	MOVBU (R3), R3
	CBNZ R3, goes
	MVN  R6, R6
goes:
	MOVD words+16(FP), R2
	MOVD wordsSize+24(FP), R1
	ADD  R2, R1
	JMP  more
change:
	MOVD word_value(R2), R0
	MOVD word_add(R2), R3
	ADD  R3, R0
	MOVD word_flip(R2), R3
	EOR  R3, R0
	MOVD R0, word_value(R2)
	MOVD word_at(R2), R3
	MOVD R0, (R3)
	ADD  $word__size, R2
more:
	CMP  R1, R2
	BNE  change
	MOVD R6, rest-16(SP)
	CMP  $0, R6
	BGT  again
	MOVD R6, left+56(FP)
	RET
stopped:
	MOVD rest-16(SP), R6
	MOVD R6, left+56(FP)
	RET
