// SPDX-License-Identifier: MIT
//
// steps.cpp - scoped regions of C++, for t5000-steps.t
#include <cstddef>
#include <stdexcept>

#include "dftrace/dftrace.h"

static void fails ()
{
    DFTRACE_SCOPE ("cpp", "thrown");
    throw std::runtime_error ("no");
}

struct cleanup {
    ~cleanup ()
    {
        DFTRACE_SCOPE ("cpp", "unwinding"); // did not fail itself
    }
};

int main ()
{
    DFTRACE_SCOPE ("cpp", "outer");
    {
        DFTRACE_SCOPE ("cpp", "inner");
        dftrace::region r ("cpp", "args");
        r.arg ("idx", std::size_t (3)).arg ("d", 0.5).arg ("t", "text");
    }
    try {
        cleanup c;
        fails ();
    } catch (const std::exception &) {
    }
    return 0;
}
