#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// A step that shows in which order dispatches ran.
void main() { o.words[id()] = o.words[id()] * 3u + uint(push.size.x); }
