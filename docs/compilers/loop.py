"""Compares an instruction with a model of it on random numbers: a request a line in, an answer a line out."""
import json
import random
import subprocess

gcnsim = subprocess.Popen(["gcnsim", "exec"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
numbers = random.Random(1)
for n in range(200):
    lanes = [[numbers.getrandbits(32) for _ in range(64)] for _ in range(3)]
    request = {"id": n, "mcpu": "gfx900", "asm": "v_bfi_b32 v3, v0, v1, v2",
               "vgpr": {str(v): lanes[v] for v in range(3)}, "dump": {"vgpr": [[3, 1]]}}
    print(json.dumps(request), file=gcnsim.stdin, flush=True)
    answer = json.loads(gcnsim.stdout.readline())
    assert answer["ok"], answer
    for lane, (mask, a, b) in enumerate(zip(*lanes)):
        want, got = mask & a | ~mask & b & 0xFFFFFFFF, int(answer["vgpr"]["3"][lane], 16)
        assert want == got, f"request {n}, lane {lane}: want {want:#010x}, got {got:#010x}"
gcnsim.stdin.close()
print("200 requests, all as the model says")
