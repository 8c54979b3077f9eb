// Package rect executes the draws with which drivers copy, clear and scale images on a ring with graphics: lists of
// rectangles whose sides are parallel to those of the image, one sample a pixel, with neither blending nor tests. A
// vertex shader says where the three corners are, a pixel shader runs once for each pixel whose centre a rectangle
// holds, and what it exports is stored to the colour buffers, or to the depth buffer. Every other draw is an *[Error]
// that names what it asks for.
//
// The shaders run on the simulator as bare waves. The package adds what belongs to the fixed parts of graphics: the
// initial registers of such waves, the interpolation of parameters, and the conversion of exports.
//
// Sources: the registers are those of the amdgpu kernel driver's headers (gfx_6_0_d.h and its successors); what they
// mean follows from how Mesa's RADV programs them (si_cmd_buffer.c, radv_device.c, radv_pipeline.c,
// radv_meta_blit2d.c) and AMD's GCN3 ISA manual, chapters "Pixel shaders" and "Export".
package rect
