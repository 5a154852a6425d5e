/* SPDX-License-Identifier: MIT
 *
 * hdfrecord.c - start and result of a call, its file and object -> a record
 */
#include "config.h"

#include <errno.h>

#include "preload/hdf/hdfrecord.h"

void hdfrecord_start (struct record *r,
                      const struct layerdoor *door,
                      uint64_t start,
                      int failed,
                      enum call call)
{
    *r = (struct record){.start = start,
                         .end = door->tick (),
                         .call = (uint16_t)call,
                         .fd = -1,
                         .offset = -1,
                         .err = failed ? EIO : 0,
                         .ret = failed ? -1 : 0};
}

void hdfrecord_end (struct record *r,
                    const struct layerdoor *door,
                    const struct hdfobject *o,
                    const char *path)
{
    struct hdffile f = {0};

    /* A call that failed on what is no object has no name that could be lost:
     * NetCDF closes ids that it never had. */
    if (!r->err || o->file)
        f = hdfobject_file (door, o);
    if (f.ignored)
        return;
    r->file = f.name;
    if (call_table[r->call].fields & F_FILE2)
        r->file2 = hdfobject_name (door, o, path);
    door->record (r);
}
