; Kernels that use memory otherwise than compute.ll, for Evergreen and Cayman.
declare i32 @llvm.r600.read.tidig.x()
declare i32 @llvm.r600.read.tgid.x()
declare i32 @llvm.r600.read.local.size.x()
declare void @llvm.r600.group.barrier()
@lds = internal addrspace(3) global [128 x i32] undef
@sums = internal addrspace(3) global i32 undef

define amdgpu_kernel void @reverse(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %t = call i32 @llvm.r600.read.tidig.x()
  %g = call i32 @llvm.r600.read.tgid.x()
  %n = call i32 @llvm.r600.read.local.size.x()
  %base = mul i32 %g, %n
  %i = add i32 %base, %t
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %l = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %t
  store i32 %v, ptr addrspace(3) %l
  call void @llvm.r600.group.barrier()
  %last = sub i32 %n, 1
  %r = sub i32 %last, %t
  %m = getelementptr [128 x i32], ptr addrspace(3) @lds, i32 0, i32 %r
  %w = load i32, ptr addrspace(3) %m
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %w, ptr addrspace(1) %o
  ret void
}

define amdgpu_kernel void @bytes(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %t = call i32 @llvm.r600.read.tidig.x()
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %t
  %v = load i8, ptr addrspace(1) %p
  %w = add i8 %v, 3
  %o = getelementptr i8, ptr addrspace(1) %out, i32 %t
  store i8 %w, ptr addrspace(1) %o
  ret void
}

define amdgpu_kernel void @shorts(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %t = call i32 @llvm.r600.read.tidig.x()
  %p = getelementptr i16, ptr addrspace(1) %a, i32 %t
  %v = load i16, ptr addrspace(1) %p
  %x = sext i16 %v to i32
  %y = mul i32 %x, 5
  %w = trunc i32 %y to i16
  %o = getelementptr i16, ptr addrspace(1) %out, i32 %t
  store i16 %w, ptr addrspace(1) %o
  ret void
}

define amdgpu_kernel void @atomics(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %t = call i32 @llvm.r600.read.tidig.x()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  %o2 = getelementptr i32, ptr addrspace(1) %out, i32 2
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  %x0 = atomicrmw add ptr addrspace(1) %out, i32 %v seq_cst
  %x1 = atomicrmw umax ptr addrspace(1) %o1, i32 %v seq_cst
  %x2 = atomicrmw min ptr addrspace(1) %o2, i32 %v seq_cst
  %x3 = atomicrmw xor ptr addrspace(1) %o3, i32 %v seq_cst
  ret void
}

define amdgpu_kernel void @shared(ptr addrspace(1) %out, ptr addrspace(1) %a, ptr addrspace(1) %b) {
entry:
  %t = call i32 @llvm.r600.read.tidig.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %clear, label %go
clear:
  store i32 0, ptr addrspace(3) @sums
  br label %go
go:
  call void @llvm.r600.group.barrier()
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %v = load i32, ptr addrspace(1) %p
  %before = atomicrmw add ptr addrspace(3) @sums, i32 %v seq_cst
  call void @llvm.r600.group.barrier()
  %sum = load i32, ptr addrspace(3) @sums
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %sum, ptr addrspace(1) %o
  ret void
}
