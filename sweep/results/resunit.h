/* SPDX-License-Identifier: MIT
 *
 * resunit.h - units of numbers; pure
 */
#ifndef DFT_SWEEP_RESUNIT_H
#define DFT_SWEEP_RESUNIT_H

/* Factor from one unit to the other; 1 and *unit = from when they are not of
 * one kind. */
double resunit_convert (const char *from, const char **unit);

#endif
