#include "textflag.h"

// func syncCaches(start, end, dataLine, codeLine uintptr)
TEXT ·syncCaches(SB), NOSPLIT, $0-32
	MOVD start+0(FP), R0
	MOVD end+8(FP), R1
	MOVD dataLine+16(FP), R4
	MOVD codeLine+24(FP), R5
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
