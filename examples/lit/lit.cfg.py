# Tests of a compiler with gcnsim: lit --param clang=clang-22 --param gcnsim=/path/to/gcnsim .
import os

import lit.formats

config.name = "gcnsim"
config.test_format = lit.formats.ShTest()
config.suffixes = [".cl"]
config.test_exec_root = lit_config.params.get("out", os.path.join(os.path.dirname(__file__), "Output"))
config.environment["PATH"] = os.environ["PATH"]
clang = lit_config.params.get("clang", "clang-19")
config.substitutions.append(
    ("%compile", '"' + clang + '" -x cl --target=amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -c'))
config.substitutions.append(("%gcnsim", '"' + lit_config.params.get("gcnsim", "gcnsim") + '"'))
