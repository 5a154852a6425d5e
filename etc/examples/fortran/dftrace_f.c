/* SPDX-License-Identifier: MIT
 *
 * dftrace_f.c - dftrace.h as functions, for Fortran
 *
 * Compile it with the program; nothing else needs to be linked. Untraced,
 * each function is a test of a pointer.
 */
#include <dftrace/dftrace.h>

void dftf_begin (dftrace_region_t *r, const char *category, const char *name);
void dftf_end (dftrace_region_t *r);
void dftf_arg_int (dftrace_region_t *r, const char *key, int64_t value);
void dftf_arg_double (dftrace_region_t *r, const char *key, double value);
void dftf_context (const char *key, int64_t value);

void dftf_begin (dftrace_region_t *r, const char *category, const char *name)
{
    *r = dftrace_begin (category, name);
}

void dftf_end (dftrace_region_t *r)
{
    dftrace_end (r);
}

void dftf_arg_int (dftrace_region_t *r, const char *key, int64_t value)
{
    dftrace_arg_int (r, key, value);
}

void dftf_arg_double (dftrace_region_t *r, const char *key, double value)
{
    dftrace_arg_double (r, key, value);
}

void dftf_context (const char *key, int64_t value)
{
    dftrace_context (key, value);
}
