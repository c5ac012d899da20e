//go:build !darwin

#include "textflag.h"

// func cacheLines() (data, code uintptr)
TEXT ·cacheLines(SB), NOSPLIT, $0-16
	MRS  CTR_EL0, R2
	MOVD $4, R3       // bytes of a word
	UBFX $16, R2, $4, R4
	LSL  R4, R3, R4
	MOVD R4, data+0(FP)
	AND  $15, R2, R5
	LSL  R5, R3, R5
	MOVD R5, code+8(FP)
	RET
