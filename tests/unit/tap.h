/* SPDX-License-Identifier: MIT
 *
 * tap.h - cmocka with TAP output, and its headers in the order it needs
 */
#ifndef DFT_TESTS_UNIT_TAP_H
#define DFT_TESTS_UNIT_TAP_H

#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Run an array of tests; for `return tap_run (tests);`. */
#define tap_run(TESTS)                          \
    (cmocka_set_message_output (CM_OUTPUT_TAP), \
     cmocka_run_group_tests (TESTS, NULL, NULL))

/* What a function prints to a stream: STREAM is usable in CODE; the text goes
 * to the array BUF. */
#define tap_capture(BUF, STREAM, CODE)                      \
    do {                                                    \
        FILE *STREAM = fmemopen ((BUF), sizeof (BUF), "w"); \
        assert_non_null (STREAM);                           \
        CODE;                                               \
        (void)fclose (STREAM);                              \
    } while (0)

#endif
