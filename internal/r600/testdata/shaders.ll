; Shaders whose words TestWordsOfLLC reads.
declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)
declare <4 x float> @llvm.r600.tex(<4 x float>, i32, i32, i32, i32, i32, i32, i32, i32, i32)

define amdgpu_vs void @vertex(<4 x float> inreg %r0, <4 x float> inreg %r1) {
  %s = fadd <4 x float> %r0, %r1
  call void @llvm.r600.store.swizzle(<4 x float> %s, i32 60, i32 1)
  call void @llvm.r600.store.swizzle(<4 x float> %r1, i32 0, i32 2)
  ret void
}

define amdgpu_ps void @pixel(<4 x float> inreg %r0) {
  %c = call <4 x float> @llvm.r600.tex(<4 x float> %r0, i32 0, i32 0, i32 0, i32 3, i32 2, i32 1, i32 1, i32 1, i32 1)
  call void @llvm.r600.store.swizzle(<4 x float> %c, i32 0, i32 0)
  ret void
}
