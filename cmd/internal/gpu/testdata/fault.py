import numpy as np
import pyopencl as cl

# A kernel that stores far behind its buffer.
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
program = cl.Program(context, """
kernel void far(global int *out, ulong offset)
{
    out[get_global_id(0) + offset] = 1;
}""").build()
program.far(queue, (64,), (64,), out, np.uint64(1 << 32))
queue.finish()
