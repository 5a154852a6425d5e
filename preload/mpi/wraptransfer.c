/* SPDX-License-Identifier: MIT
 *
 * wraptransfer.c - the wrappers of all that moves bytes
 *
 * A row of mpicalls.def becomes five functions. A wrapper with no function
 * behind it (a program without MPI has found its name) gives an error.
 */
#include "config.h"

#include "preload/mpi/mpilarge.h"
#include "preload/mpi/wrapmpi.h"

#define START(ROW, FORM, SHAPE, OFFSET, COUNT, TYPE, LAST)                     \
    {                                                                          \
        .row = MPIROW_##ROW, .form = FORM, .shape = MPISHAPE_##SHAPE,          \
        .fh = fh, .offset = OFFSET, .count = COUNT, .type = TYPE, .last = LAST \
    }

/* --- C ------------------------------------------------------------------- */

#define IN_C(SYMBOL, PARAMS, TYPES, ARGS, ...)      \
    MPIWRAP int SYMBOL PARAMS                       \
    {                                               \
        struct mpicall c = START (__VA_ARGS__);     \
        int (*real) TYPES = mpicall_begin (&c);     \
        int rc = real ? real ARGS : (int)MPI_ERROR; \
                                                    \
        mpicall_end (&c, rc);                       \
        return rc;                                  \
    }

#define C_DATA(SYMBOL, ROW, FORM, SHAPE)                                    \
    IN_C (SYMBOL, (W fh, W buf, W count, W type, W last), (W, W, W, W, W),  \
          (fh, buf, count, type, c.last), ROW, FORM, SHAPE, 0, count, type, \
          last)
#define C_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                \
    IN_C (SYMBOL, (W fh, W offset, W buf, W count, W type, W last),        \
          (W, W, W, W, W, W), (fh, offset, buf, count, type, c.last), ROW, \
          FORM, SHAPE, offset, count, type, last)
#define C_POST    C_DATA
#define C_POST_AT C_DATA_AT
#define C_BEGIN(SYMBOL, ROW, FORM, SHAPE)                       \
    IN_C (SYMBOL, (W fh, W buf, W count, W type), (W, W, W, W), \
          (fh, buf, count, type), ROW, FORM, SHAPE, 0, count, type, 0)
#define C_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_C (SYMBOL, (W fh, W offset, W buf, W count, W type), (W, W, W, W, W), \
          (fh, offset, buf, count, type), ROW, FORM, SHAPE, offset, count,   \
          type, 0)
#define C_END(SYMBOL, ROW, FORM, SHAPE)                                     \
    IN_C (SYMBOL, (W fh, W buf, W last), (W, W, W), (fh, buf, c.last), ROW, \
          FORM, SHAPE, 0, 0, 0, last)

/* With large counts, where the MPI may have none; the end of a split one has
 * no count. */
#define IN_L(SYMBOL, PARAMS, TYPES, ARGS, ROW, ...)                         \
    MPIWRAP int SYMBOL PARAMS                                               \
    {                                                                       \
        struct mpicall c = START (ROW, __VA_ARGS__);                        \
        struct mpilarge large;                                              \
        int (*real) TYPES = mpicall_begin (&c);                             \
        int bad = mpilarge_begin (&large, MPIROW_##ROW, &count, &type) < 0; \
        int rc = real && !bad ? real ARGS : (int)MPI_ERROR;                 \
                                                                            \
        mpilarge_end (&large);                                              \
        mpicall_end (&c, rc);                                               \
        return rc;                                                          \
    }
#define L_DATA(SYMBOL, ROW, FORM, SHAPE)                                    \
    IN_L (SYMBOL, (W fh, W buf, W count, W type, W last), (W, W, W, W, W),  \
          (fh, buf, count, type, c.last), ROW, FORM, SHAPE, 0, count, type, \
          last)
#define L_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                \
    IN_L (SYMBOL, (W fh, W offset, W buf, W count, W type, W last),        \
          (W, W, W, W, W, W), (fh, offset, buf, count, type, c.last), ROW, \
          FORM, SHAPE, offset, count, type, last)
#define L_POST    L_DATA
#define L_POST_AT L_DATA_AT
#define L_BEGIN(SYMBOL, ROW, FORM, SHAPE)                       \
    IN_L (SYMBOL, (W fh, W buf, W count, W type), (W, W, W, W), \
          (fh, buf, count, type), ROW, FORM, SHAPE, 0, count, type, 0)
#define L_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_L (SYMBOL, (W fh, W offset, W buf, W count, W type), (W, W, W, W, W), \
          (fh, offset, buf, count, type), ROW, FORM, SHAPE, offset, count,   \
          type, 0)
#define L_END(SYMBOL, ROW, FORM, SHAPE)

/* --- Fortran ---------------------------------------------------------------
 */

#define IN_F(SYMBOL, PARAMS, TYPES, ARGS, ...)            \
    MPIWRAP void SYMBOL PARAMS                            \
    {                                                     \
        struct mpicall c = START (__VA_ARGS__);           \
        void (*real) TYPES = mpicall_begin (&c);          \
        int own = 0, *error = wrapmpi_error (ierr, &own); \
                                                          \
        if (real)                                         \
            real ARGS;                                    \
        else                                              \
            *error = MPI_ERROR;                           \
        mpicall_end (&c, *error);                         \
    }

#define F_DATA(SYMBOL, ROW, FORM, SHAPE)                                      \
    IN_F (SYMBOL, (W fh, W buf, W count, W type, W last, W ierr),             \
          (W, W, W, W, W, int *), (fh, buf, count, type, c.last, error), ROW, \
          FORM, SHAPE, 0, count, type, last)
#define F_DATA_AT(SYMBOL, ROW, FORM, SHAPE)                                 \
    IN_F (SYMBOL, (W fh, W offset, W buf, W count, W type, W last, W ierr), \
          (W, W, W, W, W, W, int *),                                        \
          (fh, offset, buf, count, type, c.last, error), ROW, FORM, SHAPE,  \
          offset, count, type, last)
#define F_POST    F_DATA
#define F_POST_AT F_DATA_AT
#define F_BEGIN(SYMBOL, ROW, FORM, SHAPE)                                      \
    IN_F (SYMBOL, (W fh, W buf, W count, W type, W ierr), (W, W, W, W, int *), \
          (fh, buf, count, type, error), ROW, FORM, SHAPE, 0, count, type, 0)
#define F_BEGIN_AT(SYMBOL, ROW, FORM, SHAPE)                                  \
    IN_F (SYMBOL, (W fh, W offset, W buf, W count, W type, W ierr),           \
          (W, W, W, W, W, int *), (fh, offset, buf, count, type, error), ROW, \
          FORM, SHAPE, offset, count, type, 0)
#define F_END(SYMBOL, ROW, FORM, SHAPE)                            \
    IN_F (SYMBOL, (W fh, W buf, W last, W ierr), (W, W, W, int *), \
          (fh, buf, c.last, error), ROW, FORM, SHAPE, 0, 0, 0, last)

#define TRANSFER(NAME, FORTRAN, SHAPE)                                 \
    C_##SHAPE (NAME, NAME, MPIFORM_C, SHAPE)                           \
        L_##SHAPE (NAME##_c, NAME, MPIFORM_LARGE, SHAPE)               \
            F_##SHAPE (FORTRAN##_, NAME, MPIFORM_FORTRAN, SHAPE)       \
                F_##SHAPE (FORTRAN##__, NAME, MPIFORM_FORTRAN2, SHAPE) \
                    F_##SHAPE (FORTRAN##_f08_, NAME, MPIFORM_F08, SHAPE)
#define OTHER(NAME, FORTRAN)
#include "preload/mpi/mpicalls.def"
