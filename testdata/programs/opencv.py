#!/usr/bin/python3
"""OpenCV's transparent API: each function with an image on the OpenCL device and on the CPU."""

import sys

import cv2
import numpy as np

cv2.ocl.setUseOpenCL(True)
if not cv2.ocl.haveOpenCL() or not cv2.ocl.useOpenCL():
    sys.exit("OpenCV has no OpenCL device")
print("#", cv2.ocl.Device_getDefault().name(), file=sys.stderr)

rng = np.random.default_rng(1)
gray = rng.integers(0, 256, (97, 131), np.uint8)
other = rng.integers(0, 256, (97, 131), np.uint8)
colour = rng.integers(0, 256, (97, 131, 3), np.uint8)
real = rng.random((97, 131), np.float32) * 8 - 4
matrix = rng.random((64, 64), np.float32)
kernel = np.ones((5, 5), np.uint8)
turn = cv2.getRotationMatrix2D((60, 50), 30, 0.8)
warp = np.array([[1, 0.1, 3], [-0.05, 1.1, 2], [0.0005, 0.001, 1]], np.float32)

# The name, the arguments, the function, and how far off its result may be.
TESTS = [
    ("add", [gray, other], cv2.add, 0),
    ("subtract", [gray, other], cv2.subtract, 0),
    ("multiply", [real, real], cv2.multiply, 1e-4),
    ("addWeighted", [gray, other], lambda a, b: cv2.addWeighted(a, 0.3, b, 0.7, 2), 1),
    ("absdiff", [gray, other], cv2.absdiff, 0),
    ("and", [gray, other], cv2.bitwise_and, 0),
    ("compare", [gray, other], lambda a, b: cv2.compare(a, b, cv2.CMP_GT), 0),
    ("inRange", [gray], lambda a: cv2.inRange(a, 50, 180), 0),
    ("threshold", [gray], lambda a: cv2.threshold(a, 99, 200, cv2.THRESH_BINARY)[1], 0),
    ("adaptiveThreshold", [gray], lambda a: cv2.adaptiveThreshold(a, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, 11, 2), 0),
    ("gray", [colour], lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), 1),
    ("hsv", [colour], lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), 1),
    ("yuv", [colour], lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YUV), 1),
    ("lab", [colour], lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2LAB), 2),
    ("blur", [gray], lambda a: cv2.blur(a, (5, 5)), 1),
    ("gauss", [gray], lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), 1),
    ("gauss.real", [real], lambda a: cv2.GaussianBlur(a, (5, 5), 1.2), 1e-4),
    ("median", [gray], lambda a: cv2.medianBlur(a, 5), 0),
    ("bilateral", [gray], lambda a: cv2.bilateralFilter(a, 5, 40, 40), 1),
    ("filter2D", [real], lambda a: cv2.filter2D(a, -1, np.array([[1, 2, 1], [0, -3, 0], [1, 2, 1]], np.float32)), 1e-3),
    ("sobel", [gray], lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), 0),
    ("scharr", [real], lambda a: cv2.Scharr(a, cv2.CV_32F, 0, 1), 1e-3),
    ("laplacian", [gray], lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), 0),
    ("canny", [gray], lambda a: cv2.Canny(a, 80, 200), 0),
    ("erode", [gray], lambda a: cv2.erode(a, kernel), 0),
    ("dilate", [colour], lambda a: cv2.dilate(a, kernel), 0),
    ("open", [gray], lambda a: cv2.morphologyEx(a, cv2.MORPH_OPEN, kernel), 0),
    ("resize.nearest", [gray], lambda a: cv2.resize(a, (200, 60), interpolation=cv2.INTER_NEAREST), 0),
    ("resize.linear", [colour], lambda a: cv2.resize(a, (200, 150), interpolation=cv2.INTER_LINEAR), 1),
    ("resize.area", [gray], lambda a: cv2.resize(a, (60, 40), interpolation=cv2.INTER_AREA), 1),
    ("pyrDown", [gray], cv2.pyrDown, 1),
    ("pyrUp", [gray], cv2.pyrUp, 1),
    ("affine", [gray], lambda a: cv2.warpAffine(a, turn, (131, 97)), 2),
    ("perspective", [real], lambda a: cv2.warpPerspective(a, warp, (131, 97)), 0.3),
    ("flip", [colour], lambda a: cv2.flip(a, -1), 0),
    ("transpose", [colour], cv2.transpose, 0),
    ("border", [gray], lambda a: cv2.copyMakeBorder(a, 3, 4, 5, 6, cv2.BORDER_REFLECT_101), 0),
    ("split", [colour], lambda a: cv2.split(a)[1], 0),
    ("merge", [gray, other], lambda a, b: cv2.merge([a, b, a]), 0),
    ("lut", [gray], lambda a: cv2.LUT(a, np.arange(255, -1, -1, dtype=np.uint8)), 0),
    ("equalize", [gray], cv2.equalizeHist, 0),
    ("histogram", [gray], lambda a: cv2.calcHist([a], [0], None, [32], [0, 256]), 0),
    ("integral", [gray], cv2.integral, 0),
    ("reduce", [real], lambda a: cv2.reduce(a, 0, cv2.REDUCE_SUM), 1e-2),
    ("sqrt", [matrix], cv2.sqrt, 1e-4),
    ("exp", [real], cv2.exp, 1e-2),
    ("magnitude", [real, real], cv2.magnitude, 1e-3),
    ("phase", [real, matrix[0:1, 0:1].repeat(97, 0).repeat(131, 1)], cv2.phase, 1e-2),
    ("gemm", [matrix, matrix], lambda a, b: cv2.gemm(a, b, 1.0, None, 0.0), 1e-3),
    ("dft", [matrix], lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), 1e-2),
    ("matchTemplate", [gray], lambda a: cv2.matchTemplate(a, gray[20:36, 30:46], cv2.TM_SQDIFF), 16),
    ("harris", [gray], lambda a: cv2.cornerHarris(a, 3, 3, 0.04), 1e-3),
    ("normalize", [real], lambda a: cv2.normalize(a, None, 0, 1, cv2.NORM_MINMAX), 1e-4),
]

# Where the two differ by design: OpenCV takes other edges at the border.
MARGINS = {"canny": 2}

for name, args, function, off in TESTS:
    want = function(*args)
    try:
        got = function(*[cv2.UMat(a) for a in args])
        got = got.get() if isinstance(got, cv2.UMat) else got
        if margin := MARGINS.get(name):
            got, want = (np.asarray(a)[margin:-margin, margin:-margin] for a in (got, want))
        worst = np.abs(np.asarray(got, np.float64) - np.asarray(want, np.float64)).max()
        verdict = "passed" if worst <= off else f"failed: off by {worst:g}"
    except cv2.error as e:
        verdict = f"failed: {str(e).splitlines()[-1]}"
    print(name, verdict, flush=True)
