/* SPDX-License-Identifier: MIT
 *
 * kernelsay.h - this process -> the recorder of layer kernel
 */
#ifndef DFT_PRELOAD_KERNELSAY_H
#define DFT_PRELOAD_KERNELSAY_H

#include "lib/settings/settings.h"

/* If layer kernel is on, tell its recorder that calls through libc are recorded
 * here. For the constructor. */
void kernelsay_start (const struct settings *s);

/* There is a recorder: programs that we are not in are seen all the same. */
int kernelsay_sees (void);

#endif
