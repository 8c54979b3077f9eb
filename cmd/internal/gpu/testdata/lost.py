# A program that loses its context, ignores interrupts, is interrupted, and waits for ever.
import ctypes, fcntl, os, signal, struct, time

card = os.open("/dev/dri/renderD128", os.O_RDWR)


def ask(number, data):
    data = bytearray(data)
    fcntl.ioctl(card, 3 << 30 | len(data) << 16 | ord("d") << 8 | number, data)
    return data


context, = struct.unpack_from("<I", ask(0x42, struct.pack("<4I", 1, 0, 0, 0)))
buffer = ctypes.create_string_buffer(struct.pack("<2IQ4I", 0, 0, 0x1000, 64, 1, 0, 0))
chunk = ctypes.create_string_buffer(struct.pack("<2IQ", 1, 8, ctypes.addressof(buffer)))
chunks = ctypes.create_string_buffer(struct.pack("<Q", ctypes.addressof(chunk)))
try:
    ask(0x44, struct.pack("<4IQ", context, 0, 1, 0, ctypes.addressof(chunks)))
except OSError:
    pass
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(100)
