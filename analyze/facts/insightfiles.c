/* SPDX-License-Identifier: MIT
 *
 * insightfiles.c - files with the file systems they are on -> what findings say
 */
#include "config.h"

#include "analyze/facts/insightfiles.h"

#include "analyze/facts/sharedfiles.h"

/* The part of what main threads waited that calls of this time were. */
static double insightfiles_part (double waited_s, uint64_t ns, uint64_t all)
{
    return all ? waited_s * (double)ns / (double)all : 0;
}

/* Of files on Lustre that ranks write, the one with most of them for a stripe.
 */
static void insightfiles_stripes (struct insightfiles *f,
                                  const struct totals *t,
                                  double waited_s)
{
    struct sharedfiles s;
    uint64_t all = 0, ns = 0;

    if (sharedfiles_make (&s, t, 1) < 0)
        return;
    for (size_t i = 0; i < s.count; i++) {
        const struct sharedfile *file = &s.item[i];
        double stripes = (double)file->total->stripes;

        all += file->write_ns;
        if (stripes <= 0 ||
            (f->stripes > 0 &&
             (double)file->writers * f->stripes <= f->stripe_writers * stripes))
            continue;
        f->stripe_writers = (double)file->writers;
        f->stripes = stripes;
        ns = file->write_ns;
    }
    f->stripe_cost_s = insightfiles_part (waited_s, ns, all);
    sharedfiles_clear (&s);
}

static void insightfiles_network (struct insightfiles *f,
                                  const struct tally *t,
                                  double waited_s)
{
    uint64_t all = 0, there = 0;

    for (size_t i = 0; t->mounts && i < strmap_count (t->files); i++) {
        const struct file_total *file = strmap_value (t->files, i);
        size_t n;
        const char *path = strmap_key (t->files, i, &n);
        const struct mount_entry *m = mounts_find (t->mounts, path, n);

        if (file->class != FILE_CLASS_STORAGE)
            continue;
        all += file->meta_ns;
        if (file->kind != KIND_DATA || !m || !mounts_is_shared (m) ||
            !(file->read_bytes + file->write_bytes))
            continue;
        there += file->meta_ns;
        f->network_files++;
        f->network_bytes += (double)(file->read_bytes + file->write_bytes);
    }
    f->network_cost_s = insightfiles_part (waited_s, there, all);
}

void insightfiles_find (struct insightfiles *f,
                        const struct totals *t,
                        double waited_write_s,
                        double waited_open_s)
{
    *f = (struct insightfiles){0};
    insightfiles_stripes (f, t, waited_write_s);
    insightfiles_network (f, &t->tally, waited_open_s);
}
