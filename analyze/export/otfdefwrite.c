/* SPDX-License-Identifier: MIT
 *
 * otfdefwrite.c - what events have named -> OTF2's definitions
 *
 * In:  struct otfdefs, when all events are written
 * Out: nodes, processes, threads, regions and groups of them, paradigms, files,
 *      handles, attributes, the clock
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otfdefs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/util/fsutil.h"

static const struct otfparadigm {
    const char *identification, *name;
    enum call_category category;
    OTF2_IoParadigmClass class;
    OTF2_IoParadigmFlag flags;
    OTF2_Paradigm regions;
} otfparadigms[] = {
#define OTFPARADIGM(CATEGORY, IDENTIFICATION, NAME, CLASS, FLAGS, REGIONS) \
    {IDENTIFICATION,                                                       \
     NAME,                                                                 \
     CALL_CATEGORY_##CATEGORY,                                             \
     OTF2_IO_PARADIGM_CLASS_##CLASS,                                       \
     OTF2_IO_PARADIGM_FLAG_##FLAGS,                                        \
     OTF2_PARADIGM_##REGIONS},
#include "analyze/export/otfparadigms.def"
#undef OTFPARADIGM
};

enum { OTFPARADIGMS = sizeof (otfparadigms) / sizeof (otfparadigms[0]) };

int otfdefs_paradigm (enum call_category category)
{
    for (int i = 0; i < OTFPARADIGMS; i++)
        if (otfparadigms[i].category == category)
            return i;
    return -1;
}

/* A definition's result; what comes after a failure is not tried. */
static void otfdefs_wrote (struct otfdefs *d, OTF2_ErrorCode rc)
{
    if (d->failed == OTF2_SUCCESS)
        d->failed = rc;
}

/* -1 becomes a failure of its own. */
static OTF2_StringRef otfdefs_text (struct otfdefs *d, const char *text)
{
    int64_t ref = otfdefs_string (d, text);

    if (ref < 0)
        otfdefs_wrote (d, OTF2_ERROR_MEM_ALLOC_FAILED);
    return ref < 0 ? OTF2_UNDEFINED_STRING : (OTF2_StringRef)ref;
}

/* text is malloc'd and freed here. */
static OTF2_StringRef otfdefs_owned (struct otfdefs *d, char *text)
{
    OTF2_StringRef ref = otfdefs_text (d, text ? text : "");

    if (!text)
        otfdefs_wrote (d, OTF2_ERROR_MEM_ALLOC_FAILED);
    free (text);
    return ref;
}

/* --- where events happened ------------------------------------------------ */

static const char *otfdefs_program (const struct trace_process *who)
{
    const char *exe = who->text[SHARD_STRING_EXE];
    const char *slash = strrchr (exe, '/');

    return *exe == '\0' ? "process" : slash ? slash + 1 : exe;
}

static void otfdefs_process (struct otfdefs *d, size_t i, uint32_t node)
{
    const struct trace_process *who = d->parts->item[i].who;
    char *name =
        who->p.rank >= 0
            ? text_format ("rank %d: %s (pid %u)", who->p.rank,
                           otfdefs_program (who), who->p.pid)
            : text_format ("%s (pid %u)", otfdefs_program (who), who->p.pid);
    OTF2_StringRef ref = otfdefs_owned (d, name);

#if OTF2_VERSION_MAJOR >= 3
    otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteLocationGroup (
                          d->out, (uint32_t)i, ref,
                          OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                          OTF2_UNDEFINED_LOCATION_GROUP));
#else
    otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteLocationGroup (
                          d->out, (uint32_t)i, ref,
                          OTF2_LOCATION_GROUP_TYPE_PROCESS, node));
#endif
}

/* The job, its nodes, their processes. */
static int otfdefs_tree (struct otfdefs *d)
{
    struct strmap *hosts = strmap_create ();
    const char *job = d->parts->count
                          ? d->parts->item[0].who->text[SHARD_STRING_JOB_NAME]
                          : "";

    if (!hosts)
        return -1;
    otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteSystemTreeNode (
                          d->out, 0, otfdefs_text (d, *job ? job : "job"),
                          otfdefs_text (d, "job"),
                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t i = 0; i < d->parts->count; i++) {
        const struct trace_process *who = d->parts->item[i].who;
        const char *host = who->text[SHARD_STRING_HOST];
        int isnew = 0;
        int64_t node = strmap_intern (hosts, host, strlen (host), &isnew);

        if (node < 0)
            break;
        if (isnew) {
            otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteSystemTreeNode (
                                  d->out, (uint32_t)node + 1,
                                  otfdefs_text (d, host),
                                  otfdefs_text (d, "node"), 0));
            otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain (
                                  d->out, (uint32_t)node + 1,
                                  OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
        }
        otfdefs_process (d, i, (uint32_t)node + 1);
    }
    strmap_destroy (hosts);
    return 0;
}

static void otfdefs_threads (struct otfdefs *d)
{
    for (size_t i = 0; i < d->locations; i++) {
        const struct otflocation *l = &d->location[i];
        char *name =
            l->lane ? text_format ("thread %u, overlapping %u", l->tid, l->lane)
                    : text_format ("thread %u", l->tid);

        otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteLocation (
                              d->out, i, otfdefs_owned (d, name),
                              OTF2_LOCATION_TYPE_CPU_THREAD, l->events,
                              (uint32_t)l->part));
    }
}

/* --- regions -------------------------------------------------------------- */

static OTF2_RegionRole otfdefs_role (const struct call_info *info)
{
    switch ((enum call_class)info->class) {
    case CALL_CLASS_READ:
    case CALL_CLASS_WRITE:
    case CALL_CLASS_COPY:
    case CALL_CLASS_SYNC:
    case CALL_CLASS_ASYNC:
        return OTF2_REGION_ROLE_FILE_IO;
    case CALL_CLASS_META:
    case CALL_CLASS_MAP:
        return OTF2_REGION_ROLE_FILE_IO_METADATA;
    case CALL_CLASS_APP:
        return OTF2_REGION_ROLE_CODE;
    case CALL_CLASS_NONE:
        break;
    }
    return OTF2_REGION_ROLE_UNKNOWN;
}

/* The layer of a region, and what it is called. */
struct otfregion {
    const struct call_info *info;
    const char *layer, *name;
};

static struct otfregion otfdefs_region_of (const struct otfdefs *d, uint32_t n)
{
    struct otfregion r = {&call_table[n < CALL_MAX ? n : CALL_region], "", ""};

    r.layer = call_category_name (r.info->category);
    r.name = r.info->name;
    if (n >= CALL_MAX) {
        const struct dict_entry *e = dict_entry (d->dict, n - CALL_MAX);

        if (e && e->kind == SHARD_NAME_EVENT) {
            r.layer = e->text;
            r.name = dict_region_name (e);
        } else if (e)
            r.name = e->text;
    }
    return r;
}

static void otfdefs_regions (struct otfdefs *d)
{
    for (size_t i = 0; i < d->regions.count; i++) {
        struct otfregion r = otfdefs_region_of (d, d->regions.item[i]);
        OTF2_StringRef name = otfdefs_text (d, r.name);
        enum call_category category = r.info->category;
        int row = otfdefs_paradigm (category);
        OTF2_Paradigm paradigm = category == CALL_CATEGORY_APP
                                     ? OTF2_PARADIGM_USER
                                 : row < 0 ? OTF2_PARADIGM_UNKNOWN
                                           : otfparadigms[row].regions;

        otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteRegion (
                              d->out, (uint32_t)i, name, name,
                              otfdefs_text (d, r.layer), otfdefs_role (r.info),
                              paradigm, OTF2_REGION_FLAG_NONE,
                              otfdefs_text (d, ""), 0, 0));
    }
}

/* Regions by layer, which a viewer can colour or hide together. */
static int otfdefs_groups (struct otfdefs *d)
{
    struct strmap *layers = strmap_create ();
    uint64_t *member = calloc (d->regions.count + 1, sizeof (*member));
    uint32_t *of = calloc (d->regions.count + 1, sizeof (*of));
    int rc = layers && member && of ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < d->regions.count; i++) {
        struct otfregion r = otfdefs_region_of (d, d->regions.item[i]);
        int64_t n = strmap_intern (layers, r.layer, strlen (r.layer), NULL);

        rc = n < 0 ? -1 : 0;
        of[i] = (uint32_t)n;
    }
    for (size_t g = 0; rc == 0 && g < strmap_count (layers); g++) {
        uint32_t n = 0;

        for (size_t i = 0; i < d->regions.count; i++)
            if (of[i] == g)
                member[n++] = i;
        otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteGroup (
                              d->out, (uint32_t)g,
                              otfdefs_text (d, strmap_key (layers, g, NULL)),
                              OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN,
                              OTF2_GROUP_FLAG_NONE, n, member));
    }
    strmap_destroy (layers);
    free (member);
    free (of);
    return rc;
}

/* --- files ---------------------------------------------------------------- */

static void otfdefs_paradigms (struct otfdefs *d)
{
    for (uint32_t i = 0; i < OTFPARADIGMS; i++) {
        const struct otfparadigm *p = &otfparadigms[i];

        otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteIoParadigm (
                              d->out, i, otfdefs_text (d, p->identification),
                              otfdefs_text (d, p->name), p->class, p->flags, 0,
                              NULL, NULL, NULL));
    }
}

static const char *otfdefs_path (const struct otfdefs *d, uint32_t name)
{
    const struct dict_entry *e = dict_entry (d->dict, name);

    return e ? e->text : "";
}

static void otfdefs_files (struct otfdefs *d)
{
    for (size_t i = 0; i < d->files.count; i++)
        otfdefs_wrote (
            d, OTF2_GlobalDefWriter_WriteIoRegularFile (
                   d->out, (uint32_t)i,
                   otfdefs_text (d, otfdefs_path (d, d->files.item[i])), 0));
}

static void otfdefs_handles (struct otfdefs *d)
{
    for (size_t i = 0; i < strmap_count (d->handles); i++) {
        struct otfhandle h;
        int before;
        int64_t file;

        memcpy (&h, strmap_key (d->handles, i, NULL), sizeof (h));
        before = d->life[i].used < d->life[i].made;
        file = h.name ? otfdefs_file (d, h.name) : -1;
        otfdefs_wrote (d,
                       OTF2_GlobalDefWriter_WriteIoHandle (
                           d->out, (uint32_t)i,
                           otfdefs_text (d, otfdefs_path (d, h.name)),
                           file < 0 ? OTF2_UNDEFINED_IO_FILE : (uint32_t)file,
                           (OTF2_IoParadigmRef)h.paradigm,
                           before ? OTF2_IO_HANDLE_FLAG_PRE_CREATED
                                  : OTF2_IO_HANDLE_FLAG_NONE,
                           OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
        if (before)
            otfdefs_wrote (
                d, OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState (
                       d->out, (uint32_t)i, OTF2_IO_ACCESS_MODE_READ_WRITE,
                       OTF2_IO_STATUS_FLAG_NONE));
    }
}

static void otfdefs_attributes (struct otfdefs *d)
{
    for (size_t i = 0; i < strmap_count (d->attributes); i++) {
        const char *key = strmap_key (d->attributes, i, NULL);

        otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteAttribute (
                              d->out, (uint32_t)i, otfdefs_text (d, key + 1),
                              otfdefs_text (d, ""), (OTF2_Type)*key));
    }
}

int otfdefs_write (struct otfdefs *d)
{
    uint64_t first = d->last ? d->first : 0;

    otfdefs_wrote (d, OTF2_GlobalDefWriter_WriteClockProperties (
                          d->out, CLOCK_NS_PER_S, first, d->last - first + 1
#if OTF2_VERSION_MAJOR >= 3
                          ,
                          first
#endif
                          ));
    if (otfdefs_tree (d) < 0)
        return -1;
    otfdefs_threads (d);
    otfdefs_regions (d);
    otfdefs_paradigms (d);
    otfdefs_files (d);
    otfdefs_handles (d);
    otfdefs_attributes (d);
    return otfdefs_groups (d);
}

#endif
