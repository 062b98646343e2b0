"""Starts a command on a machine that looks as if its kernel had no Landlock and let nobody mount: these calls fail."""
import ctypes, os, sys

MOUNT, LANDLOCK, ALLOWED, REFUSED, NOT_THERE = 165, 444, 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38

class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32)]

class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(Instruction))]

instructions = (Instruction * 6)(
    (0x20, 0, 0, 0),
    (0x15, 2, 0, LANDLOCK),
    (0x15, 2, 0, MOUNT),
    (0x06, 0, 0, ALLOWED),
    (0x06, 0, 0, NOT_THERE),
    (0x06, 0, 0, REFUSED),
)
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == 0
assert prctl(22, 2, ctypes.byref(Filter(6, instructions)), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
