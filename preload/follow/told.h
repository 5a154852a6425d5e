/* SPDX-License-Identifier: MIT
 *
 * told.h - settings of this process -> DFTRACE_TOLD of a program that it
 *          starts, and back
 *
 * One variable: letters of enum told_flag, a semicolon, then NAME=VALUE for
 * each setting that is given and for what identifies the process (rank, ids of
 * the job), separated by the byte 0x1e; 0x1e and 0x1f in a value are 0x1f and
 * the byte with bit 6 turned. It stands at the end of the environment and is
 * taken out before main ().
 */
#pragma once

#include "lib/settings/settings.h"

#define TOLD_VARIABLE "DFTRACE_TOLD="

enum told_flag {
    TOLD_PRELOAD = 1, /* the program was given an LD_PRELOAD of its own */
    TOLD_OURS = 2,    /* in which our library is */
    TOLD_LOCKS = 4    /* the process holds record locks */
};

/* s must stay. */
void told_start (const struct settings *s);

/* Bytes of the text with its NUL, and the text in no more than these: a
 * variable in it may have become longer. System calls only, no state: for
 * children of vfork. */
size_t told_length (unsigned flags);
void told_write (unsigned flags, char *text, size_t size);

/* The flags of a text, VARIABLE included. */
unsigned told_flags (const char *text);

/* The variables in it, as settings_tell wants them, in memory that stays; NULL
 * when there is none. */
const char *told_texts (const char *text);
