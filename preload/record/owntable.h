/* SPDX-License-Identifier: MIT
 *
 * owntable.h - a few system calls whose descriptors nobody else can close
 *
 * Threads of the program may close every number there is, again and again:
 * then what this thread opens is closed before it can be used. A thread of
 * ours with a descriptor table of its own is out of their reach.
 */
#pragma once

/* Run step (cookie) in such a thread, while this one waits; return its result,
 * with its errno. It sees our memory and thread-local variables, and of the
 * descriptors only `kept`, if that is not 0; what it leaves open is closed.
 * All signals are blocked meanwhile. For system calls only: its stack is 32 KiB
 * and its thread id is not ours. -1 with ECHILD: there can be no such thread,
 * and step was not called. Async-signal-safe. */
int owntable_run (int (*step) (void *), void *cookie, int kept);

/* A step that opens descriptors, uses and closes them, as a rule in this
 * thread. Where it fails with EBADF or ESTALE, since another thread closed one
 * or took its number: again, and from then on at once, by owntable_run. If
 * there can be no such thread: a few tries. 0 or -1, errno of step or ECHILD.
 */
int owntable_step (int (*step) (void *), void *cookie, int kept);
