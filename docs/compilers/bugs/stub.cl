// Without optimization clang 22 compiles the body of a kernel as a function, __clang_ocl_kern_imp_stub.
// The function makes generic pointers to its variables and reads the implicit arguments for that at address 0.
kernel void stub(global int *out) { out[0] = 1; }
