#pragma once

// Places in what the kernel units writes: those of TIMED3 take three.
enum {
    Scalar,
    Lds = 3,
    Same = 6,
    Conflict = 9,
    Missing = 12,
    Loads0 = 15, // no load, then 24 and 48
    Loads24,
    Loads48,
    Stores60,
    Stores120,
    Slots
};
