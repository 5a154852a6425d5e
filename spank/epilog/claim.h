/* SPDX-License-Identifier: MIT
 *
 * claim.h - one of many nodes may merge
 */
#ifndef DFT_EPILOG_CLAIM_H
#define DFT_EPILOG_CLAIM_H

#include "lib/base/errtext.h"

/* 1 got it, 0 somebody else has it, -1 and err. A claim older than an hour
 * was left by a node that died and is taken over. */
int claim_take (const char *dir, const char *host, struct errtext *err);
void claim_release (const char *dir);

#endif
