// Runs the kernel of PROGRAM for all work-items and writes what it leaves: each work-item is a context, and a
// barrier gives its turn to the next.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define HOST
#define KERNEL
#define GLOBAL
#define LOCAL static
#define CONSTANT static const
#define ITEM item
#define WORKGROUP group
#define WHERE (WORKGROUP * GROUP + ITEM)
#define BARRIER swapcontext(&items[item], &scheduler)
#define TEXEL(x, y) in[((y) & 15) * 16 + ((x) & 15)]
#define SUBGROUP_add(v) subgroup(v, 0, r += x)
#define SUBGROUP_min(v) subgroup(v, ~0u, r = x < r ? x : r)
#define SUBGROUP_max(v) subgroup(v, 0, r = x > r ? x : r)
#define SUBGROUP_and(v) subgroup(v, ~0u, r &= x)
#define SUBGROUP_or(v) subgroup(v, 0, r |= x)
#define SUBGROUP_xor(v) subgroup(v, 0, r ^= x)
#define SUBGROUP_sums(v) subgroup(v, 0, r += lane <= item % 64 ? x : 0)
#define SUBGROUP_below(c) subgroup(c, 0, r += lane < item % 64 ? x : 0)
#define SUBGROUP_count(c) subgroup(c, 0, r += x)
#define SUBGROUP_first(v) subgroup(v, 0, r = lane == 0 ? x : r)
#define SUBGROUP_lane(v, n) subgroup(v, 0, r = lane == (n) ? x : r)
#define SUBGROUP_shuffle(v, n) subgroup(v, 0, r = lane == (n) ? x : r)
// subgroup has begin as r, and does step for x, the value of each lane.
#define subgroup(value, begin, step) ({ \
  lanes[item] = value; \
  BARRIER; \
  unsigned r = begin; \
  for (unsigned lane = 0; lane < 64; lane++) { \
    unsigned x = lanes[item / 64 * 64 + lane]; \
    step; \
  } \
  BARRIER; \
  r; })

static unsigned item, group, waits;
static unsigned lanes[GROUP];
static ucontext_t scheduler, items[GROUP];
typedef unsigned short u16x2 __attribute__((vector_size(4)));
typedef short i16x2 __attribute__((vector_size(4)));
typedef unsigned u32x2 __attribute__((vector_size(8)));
typedef unsigned u32x4 __attribute__((vector_size(16)));
#pragma STDC FP_CONTRACT OFF
#include PROGRAM

enum { stack = 256 << 10 };
static unsigned long out[OUT_WORDS];
static unsigned in[IN_WORDS];
static char stacks[GROUP][stack];

static void enter(void) {
  k(out, in);
  waits--;
}

int main(int argc, char **argv) {
  int reverse = argc > 2;
  FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!f || fread(in, sizeof in, 1, f) != 1)
    return 2;
  for (group = 0; group < GROUPS; group++) {
    for (unsigned i = 0; i < GROUP; i++) {
      getcontext(&items[i]);
      memset(stacks[i], reverse ? 0x5a : 0, stack);
      items[i].uc_stack.ss_sp = stacks[i];
      items[i].uc_stack.ss_size = stack;
      items[i].uc_link = &scheduler;
      makecontext(&items[i], enter, 0);
    }
    for (waits = GROUP; waits;) {
      unsigned before = waits;
      for (unsigned i = 0; i < GROUP; i++) {
        item = reverse ? GROUP - 1 - i : i;
        swapcontext(&scheduler, &items[item]);
      }
      if (waits != before && waits)
        return 3; // some are at a barrier, and some have ended
    }
  }
  return fwrite(out, sizeof out, 1, stdout) != 1;
}
