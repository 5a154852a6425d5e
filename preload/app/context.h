/* SPDX-License-Identifier: MIT
 *
 * context.h - where the program is (step, epoch) -> arguments of its events
 *
 * Of the process, for all its threads; async-signal-safe; no allocation.
 */
#pragma once

#include "preload/record/recorder.h"

/* From tick on, key (an id) is value, or nothing. A fifth key is dropped, and
 * so is one of two values that two threads set at the same moment. */
void context_set (uint32_t key, int64_t value, uint64_t tick);
void context_unset (uint32_t key, uint64_t tick);

/* Append what held at tick start to the n arguments in args, which has room
 * for EVENT_ARGS_MAX; keys that are there already win. Returns the number. */
uint32_t context_args (uint64_t start, struct record_arg *args, uint32_t n);
