/* SPDX-License-Identifier: MIT
 *
 * kernelsay.h - this process -> the recorder of layer kernel
 */
#pragma once

#include "lib/settings/settings.h"

/* If layer kernel is on, tell its recorder that calls through libc are recorded
 * here. For the constructor. */
void kernelsay_start (const struct settings *s);

/* There is a recorder: programs that we are not in are seen all the same. */
int kernelsay_sees (void);
