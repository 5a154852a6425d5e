/* SPDX-License-Identifier: MIT
 *
 * hdfstub.c - the stub: what is written goes to the file, one after another
 *
 * As in HDF5, each function begins by forgetting the errors of the one before.
 * HDFSTUB_BASE: where ids begin, so that a copy knows its own.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/victims/hdf/hdfstub.h"

#ifndef HDFSTUB_BASE
#define HDFSTUB_BASE 1000
#endif

enum { IDS = 2048 }; /* then they come again */

static struct {
    int fd, refs;
    char path[256]; /* of the file */
} ids[IDS];
static int used;

int stub_errors;

int stub_has (hid_t id)
{
    stub_errors = 0;
    if (id > HDFSTUB_BASE && id <= HDFSTUB_BASE + used)
        return 1;
    stub_errors = 1;
    return 0;
}

static hid_t stub_new (int fd, const char *path)
{
    int i = used++ % IDS;

    ids[i].fd = fd;
    ids[i].refs = 1;
    (void)strncpy (ids[i].path, path, sizeof (ids[i].path) - 1);
    return HDFSTUB_BASE + i + 1;
}

static hid_t stub_child (hid_t of)
{
    int i = (int)(of - HDFSTUB_BASE) - 1;

    return stub_has (of) ? stub_new (ids[i].fd, ids[i].path) : -1;
}

static int stub_write (hid_t id, hid_t type, hid_t space, const void *data)
{
    size_t n = (size_t)(space - SPACE) * (size_t)(type - TYPE);

    if (!stub_has (id))
        return -1;
    if (type < TEXTS && write (ids[id - HDFSTUB_BASE - 1].fd, data, n) < 0)
        return -1;
    return 0;
}

hid_t H5Fcreate (const char *path, unsigned flags, hid_t a, hid_t b)
{
    int fd = open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);

    (void)flags, (void)a, (void)b;
    stub_errors = fd < 0;
    return fd < 0 ? -1 : stub_new (fd, path);
}

int H5Fflush (hid_t f, int scope)
{
    (void)scope;
    return stub_has (f) ? 0 : -1;
}

int H5Fclose (hid_t f)
{
    return stub_has (f) ? close (ids[f - HDFSTUB_BASE - 1].fd) : -1;
}

hid_t H5Gcreate2 (hid_t at, const char *name, hid_t a, hid_t b, hid_t c)
{
    (void)name, (void)a, (void)b, (void)c;
    return stub_child (at);
}

int H5Gclose (hid_t g)
{
    return stub_has (g) ? 0 : -1;
}

hid_t H5Dcreate2 (
    hid_t at, const char *n, hid_t a, hid_t b, hid_t c, hid_t d, hid_t e)
{
    (void)n, (void)a, (void)b, (void)c, (void)d, (void)e;
    return stub_child (at);
}

hid_t H5Dcreate_anon (hid_t at, hid_t a, hid_t b, hid_t c, hid_t d)
{
    (void)a, (void)b, (void)c, (void)d;
    return stub_child (at);
}

int H5Olink (hid_t o, hid_t at, const char *name, hid_t a, hid_t b)
{
    (void)name, (void)a, (void)b;
    return stub_has (o) && stub_has (at) ? 0 : -1;
}

hid_t H5Dopen2 (hid_t at, const char *name, hid_t a)
{
    (void)a;
    stub_errors = strcmp (name, "nowhere") == 0;
    return stub_errors ? -1 : stub_child (at);
}

int H5Dwrite (hid_t d, hid_t type, hid_t m, hid_t f, hid_t p, const void *data)
{
    (void)m, (void)p;
    return stub_write (d, type, f ? f : SPACE + 10, data);
}

int H5Dread (hid_t d, hid_t type, hid_t m, hid_t f, hid_t p, void *data)
{
    (void)type, (void)m, (void)f, (void)p, (void)data;
    return stub_has (d) ? 0 : -1;
}

int H5Dclose (hid_t d)
{
    return stub_has (d) ? 0 : -1;
}

int H5Idec_ref (hid_t id)
{
    return stub_has (id) ? --ids[id - HDFSTUB_BASE - 1].refs : -1;
}

hid_t H5Aopen (hid_t at, const char *name, hid_t a)
{
    (void)name, (void)a;
    return stub_child (at);
}

int H5Aread (hid_t a, hid_t type, void *data)
{
    (void)type, (void)data;
    return stub_has (a) ? 0 : -1;
}

int H5Aclose (hid_t a)
{
    return stub_has (a) ? 0 : -1;
}

hid_t H5Rdereference2 (hid_t at, hid_t a, int b, const void *c)
{
    (void)a, (void)b, (void)c;
    return stub_child (at);
}

int H5Dwrite_multi (size_t n,
                    hid_t *d,
                    hid_t *type,
                    hid_t *m,
                    hid_t *f,
                    hid_t p,
                    const void **data)
{
    for (size_t i = 0; i < n; i++)
        if (H5Dwrite (d[i], type[i], m[i], f[i], p, data[i]) < 0)
            return -1;
    return 0;
}

int H5Dwrite_async (const char *file,
                    const char *function,
                    unsigned line,
                    hid_t d,
                    hid_t type,
                    hid_t m,
                    hid_t f,
                    hid_t p,
                    const void *data,
                    hid_t events)
{
    (void)file, (void)function, (void)line, (void)events, (void)m, (void)p;
    return stub_write (d, type, f, data);
}

int64_t H5Eget_num (hid_t stack)
{
    (void)stack;
    return stub_errors;
}

int H5close (void)
{
    used = 0;
    return 0;
}

const char *stub_path (hid_t id)
{
    return stub_has (id) ? ids[id - HDFSTUB_BASE - 1].path : NULL;
}
