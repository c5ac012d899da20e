#include "go_asm.h"
#include "textflag.h"

// func addresses() (taking, putting unsafe.Pointer)
TEXT ·addresses(SB), NOSPLIT, $0-16
	LEAQ ·take(SB), AX
	MOVQ AX, taking+0(FP)
	LEAQ ·put(SB), AX
	MOVQ AX, putting+8(FP)
	RET

// COPY copies R12 bytes from SI to DI, and changes R13.
#define COPY(four, blocks, block, rest, half, quarter, eighth, pair, last, done) \
	CMPQ R12, $8; \
	JNE  four; \
	MOVQ (SI), R13; \
	MOVQ R13, (DI); \
	JMP  done; \
four: \
	CMPQ R12, $4; \
	JNE  blocks; \
	MOVL (SI), R13; \
	MOVL R13, (DI); \
	JMP  done; \
blocks: \
	MOVQ R12, R13; \
	SUBQ $32, R13; \
	JLT  rest; \
block: \
	VMOVDQU (SI), Y0; \
	VMOVDQU Y0, (DI); \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	SUBQ $32, R13; \
	JGE  block; \
rest: \
	ADDQ $32, R13; \
	JZ   done; \
half: \
	TESTQ $16, R13; \
	JZ   quarter; \
	VMOVDQU (SI), X0; \
	VMOVDQU X0, (DI); \
	ADDQ $16, SI; \
	ADDQ $16, DI; \
quarter: \
	TESTQ $8, R13; \
	JZ   eighth; \
	MOVQ (SI), AX; \
	MOVQ AX, (DI); \
	ADDQ $8, SI; \
	ADDQ $8, DI; \
eighth: \
	TESTQ $4, R13; \
	JZ   pair; \
	MOVL (SI), AX; \
	MOVL AX, (DI); \
	ADDQ $4, SI; \
	ADDQ $4, DI; \
pair: \
	TESTQ $2, R13; \
	JZ   last; \
	MOVW (SI), AX; \
	MOVW AX, (DI); \
	ADDQ $2, SI; \
	ADDQ $2, DI; \
last: \
	TESTQ $1, R13; \
	JZ   done; \
	MOVB (SI), AX; \
	MOVB AX, (DI); \
done:

// take copies, for each of the outer blocks, the slices that the indices name.
TEXT ·take(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ DI, R15
	MOVQ (Args_Operands+8)(R15), R8
	MOVQ Args_Count(R15), CX
	MOVQ Args_Size(R15), DX
	XORL BX, BX
	JMP  checked
check:
	CMPQ Args_IndexSize(R15), $8
	JNE  short
	MOVQ (R8)(BX*8), AX
	JMP  known
short:
	MOVLQSX (R8)(BX*4), AX
known:
	INCQ BX
	CMPQ AX, DX
	JCC  bad // a negative one too
checked:
	CMPQ BX, CX
	JLT  check
	MOVQ Args_Outer(R15), R9
	MOVQ (Args_Operands+0)(R15), R10
	MOVQ (Args_Operands+16)(R15), R11
	MOVQ Args_Slice(R15), R12
	IMULQ R12, DX
	JMP  more
outer:
	XORL BX, BX
	CMPQ Args_IndexSize(R15), $8
	JNE  rest
	CMPQ R12, $4
	JEQ  rest4
	CMPQ R12, $8
	JEQ  rest8
	JMP  rest
four:
	MOVQ (R8)(BX*8), AX
	MOVL (R10)(AX*4), R13
	MOVL R13, (R11)(BX*4)
	INCQ BX
rest4:
	CMPQ BX, CX
	JLT  four
	LEAQ (R11)(CX*4), R11
	JMP  done
eight:
	MOVQ (R8)(BX*8), AX
	MOVQ (R10)(AX*8), R13
	MOVQ R13, (R11)(BX*8)
	INCQ BX
rest8:
	CMPQ BX, CX
	JLT  eight
	LEAQ (R11)(CX*8), R11
	JMP  done
slice:
	CMPQ Args_IndexSize(R15), $8
	JNE  narrow
	MOVQ (R8)(BX*8), AX
	JMP  found
narrow:
	MOVLQSX (R8)(BX*4), AX
found:
	IMULQ R12, AX
	LEAQ (R10)(AX*1), SI
	MOVQ R11, DI
	COPY(c4, c32, b32, r32, c16, c8, d4, c2, c1, copied)
	ADDQ R12, R11
	INCQ BX
rest:
	CMPQ BX, CX
	JLT  slice
done:
	ADDQ DX, R10
	DECQ R9
more:
	TESTQ R9, R9
	JG   outer
	VZEROUPPER
	RET
bad:
	MOVQ BX, Args_Bad(R15)
	MOVQ Args_Stop(R15), AX
	MOVQ $1, (AX)
	VZEROUPPER
	RET

// put copies all values, unless they stay, and then, for each of the outer blocks, slices over those that the indices name.
TEXT ·put(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ DI, R15
	MOVQ (Args_Operands+8)(R15), R8
	MOVQ Args_Count(R15), CX
	MOVQ Args_Size(R15), DX
	XORL BX, BX
	JMP  checked
check:
	MOVQ (R8)(BX*8), AX
	INCQ BX
	CMPQ AX, DX
	JCC  bad // a negative one too
checked:
	CMPQ BX, CX
	JLT  check
	MOVQ (Args_Operands+0)(R15), SI
	MOVQ (Args_Operands+24)(R15), DI
	MOVQ DI, R11
	CMPQ SI, DI
	JEQ  stay
	MOVQ Args_Whole(R15), R12
	COPY(w4, w32, v32, q32, w16, w8, x4, w2, w1, stay)
	MOVQ Args_Outer(R15), R9
	MOVQ (Args_Operands+16)(R15), R10
	MOVQ Args_Slice(R15), R12
	IMULQ R12, DX
	JMP  more
outer:
	XORL BX, BX
	JMP  rest
slice:
	MOVQ (R8)(BX*8), AX
	IMULQ R12, AX
	MOVQ R10, SI
	LEAQ (R11)(AX*1), DI
	COPY(c4, c32, b32, r32, c16, c8, d4, c2, c1, copied)
	ADDQ R12, R10
	INCQ BX
rest:
	CMPQ BX, CX
	JLT  slice
	ADDQ DX, R11
	DECQ R9
more:
	TESTQ R9, R9
	JG   outer
	VZEROUPPER
	RET
bad:
	MOVQ BX, Args_Bad(R15)
	MOVQ Args_Stop(R15), AX
	MOVQ $1, (AX)
	VZEROUPPER
	RET
