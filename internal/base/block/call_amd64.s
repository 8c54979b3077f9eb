//go:build linux && !purego

#include "textflag.h"

// func call(code uintptr, v, s unsafe.Pointer, x *Context) uint32
TEXT ·call(SB), NOSPLIT, $16-36
	MOVQ code+0(FP), AX
	MOVQ v+8(FP), DI
	MOVQ s+16(FP), SI
	MOVQ x+24(FP), DX
	STMXCSR 20(DX)
	LDMXCSR 16(DX)
	MOVQ 0(DX), R13
	XORL R12, R12
	CALL AX
	LDMXCSR 20(DX)
	VZEROUPPER
	MOVQ R13, 0(DX)
	MOVQ R12, 8(DX)
	MOVL AX, ret+32(FP)
	RET
