// Package rect executes the draws with which drivers copy, clear and scale images on a ring with graphics. Such a
// draw is a list of rectangles whose sides are parallel to the image's, with one sample a pixel, without blending and
// without tests. A vertex shader computes three corners of a rectangle. A pixel shader executes once for each pixel
// whose centre is inside, and its exports are stored to the colour buffers or to the depth buffer. For every other
// draw the result is an *[Error] that names the unsupported feature.
//
// The shaders execute on the simulator as bare waves. The package implements the fixed-function units: the initial
// registers of such waves, the interpolation of parameters, and the conversion of exports.
//
// Sources: the registers are defined in the amdgpu kernel driver's headers (gfx_6_0_d.h and its successors). Their
// meaning follows from how Mesa's RADV programs them (si_cmd_buffer.c, radv_device.c, radv_pipeline.c,
// radv_meta_blit2d.c) and from AMD's GCN3 ISA manual, chapters "Pixel shaders" and "Export".
package rect
