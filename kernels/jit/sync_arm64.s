#include "textflag.h"

// func syncCaches(start, end uintptr)
TEXT ·syncCaches(SB), NOSPLIT, $0-16
	MOVD start+0(FP), R0
	MOVD end+8(FP), R1
	MRS  CTR_EL0, R2
	MOVD $4, R3       // bytes of a word
	UBFX $16, R2, $4, R4
	LSL  R4, R3, R4   // a line of data
	AND  $15, R2, R5
	LSL  R5, R3, R5   // a line of instructions
	SUB  $1, R4, R6
	BIC  R6, R0, R7
data:
	WORD $0xd50b7b27  // DC CVAU, R7
	ADD  R4, R7
	CMP  R1, R7
	BLO  data
	DSB  $11          // ISH
	SUB  $1, R5, R6
	BIC  R6, R0, R7
code:
	WORD $0xd50b7527  // IC IVAU, R7
	ADD  R5, R7
	CMP  R1, R7
	BLO  code
	DSB  $11
	ISB  $15
	RET
