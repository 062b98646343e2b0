"""Starts a command on a machine that looks as if its kernel had no Landlock: that system call fails."""
import ctypes, os, sys

LANDLOCK, ALLOWED, NOT_THERE = 444, 0x7FFF0000, 0x00050000 | 38

class Instruction(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32)]

class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(Instruction))]

instructions = (Instruction * 4)((0x20, 0, 0, 0), (0x15, 0, 1, LANDLOCK), (0x06, 0, 0, NOT_THERE), (0x06, 0, 0, ALLOWED))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == 0
assert prctl(22, 2, ctypes.byref(Filter(4, instructions)), 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
