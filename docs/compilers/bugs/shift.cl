// Two shifts of 16 bits each, whose results make one word.
// LLVM replaces the shift by 8 with an SDWA operand, which extends the sign through the upper half of the word.
typedef short pair __attribute__((ext_vector_type(2)));

kernel void shift(global pair *out, global const pair *in) {
  int t = __builtin_amdgcn_workitem_id_x();
  out[t] = in[t] >> (pair)(8, 13);
}
