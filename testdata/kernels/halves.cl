// Half precision: conversion both ways, and arithmetic that is exact.
#include "ids.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void halves(__global half *out, __global float *wide, __global const half *in) {
  int i = GLOBAL_X(64);
  half v = in[i];
  out[i] = v * (half)2 + (half)1;
  wide[i] = (float)v * 0.125f;
}
