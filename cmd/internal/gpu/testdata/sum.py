import sys

import numpy as np
import pyopencl as cl

context = cl.create_some_context(interactive=False)
measures = sys.argv[1:] == ["measure"]
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE if measures else 0)
a = np.arange(10000, dtype=np.float32)
flags = cl.mem_flags
x = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=a)
y = cl.Buffer(context, flags.WRITE_ONLY, a.nbytes)
program = cl.Program(context, """
kernel void twice(global const float *x, global float *y)
{
    int i = get_global_id(0);
    y[i] = x[i] + x[i];
}""").build()
ran = program.twice(queue, a.shape, None, x, y)
b = np.empty_like(a)
cl.enqueue_copy(queue, b, y)
assert (b == a + a).all(), b
assert not measures or ran.profile.end > ran.profile.start
