/* SPDX-License-Identifier: MIT
 *
 * untracedshard.h - a shard -> whether it has no events but exec_untraced
 *
 * For the tools and the plugin; allocates.
 */
#ifndef DFT_CORE_UNTRACEDSHARD_H
#define DFT_CORE_UNTRACEDSHARD_H

/* 1 when all events of the shard `name` in the open directory are that a
 * program was started which cannot be traced, and it is whole; else 0, also
 * when it cannot be read or is no shard. The input is hostile. */
int untracedshard_only (int dirfd, const char *name);

#endif
