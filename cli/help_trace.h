/* SPDX-License-Identifier: MIT
 *
 * help_trace.h - what is in a trace, in words
 */
#ifndef DFT_CLI_HELP_TRACE_H
#define DFT_CLI_HELP_TRACE_H

void help_trace_man (void); /* dftrace-trace(5), to standard output */

#endif
