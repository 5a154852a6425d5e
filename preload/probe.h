/* SPDX-License-Identifier: MIT
 *
 * probe.h - is there anything at an address?
 *
 * A call that failed, or is yet to be made, may have been given a pointer that
 * leads nowhere: the kernel says EFAULT, and so must nobody else read it. What
 * another thread unmaps meanwhile is not our business. Keeps errno.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Remembers the last page that was there; {0} to begin with. */
struct probe {
    uintptr_t page;
    int notes; /* it is for a last word, before a call */
};

/* Whether the byte can be read, and with it the rest of its page. */
int probe_byte (struct probe *p, const void *at);

/* Length of a text that ends within max bytes; -1 when it does not, or cannot
 * be read that far. */
ssize_t probe_text (struct probe *p, const char *text, size_t max);
