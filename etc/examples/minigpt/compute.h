/* SPDX-License-Identifier: MIT
 *
 * compute.h - CPU time that passes in arithmetic
 */
#ifndef MINIGPT_COMPUTE_H
#define MINIGPT_COMPUTE_H

#include <stdint.h>

/* Multiply small matrices until this thread has used so much CPU time. */
void compute_us (uint64_t us);

#endif
