/* SPDX-License-Identifier: MIT
 *
 * buildid.h - which build of the program this is
 */
#ifndef DFT_UTIL_BUILDID_H
#define DFT_UTIL_BUILDID_H

/* "0.1.0", and after a space the build ID of the program or library that this
 * function is in (GNU note .note.gnu.build-id, hexadecimal, at most 32 bytes of
 * it) where the linker wrote one: two builds of one version differ in it. Lasts
 * as long as the process; never NULL. Safe in any thread. */
const char *buildid_text (void);

#endif
