/* SPDX-License-Identifier: MIT
 *
 * locks.h - record locks of this process, which a close of ours would drop
 *
 * When a process closes any descriptor of a file, the kernel drops all of its
 * record locks (fcntl, lockf) on that file. To look at a program before an exec
 * its file is opened and closed. So a process that has set such locks looks
 * through a thread of its own that does not share the table of descriptors,
 * and whose locks and descriptors are none of ours. A process that has none
 * (most) does without; exec keeps locks, and who starts a program by it hands
 * the fact on.
 */
#pragma once

/* fcntl with this command, or lockf (F_SETLK), is called. Always 1. */
int locks_note (int command);

/* The program that started this one says so. */
void locks_inherit (void);

/* A child of fork has none. */
void locks_atfork_child (void);

int locks_held (void);

/* Call step (cookie) where files can be opened and closed without harm. -1
 * when that cannot be had: step was not called. All signals are blocked
 * meanwhile; step makes system calls only, and needs less than 16 KiB of stack.
 */
int locks_apart (void (*step) (void *cookie), void *cookie);
