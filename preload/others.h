/* SPDX-License-Identifier: MIT
 *
 * others.h - wait until the other threads have left our code
 *
 * They enter it no more when this is called: what is begun is over within some
 * ten microseconds of their processor time. Beside others who use the machine
 * that may be long after.
 */
#ifndef DFT_PRELOAD_OTHERS_H
#define DFT_PRELOAD_OTHERS_H

/* Until each of them sleeps, or has run for a while; at most 200 ms. May change
 * errno. */
void others_wait (void);

#endif
