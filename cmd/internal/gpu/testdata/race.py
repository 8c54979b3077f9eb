import sys

import pyopencl as cl

# A kernel that lacks a barrier, which runs as often as the argument says.
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
program = cl.Program(context, """
kernel void turn(global int *out)
{
    local int l[256];
    int i = get_local_id(0);
    l[i] = i;
    out[get_global_id(0)] = l[255 - i];
}""").build()
for _ in range(int((sys.argv + [1])[1])):
    program.turn(queue, (1024,), (256,), out)
queue.finish()
