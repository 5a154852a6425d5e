/* SPDX-License-Identifier: MIT
 *
 * md5.h - MD5 (RFC 1321), for the hashes of DFTracer's format only
 */
#ifndef DFT_ANALYZE_MD5_H
#define DFT_ANALYZE_MD5_H

#include <stddef.h>

enum { MD5_BYTES = 16 };

void md5 (const void *data, size_t n, unsigned char digest[MD5_BYTES]);

#endif
