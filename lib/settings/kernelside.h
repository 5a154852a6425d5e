/* SPDX-License-Identifier: MIT
 *
 * kernelside.h - the recorder of layer kernel, seen from who starts it
 *
 * For `dftrace run` and slurmstepd. The recorder follows children of the caller
 * from their kernelside_follow on, and whatever they start; it ends when the
 * caller does, however that comes to be.
 */
#pragma once

#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/settings/settings.h"

/* The program, in pkglibexecdir. */
#define KERNELSIDE_PROGRAM "dftrace-kernel"

struct kernelside {
    pid_t pid;  /* 0: none */
    int socket; /* to it */
};

/* First byte of the recorder's first message if it records only a part; a text
 * for people follows. */
enum { KERNELSIDE_NOTE = '+' };

/* Start program (absolute path) with the settings s, as "UID:GID" user (NULL:
 * the caller). Waits until it records. 0, and err: what it cannot record here,
 * "" if nothing; or -1 and err: why there is none.
 * Allocates; not thread safe, but there may be other threads. */
int kernelside_start (struct kernelside *k,
                      const char *program,
                      const struct settings *s,
                      const char *user,
                      struct errtext *err);

/* Send the recorder the directory to write to; the descriptor stays the
 * caller's, and the first one sent counts. May be called in a child. Does not
 * block. Return 0, or -1 with errno. */
int kernelside_place (const struct kernelside *k, int dir);

/* In a child of the caller: follow me. Async-signal-safe. */
void kernelside_follow (void);

/* Tell it to end and wait for that, at most ms. 0; -1 and err: it was killed,
 * or had to be, so that something is missing. */
int kernelside_end (struct kernelside *k, unsigned ms, struct errtext *err);
