; Kernels whose words TestWordsOfLLC reads. LLVM has no loads from memory for R600 and R700.
declare i32 @llvm.r600.read.tidig.x()
declare void @llvm.r600.group.barrier()
@lds = internal addrspace(3) global [64 x i32] undef

define amdgpu_kernel void @add(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %q = getelementptr i32, ptr addrspace(1) %in, i32 1
  %a = load i32, ptr addrspace(1) %in
  %b = load i32, ptr addrspace(1) %q
  %s = add i32 %a, %b
  store i32 %s, ptr addrspace(1) %out
  ret void
}

define amdgpu_kernel void @vector(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %a = load <4 x float>, ptr addrspace(1) %in
  %b = load <2 x i32>, ptr addrspace(1) %out
  %s = fmul <4 x float> %a, %a
  store <4 x float> %s, ptr addrspace(1) %out
  store <2 x i32> %b, ptr addrspace(1) %in
  ret void
}

define amdgpu_kernel void @narrow(ptr addrspace(1) %out, ptr addrspace(1) %in) {
  %q = getelementptr i16, ptr addrspace(1) %in, i32 5
  %a = load i8, ptr addrspace(1) %in
  %b = load i16, ptr addrspace(1) %q
  %w = zext i8 %a to i16
  %s = add i16 %w, %b
  store i16 %s, ptr addrspace(1) %out
  ret void
}

define amdgpu_kernel void @branch(ptr addrspace(1) %out, ptr addrspace(1) %in) {
entry:
  %t = call i32 @llvm.r600.read.tidig.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %v = load i32, ptr addrspace(1) %p
  %c = icmp eq i32 %v, 7
  br i1 %c, label %then, label %else
then:
  %x = load i32, ptr addrspace(1) %out
  store i32 %x, ptr addrspace(1) %p
  br label %done
else:
  %y = mul i32 %v, %v
  store i32 %y, ptr addrspace(1) %out
  br label %done
done:
  ret void
}

define amdgpu_kernel void @loop(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %body, label %done
body:
  %i = phi i32 [0, %entry], [%i1, %body]
  %s = phi i32 [0, %entry], [%s1, %body]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %i1 = add i32 %i, 1
  %c = icmp slt i32 %i1, %n
  br i1 %c, label %body, label %done
done:
  %r = phi i32 [0, %entry], [%s1, %body]
  store i32 %r, ptr addrspace(1) %out
  ret void
}

define amdgpu_kernel void @local(ptr addrspace(1) %out) {
  %t = call i32 @llvm.r600.read.tidig.x()
  %p = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %p
  call void @llvm.r600.group.barrier()
  %q = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 3
  %v = load i32, ptr addrspace(3) %q
  store i32 %v, ptr addrspace(1) %out
  ret void
}
