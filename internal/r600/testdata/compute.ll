; Functions of two vectors. The tests make a kernel and a pixel shader of each, compile them with llc, run the words and
; compare the results with Go.
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare <4 x float> @llvm.floor.v4f32(<4 x float>)
declare float @llvm.floor.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.sin.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.log2.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.r600.dot4(<4 x float>, <4 x float>)

define internal <4 x i32> @muladd(<4 x i32> %a, <4 x i32> %b) {
  %p = mul <4 x i32> %a, %b
  %s = add <4 x i32> %p, %a
  %d = sub <4 x i32> %s, <i32 7, i32 8, i32 9, i32 -10>
  ret <4 x i32> %d
}

define internal <4 x i32> @logic(<4 x i32> %a, <4 x i32> %b) {
  %n = xor <4 x i32> %a, <i32 -1, i32 -1, i32 -1, i32 -1>
  %m = and <4 x i32> %n, %b
  %o = or <4 x i32> %m, <i32 1, i32 256, i32 65536, i32 0>
  %x = xor <4 x i32> %o, %a
  ret <4 x i32> %x
}

define internal <4 x i32> @shifts(<4 x i32> %a, <4 x i32> %b) {
  %n = and <4 x i32> %b, <i32 31, i32 31, i32 31, i32 31>
  %l = shl <4 x i32> %a, %n
  %r = lshr <4 x i32> %a, %n
  %s = ashr <4 x i32> %a, %n
  %x = xor <4 x i32> %l, %r
  %y = add <4 x i32> %x, %s
  ret <4 x i32> %y
}

define internal <4 x i32> @udivide(<4 x i32> %a, <4 x i32> %b) {
  %n = or <4 x i32> %b, <i32 1, i32 1, i32 1, i32 1>
  %q = udiv <4 x i32> %a, %n
  %r = urem <4 x i32> %a, %n
  %k = mul <4 x i32> %r, <i32 3, i32 3, i32 3, i32 3>
  %s = add <4 x i32> %q, %k
  ret <4 x i32> %s
}

define internal <4 x i32> @sdivide(<4 x i32> %a, <4 x i32> %b) {
  %n = or <4 x i32> %b, <i32 2, i32 2, i32 2, i32 2>
  %q = sdiv <4 x i32> %a, %n
  %r = srem <4 x i32> %a, %n
  %s = xor <4 x i32> %q, %r
  ret <4 x i32> %s
}

define internal <4 x i32> @minmax(<4 x i32> %a, <4 x i32> %b) {
  %a0 = extractelement <4 x i32> %a, i32 0
  %b0 = extractelement <4 x i32> %b, i32 0
  %r0 = call i32 @llvm.smin.i32(i32 %a0, i32 %b0)
  %r1 = call i32 @llvm.smax.i32(i32 %a0, i32 %b0)
  %r2 = call i32 @llvm.umin.i32(i32 %a0, i32 %b0)
  %r3 = call i32 @llvm.umax.i32(i32 %a0, i32 %b0)
  %v0 = insertelement <4 x i32> undef, i32 %r0, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %r1, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %r2, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %r3, i32 3
  ret <4 x i32> %v3
}

define internal <4 x i32> @compare(<4 x i32> %a, <4 x i32> %b) {
  %c0 = icmp slt <4 x i32> %a, %b
  %c1 = icmp uge <4 x i32> %a, %b
  %c2 = icmp eq <4 x i32> %a, <i32 0, i32 1, i32 2, i32 3>
  %s0 = select <4 x i1> %c0, <4 x i32> %a, <4 x i32> %b
  %s1 = select <4 x i1> %c1, <4 x i32> <i32 5, i32 6, i32 7, i32 8>, <4 x i32> %a
  %s2 = select <4 x i1> %c2, <4 x i32> %s0, <4 x i32> %s1
  %r = add <4 x i32> %s0, %s2
  ret <4 x i32> %r
}

define internal <4 x i32> @floats(<4 x i32> %a, <4 x i32> %b) {
  %i = and <4 x i32> %a, <i32 65535, i32 65535, i32 65535, i32 65535>
  %j = ashr <4 x i32> %b, <i32 16, i32 16, i32 16, i32 16>
  %x = sitofp <4 x i32> %i to <4 x float>
  %y = sitofp <4 x i32> %j to <4 x float>
  %p = fmul <4 x float> %x, %y
  %s = fadd <4 x float> %p, <float 1.5, float -2.5, float 0.5, float 1.0e6>
  %d = fsub <4 x float> %s, %y
  %r = bitcast <4 x float> %d to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @fcompare(<4 x i32> %a, <4 x i32> %b) {
  %x = sitofp <4 x i32> %a to <4 x float>
  %y = sitofp <4 x i32> %b to <4 x float>
  %c = fcmp olt <4 x float> %x, %y
  %e = fcmp une <4 x float> %x, zeroinitializer
  %s = select <4 x i1> %c, <4 x float> %x, <4 x float> %y
  %t = select <4 x i1> %e, <4 x float> %s, <4 x float> <float 1.0, float 2.0, float 3.0, float 4.0>
  %r = bitcast <4 x float> %t to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @convert(<4 x i32> %a, <4 x i32> %b) {
  %u = uitofp <4 x i32> %a to <4 x float>
  %h = fmul <4 x float> %u, <float 0.25, float 0.25, float 0.125, float 0.0625>
  %i = fptoui <4 x float> %h to <4 x i32>
  %s = sitofp <4 x i32> %b to <4 x float>
  %k = fmul <4 x float> %s, <float 0.25, float -0.25, float 0.125, float -0.0625>
  %j = fptosi <4 x float> %k to <4 x i32>
  %r = xor <4 x i32> %i, %j
  ret <4 x i32> %r
}

define internal <4 x i32> @rounding(<4 x i32> %a, <4 x i32> %b) {
  %i = ashr <4 x i32> %a, <i32 12, i32 12, i32 12, i32 12>
  %f = sitofp <4 x i32> %i to <4 x float>
  %x = fmul <4 x float> %f, <float 0.125, float 0.125, float 0.125, float 0.125>
  %x0 = extractelement <4 x float> %x, i32 0
  %x1 = extractelement <4 x float> %x, i32 1
  %x2 = extractelement <4 x float> %x, i32 2
  %x3 = extractelement <4 x float> %x, i32 3
  %r0 = call float @llvm.floor.f32(float %x0)
  %r1 = call float @llvm.ceil.f32(float %x1)
  %r2 = call float @llvm.trunc.f32(float %x2)
  %r3 = call float @llvm.rint.f32(float %x3)
  %v0 = insertelement <4 x float> undef, float %r0, i32 0
  %v1 = insertelement <4 x float> %v0, float %r1, i32 1
  %v2 = insertelement <4 x float> %v1, float %r2, i32 2
  %v3 = insertelement <4 x float> %v2, float %r3, i32 3
  %r = bitcast <4 x float> %v3 to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @roots(<4 x i32> %a, <4 x i32> %b) {
  %i = and <4 x i32> %a, <i32 1048575, i32 1048575, i32 1048575, i32 1048575>
  %f = uitofp <4 x i32> %i to <4 x float>
  %p = fadd <4 x float> %f, <float 1.0, float 1.0, float 1.0, float 1.0>
  %x0 = extractelement <4 x float> %p, i32 0
  %x1 = extractelement <4 x float> %p, i32 1
  %r0 = call float @llvm.sqrt.f32(float %x0)
  %r1 = fdiv float 1000.0, %x1
  %v0 = insertelement <4 x float> %p, float %r0, i32 0
  %v1 = insertelement <4 x float> %v0, float %r1, i32 1
  %r = bitcast <4 x float> %v1 to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @transcendentals(<4 x i32> %a, <4 x i32> %b) {
  %i = and <4 x i32> %a, <i32 1023, i32 1023, i32 1023, i32 1023>
  %f = uitofp <4 x i32> %i to <4 x float>
  %x = fmul <4 x float> %f, <float 0.0625, float 0.0625, float 0.0625, float 0.0625>
  %x0 = extractelement <4 x float> %x, i32 0
  %x1 = extractelement <4 x float> %x, i32 1
  %x2 = extractelement <4 x float> %x, i32 2
  %x3 = extractelement <4 x float> %x, i32 3
  %y3 = fadd float %x3, 1.0
  %r0 = call float @llvm.sin.f32(float %x0)
  %r1 = call float @llvm.cos.f32(float %x1)
  %r2 = call float @llvm.exp2.f32(float %x2)
  %r3 = call float @llvm.log2.f32(float %y3)
  %v0 = insertelement <4 x float> undef, float %r0, i32 0
  %v1 = insertelement <4 x float> %v0, float %r1, i32 1
  %v2 = insertelement <4 x float> %v1, float %r2, i32 2
  %v3 = insertelement <4 x float> %v2, float %r3, i32 3
  %r = bitcast <4 x float> %v3 to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @collatz(<4 x i32> %a, <4 x i32> %b) {
entry:
  %a0 = extractelement <4 x i32> %a, i32 0
  %m = and i32 %a0, 255
  %start = add i32 %m, 1
  br label %head
head:
  %n = phi i32 [%start, %entry], [%next, %back]
  %steps = phi i32 [0, %entry], [%steps1, %back]
  %done = icmp eq i32 %n, 1
  br i1 %done, label %exit, label %body
body:
  %bit = and i32 %n, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %up, label %down
up:
  %t = mul i32 %n, 3
  %t1 = add i32 %t, 1
  br label %back
down:
  %h = lshr i32 %n, 1
  br label %back
back:
  %next = phi i32 [%t1, %up], [%h, %down]
  %steps1 = add i32 %steps, 1
  br label %head
exit:
  %r = insertelement <4 x i32> %b, i32 %steps, i32 0
  ret <4 x i32> %r
}

define internal <4 x i32> @gcd(<4 x i32> %a, <4 x i32> %b) {
entry:
  %a0 = extractelement <4 x i32> %a, i32 0
  %b0 = extractelement <4 x i32> %b, i32 0
  %x0 = lshr i32 %a0, 20
  %y0 = lshr i32 %b0, 20
  br label %head
head:
  %x = phi i32 [%x0, %entry], [%y, %body]
  %y = phi i32 [%y0, %entry], [%r, %body]
  %z = icmp eq i32 %y, 0
  br i1 %z, label %exit, label %body
body:
  %r = urem i32 %x, %y
  br label %head
exit:
  %v = insertelement <4 x i32> %a, i32 %x, i32 3
  ret <4 x i32> %v
}

define internal <4 x i32> @nested(<4 x i32> %a, <4 x i32> %b) {
entry:
  %a0 = extractelement <4 x i32> %a, i32 0
  %b0 = extractelement <4 x i32> %b, i32 0
  %rows = and i32 %a0, 7
  %columns = and i32 %b0, 15
  br label %outer
outer:
  %i = phi i32 [0, %entry], [%i1, %next]
  %s = phi i32 [0, %entry], [%s2, %next]
  %more = icmp ult i32 %i, %rows
  br i1 %more, label %inner, label %exit
inner:
  %j = phi i32 [0, %outer], [%j1, %rest]
  %t = phi i32 [%s, %outer], [%t2, %rest]
  %inside = icmp ult i32 %j, %columns
  br i1 %inside, label %work, label %next
work:
  %p = mul i32 %i, %j
  %skip = icmp eq i32 %p, 12
  br i1 %skip, label %rest, label %take
take:
  %q = add i32 %p, %t
  %full = icmp ugt i32 %q, 200
  br i1 %full, label %next, label %rest
rest:
  %t2 = phi i32 [%t, %work], [%q, %take]
  %j1 = add i32 %j, 1
  br label %inner
next:
  %s2 = phi i32 [%t, %inner], [%q, %take]
  %i1 = add i32 %i, 1
  br label %outer
exit:
  %v = insertelement <4 x i32> %b, i32 %s, i32 1
  ret <4 x i32> %v
}

define internal <4 x i32> @wide(<4 x i32> %a, <4 x i32> %b) {
  %a0 = extractelement <4 x i32> %a, i32 0
  %a1 = extractelement <4 x i32> %a, i32 1
  %b0 = extractelement <4 x i32> %b, i32 0
  %b1 = extractelement <4 x i32> %b, i32 1
  %al = zext i32 %a0 to i64
  %ah = zext i32 %a1 to i64
  %as = shl i64 %ah, 32
  %x = or i64 %as, %al
  %bl = zext i32 %b0 to i64
  %bh = zext i32 %b1 to i64
  %bs = shl i64 %bh, 32
  %y = or i64 %bs, %bl
  %s = add i64 %x, %y
  %p = mul i64 %al, %bl
  %s0 = trunc i64 %s to i32
  %sh = lshr i64 %s, 32
  %s1 = trunc i64 %sh to i32
  %p0 = trunc i64 %p to i32
  %ph = lshr i64 %p, 32
  %p1 = trunc i64 %ph to i32
  %v0 = insertelement <4 x i32> undef, i32 %s0, i32 0
  %v1 = insertelement <4 x i32> %v0, i32 %s1, i32 1
  %v2 = insertelement <4 x i32> %v1, i32 %p0, i32 2
  %v3 = insertelement <4 x i32> %v2, i32 %p1, i32 3
  ret <4 x i32> %v3
}

define internal <4 x i32> @branches(<4 x i32> %a, <4 x i32> %b) {
entry:
  %a0 = extractelement <4 x i32> %a, i32 0
  %b0 = extractelement <4 x i32> %b, i32 0
  %k = and i32 %a0, 3
  switch i32 %k, label %other [i32 0, label %zero
                               i32 1, label %first]
zero:
  %c = icmp ugt i32 %b0, 1000000
  br i1 %c, label %large, label %small
large:
  %l = udiv i32 %b0, 10
  br label %exit
small:
  %m = mul i32 %b0, %a0
  br label %exit
first:
  %x = xor i32 %b0, 255
  br label %exit
other:
  %o = sub i32 %a0, %b0
  br label %exit
exit:
  %r = phi i32 [%l, %large], [%m, %small], [%x, %first], [%o, %other]
  %v = insertelement <4 x i32> %a, i32 %r, i32 2
  ret <4 x i32> %v
}

define internal <4 x i32> @signs(<4 x i32> %a, <4 x i32> %b) {
  %x = sitofp <4 x i32> %a to <4 x float>
  %x0 = extractelement <4 x float> %x, i32 0
  %x1 = extractelement <4 x float> %x, i32 1
  %y = call float @llvm.fabs.f32(float %x0)
  %n = fneg float %x1
  %s = fadd float %y, %n
  %d = fmul float %s, 2.0
  %v0 = insertelement <4 x float> %x, float %y, i32 0
  %v1 = insertelement <4 x float> %v0, float %d, i32 1
  %r = bitcast <4 x float> %v1 to <4 x i32>
  ret <4 x i32> %r
}

define internal <4 x i32> @dots(<4 x i32> %a, <4 x i32> %b) {
  %i = and <4 x i32> %a, <i32 1023, i32 1023, i32 1023, i32 1023>
  %j = ashr <4 x i32> %b, <i32 22, i32 22, i32 22, i32 22>
  %x = sitofp <4 x i32> %i to <4 x float>
  %y = sitofp <4 x i32> %j to <4 x float>
  %d = call float @llvm.r600.dot4(<4 x float> %x, <4 x float> %y)
  %v = insertelement <4 x float> %x, float %d, i32 1
  %r = bitcast <4 x float> %v to <4 x i32>
  ret <4 x i32> %r
}
