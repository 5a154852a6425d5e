/* SPDX-License-Identifier: MIT
 *
 * wrapwait.c - the wrappers of MPI_Wait, MPI_Test and their variants
 *
 * Without a request of a file under way, which is nearly always, a wrapper is a
 * load, a comparison and the real call.
 */
#include "config.h"

#include "preload/mpi/mpirequest.h"
#include "preload/mpi/mpiwait.h"
#include "preload/mpi/wrapmpi.h"

/* What a call has, as the fields of struct mpiwait that it sets; ONE: the
 * count of requests that is no argument. */
#define ALL_OF(N) .waits = MPIWAITS_ALL, .n = N
#define ANY_OF(N) .waits = MPIWAITS_ANY, .n = N, .index = (const int *)index
#define SOME_OF(N)                                                     \
    .waits = MPIWAITS_SOME, .n = N, .outcount = (const int *)outcount, \
    .index = (const int *)index
#define FLAG .flag = (const int *)flag

#define IN_C(NAME, PARAMS, TYPES, ARGS, FOLLOWED, ...)           \
    static __attribute__ ((noinline)) int followed_##NAME PARAMS \
    {                                                            \
        int (*real) TYPES = mpireal (MPIROW_##NAME, MPIFORM_C);  \
        struct mpiwait w;                                        \
        int rc;                                                  \
                                                                 \
        w = (struct mpiwait){.form = MPIFORM_C,                  \
                             .requests = (const void *)requests, \
                             .statuses = (void *)statuses,       \
                             __VA_ARGS__};                       \
        mpiwait_begin (&w);                                      \
        rc = real FOLLOWED;                                      \
        mpiwait_end (&w, rc);                                    \
        return rc;                                               \
    }                                                            \
    MPIWRAP int NAME PARAMS                                      \
    {                                                            \
        int (*real) TYPES = mpireal (MPIROW_##NAME, MPIFORM_C);  \
                                                                 \
        if (__builtin_expect (!real, 0))                         \
            return MPI_ERROR;                                    \
        if (__builtin_expect (mpirequest_pending > 0, 0))        \
            return followed_##NAME ARGS;                         \
        return real ARGS;                                        \
    }

#define IN_F(NAME, SYMBOL, FORM, PARAMS, TYPES, ARGS, FOLLOWED, ...) \
    MPIWRAP void SYMBOL PARAMS                                       \
    {                                                                \
        void (*real) TYPES = mpireal (MPIROW_##NAME, FORM);          \
        int own = 0, *error = wrapmpi_error (ierr, &own);            \
        struct mpiwait w;                                            \
                                                                     \
        w.form = FORM;                                               \
        if (!real || mpirequest_pending == 0) {                      \
            if (real)                                                \
                real ARGS;                                           \
            else                                                     \
                *error = MPI_ERROR;                                  \
            return;                                                  \
        }                                                            \
        w = (struct mpiwait){.form = FORM,                           \
                             .requests = (const void *)requests,     \
                             .statuses = (void *)statuses,           \
                             __VA_ARGS__};                           \
        mpiwait_begin (&w);                                          \
        real FOLLOWED;                                               \
        mpiwait_end (&w, *error);                                    \
    }
#define FORTRAN(NAME, LOWER, ...)                         \
    IN_F (NAME, LOWER##_, MPIFORM_FORTRAN, __VA_ARGS__)   \
    IN_F (NAME, LOWER##__, MPIFORM_FORTRAN2, __VA_ARGS__) \
    IN_F (NAME, LOWER##_f08_, MPIFORM_F08, __VA_ARGS__)

#define N_C ((int)n)
#define N_F (*(const int *)n)

IN_C (MPI_Wait,
      (W requests, W statuses),
      (W, W),
      (requests, statuses),
      (requests, (W)w.statuses),
      ALL_OF (1))
FORTRAN (MPI_Wait,
         mpi_wait,
         (W requests, W statuses, W ierr),
         (W, W, int *),
         (requests, statuses, error),
         (requests, (W)w.statuses, error),
         ALL_OF (1))
IN_C (MPI_Test,
      (W requests, W flag, W statuses),
      (W, W, W),
      (requests, flag, statuses),
      (requests, flag, (W)w.statuses),
      ALL_OF (1),
      FLAG)
FORTRAN (MPI_Test,
         mpi_test,
         (W requests, W flag, W statuses, W ierr),
         (W, W, W, int *),
         (requests, flag, statuses, error),
         (requests, flag, (W)w.statuses, error),
         ALL_OF (1),
         FLAG)
IN_C (MPI_Waitall,
      (W n, W requests, W statuses),
      (W, W, W),
      (n, requests, statuses),
      (n, requests, (W)w.statuses),
      ALL_OF (N_C))
FORTRAN (MPI_Waitall,
         mpi_waitall,
         (W n, W requests, W statuses, W ierr),
         (W, W, W, int *),
         (n, requests, statuses, error),
         (n, requests, (W)w.statuses, error),
         ALL_OF (N_F))
IN_C (MPI_Testall,
      (W n, W requests, W flag, W statuses),
      (W, W, W, W),
      (n, requests, flag, statuses),
      (n, requests, flag, (W)w.statuses),
      ALL_OF (N_C),
      FLAG)
FORTRAN (MPI_Testall,
         mpi_testall,
         (W n, W requests, W flag, W statuses, W ierr),
         (W, W, W, W, int *),
         (n, requests, flag, statuses, error),
         (n, requests, flag, (W)w.statuses, error),
         ALL_OF (N_F),
         FLAG)
IN_C (MPI_Waitany,
      (W n, W requests, W index, W statuses),
      (W, W, W, W),
      (n, requests, index, statuses),
      (n, requests, index, (W)w.statuses),
      ANY_OF (N_C))
FORTRAN (MPI_Waitany,
         mpi_waitany,
         (W n, W requests, W index, W statuses, W ierr),
         (W, W, W, W, int *),
         (n, requests, index, statuses, error),
         (n, requests, index, (W)w.statuses, error),
         ANY_OF (N_F))
IN_C (MPI_Testany,
      (W n, W requests, W index, W flag, W statuses),
      (W, W, W, W, W),
      (n, requests, index, flag, statuses),
      (n, requests, index, flag, (W)w.statuses),
      ANY_OF (N_C),
      FLAG)
FORTRAN (MPI_Testany,
         mpi_testany,
         (W n, W requests, W index, W flag, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, index, flag, statuses, error),
         (n, requests, index, flag, (W)w.statuses, error),
         ANY_OF (N_F),
         FLAG)
IN_C (MPI_Waitsome,
      (W n, W requests, W outcount, W index, W statuses),
      (W, W, W, W, W),
      (n, requests, outcount, index, statuses),
      (n, requests, outcount, index, (W)w.statuses),
      SOME_OF (N_C))
FORTRAN (MPI_Waitsome,
         mpi_waitsome,
         (W n, W requests, W outcount, W index, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, outcount, index, statuses, error),
         (n, requests, outcount, index, (W)w.statuses, error),
         SOME_OF (N_F))
IN_C (MPI_Testsome,
      (W n, W requests, W outcount, W index, W statuses),
      (W, W, W, W, W),
      (n, requests, outcount, index, statuses),
      (n, requests, outcount, index, (W)w.statuses),
      SOME_OF (N_C))
FORTRAN (MPI_Testsome,
         mpi_testsome,
         (W n, W requests, W outcount, W index, W statuses, W ierr),
         (W, W, W, W, W, int *),
         (n, requests, outcount, index, statuses, error),
         (n, requests, outcount, index, (W)w.statuses, error),
         SOME_OF (N_F))
