/* SPDX-License-Identifier: MIT
 *
 * otfdefs.c - names and descriptors of a trace <-> numbers of OTF2's
 * definitions
 *
 * In:  what events name
 * Out: numbers for their records; strings at once, as all else refers to them
 */
#include "config.h"

#ifdef HAVE_OTF2

#include "analyze/export/otf.h"

#include "lib/base/array.h"

#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

enum {
    OTFDEFS_TEXT = 4 * EVENT_NAME_MAX + 1, /* each byte may become \xNN */
    OTFDEFS_REGIONS = CALL_MAX /* numbers of calls are below, of regions from
                                  here on */
};

void otfdefs_open (struct otfdefs *d)
{
    d->first = UINT64_MAX;
    d->strings = strmap_create ();
    d->handles = strmap_create ();
    d->attributes = strmap_create ();
}

static void otfrefs_clear (struct otfrefs *r)
{
    free (r->of);
    free (r->item);
}

void otfdefs_clear (struct otfdefs *d)
{
    int saved_errno = errno;

    strmap_destroy (d->strings);
    strmap_destroy (d->handles);
    strmap_destroy (d->attributes);
    otfrefs_clear (&d->regions);
    otfrefs_clear (&d->files);
    free (d->life);
    free (d->location);
    errno = saved_errno;
}

static uint32_t otfrefs_get (struct otfrefs *r, uint32_t number)
{
    if (number < r->room && r->of[number])
        return r->of[number] - 1;
    GROW_ZEROED (r->of, r->room, number + 1);
    *APPEND (r->item, r->count, r->items_room) = number;
    r->of[number] = (uint32_t)r->count;
    return (uint32_t)r->count - 1;
}

uint32_t otfdefs_string (struct otfdefs *d, const char *text)
{
    char plain[OTFDEFS_TEXT];
    int isnew;
    uint32_t ref;

    escape_text (plain, sizeof (plain), text, ESCAPE_LINES);
    ref = (uint32_t)strmap_intern (d->strings, plain, strlen (plain), &isnew);
    if (isnew)
        OTF (d, GlobalDefWriter_WriteString, d->out, ref, plain);
    return ref;
}

uint32_t otfdefs_region (struct otfdefs *d, unsigned call, uint32_t name)
{
    int own = call_table[call].category == CALL_CATEGORY_APP && name;

    return otfrefs_get (&d->regions, own ? OTFDEFS_REGIONS + name : call);
}

uint32_t otfdefs_file (struct otfdefs *d, uint32_t name)
{
    return otfrefs_get (&d->files, name);
}

uint32_t otfdefs_handle (struct otfdefs *d, const struct otfhandle *h)
{
    int isnew;
    uint32_t ref = (uint32_t)strmap_intern (d->handles, (const char *)h,
                                            sizeof (*h), &isnew);

    if (!isnew)
        return ref;
    GROW (d->life, d->life_room, (size_t)ref + 1);
    d->life[ref] = (struct otflife){UINT64_MAX, UINT64_MAX};
    if (h->name)
        otfdefs_file (d, h->name);
    return ref;
}

uint32_t otfdefs_attribute (struct otfdefs *d, const char *name, OTF2_Type type)
{
    size_t n = strlen (name);
    char key[EVENT_NAME_MAX + 1];

    n = MIN (n, EVENT_NAME_MAX);
    key[0] = (char)type;
    memcpy (key + 1, name, n);
    return (uint32_t)strmap_intern (d->attributes, key, n + 1, NULL);
}

size_t
otfdefs_location (struct otfdefs *d, size_t part, uint32_t tid, uint32_t lane)
{
    *APPEND (d->location, d->locations, d->locations_room) =
        (struct otflocation){part, tid, lane, 0};
    return d->locations - 1;
}

/* --- what events have named -> OTF2's definitions ---------------------------
 */

/* Identifications and names are those that the documentation of OTF2 lists, as
 * far as it does. */
static const struct otfparadigm {
    const char *identification, *name;
    enum call_category category;
    OTF2_IoParadigmClass class;
    OTF2_IoParadigmFlag flags;
    OTF2_Paradigm regions;
} otfparadigms[] = {
    {"POSIX", "POSIX I/O", CALL_CATEGORY_POSIX, OTF2_IO_PARADIGM_CLASS_SERIAL,
     OTF2_IO_PARADIGM_FLAG_OS, OTF2_PARADIGM_UNKNOWN},
    {"ISOC", "ISO C I/O", CALL_CATEGORY_STDIO, OTF2_IO_PARADIGM_CLASS_SERIAL,
     OTF2_IO_PARADIGM_FLAG_NONE, OTF2_PARADIGM_UNKNOWN},
    {"MPI-IO", "MPI I/O", CALL_CATEGORY_MPIIO, OTF2_IO_PARADIGM_CLASS_PARALLEL,
     OTF2_IO_PARADIGM_FLAG_NONE, OTF2_PARADIGM_MPI},
    {"HDF5", "HDF5", CALL_CATEGORY_HDF5, OTF2_IO_PARADIGM_CLASS_PARALLEL,
     OTF2_IO_PARADIGM_FLAG_NONE, OTF2_PARADIGM_UNKNOWN},
    {"netCDF", "NetCDF", CALL_CATEGORY_NETCDF, OTF2_IO_PARADIGM_CLASS_PARALLEL,
     OTF2_IO_PARADIGM_FLAG_NONE, OTF2_PARADIGM_UNKNOWN},
    {"PnetCDF", "PnetCDF", CALL_CATEGORY_PNETCDF,
     OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE,
     OTF2_PARADIGM_UNKNOWN},
    {"BLOCK", "block devices of Linux", CALL_CATEGORY_KERNEL,
     OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS,
     OTF2_PARADIGM_UNKNOWN},
};

enum { OTFPARADIGMS = ITEMS (otfparadigms) };

int otfdefs_paradigm (enum call_category category)
{
    for (int i = 0; i < OTFPARADIGMS; i++)
        if (otfparadigms[i].category == category)
            return i;
    return -1;
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
    const char *name =
        who->p.rank >= 0
            ? arena_format ("rank %d: %s (pid %u)", who->p.rank,
                            otfdefs_program (who), who->p.pid)
            : arena_format ("%s (pid %u)", otfdefs_program (who), who->p.pid);
    OTF2_StringRef ref = otfdefs_string (d, name);

    OTF (d, GlobalDefWriter_WriteLocationGroup, d->out, (uint32_t)i, ref,
         OTF2_LOCATION_GROUP_TYPE_PROCESS,
         node OTF_SINCE_3 (OTF2_UNDEFINED_LOCATION_GROUP));
}

/* The job, its nodes, their processes. */
static void otfdefs_tree (struct otfdefs *d)
{
    struct strmap *hosts = strmap_create ();
    const char *job = d->parts->count
                          ? d->parts->item[0].who->text[SHARD_STRING_JOB_NAME]
                          : "";

    OTF (d, GlobalDefWriter_WriteSystemTreeNode, d->out, 0,
         otfdefs_string (d, *job ? job : "job"), otfdefs_string (d, "job"),
         OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (size_t i = 0; i < d->parts->count; i++) {
        const struct trace_process *who = d->parts->item[i].who;
        const char *host = who->text[SHARD_STRING_HOST];
        int isnew = 0;
        int64_t node = strmap_intern (hosts, host, strlen (host), &isnew);

        if (isnew) {
            OTF (d, GlobalDefWriter_WriteSystemTreeNode, d->out,
                 (uint32_t)node + 1, otfdefs_string (d, host),
                 otfdefs_string (d, "node"), 0);
            OTF (d, GlobalDefWriter_WriteSystemTreeNodeDomain, d->out,
                 (uint32_t)node + 1, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        }
        otfdefs_process (d, i, (uint32_t)node + 1);
    }
    strmap_destroy (hosts);
}

static void otfdefs_threads (struct otfdefs *d)
{
    for (size_t i = 0; i < d->locations; i++) {
        const struct otflocation *l = &d->location[i];
        const char *name = l->lane ? arena_format ("thread %u, overlapping %u",
                                                   l->tid, l->lane)
                                   : arena_format ("thread %u", l->tid);

        OTF (d, GlobalDefWriter_WriteLocation, d->out, i,
             otfdefs_string (d, name), OTF2_LOCATION_TYPE_CPU_THREAD, l->events,
             (uint32_t)l->part);
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
    case CALL_CLASS_WAIT:
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
        OTF2_StringRef name = otfdefs_string (d, r.name);
        enum call_category category = r.info->category;
        int row = otfdefs_paradigm (category);
        OTF2_Paradigm paradigm = category == CALL_CATEGORY_APP
                                     ? OTF2_PARADIGM_USER
                                 : row < 0 ? OTF2_PARADIGM_UNKNOWN
                                           : otfparadigms[row].regions;

        OTF (d, GlobalDefWriter_WriteRegion, d->out, (uint32_t)i, name, name,
             otfdefs_string (d, r.layer), otfdefs_role (r.info), paradigm,
             OTF2_REGION_FLAG_NONE, otfdefs_string (d, ""), 0, 0);
    }
}

/* Regions by layer, which a viewer can colour or hide together. */
static void otfdefs_groups (struct otfdefs *d)
{
    struct strmap *layers = strmap_create ();
    uint64_t *member = arena_array (d->regions.count, sizeof (*member));
    uint32_t *of = arena_array (d->regions.count, sizeof (*of));

    for (size_t i = 0; i < d->regions.count; i++) {
        struct otfregion r = otfdefs_region_of (d, d->regions.item[i]);

        of[i] =
            (uint32_t)strmap_intern (layers, r.layer, strlen (r.layer), NULL);
    }
    for (size_t g = 0; g < strmap_count (layers); g++) {
        uint32_t n = 0;

        for (size_t i = 0; i < d->regions.count; i++)
            if (of[i] == g)
                member[n++] = i;
        OTF (d, GlobalDefWriter_WriteGroup, d->out, (uint32_t)g,
             otfdefs_string (d, strmap_key (layers, g, NULL)),
             OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN,
             OTF2_GROUP_FLAG_NONE, n, member);
    }
    strmap_destroy (layers);
}

/* --- files ---------------------------------------------------------------- */

static void otfdefs_paradigms (struct otfdefs *d)
{
    for (uint32_t i = 0; i < OTFPARADIGMS; i++) {
        const struct otfparadigm *p = &otfparadigms[i];

        OTF (d, GlobalDefWriter_WriteIoParadigm, d->out, i,
             otfdefs_string (d, p->identification), otfdefs_string (d, p->name),
             p->class, p->flags, 0, NULL, NULL, NULL);
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
        OTF (d, GlobalDefWriter_WriteIoRegularFile, d->out, (uint32_t)i,
             otfdefs_string (d, otfdefs_path (d, d->files.item[i])), 0);
}

static void otfdefs_handles (struct otfdefs *d)
{
    for (size_t i = 0; i < strmap_count (d->handles); i++) {
        struct otfhandle h;
        int before;
        uint32_t file;

        memcpy (&h, strmap_key (d->handles, i, NULL), sizeof (h));
        before = d->life[i].used < d->life[i].made;
        file = h.name ? otfdefs_file (d, h.name) : OTF2_UNDEFINED_IO_FILE;
        OTF (d, GlobalDefWriter_WriteIoHandle, d->out, (uint32_t)i,
             otfdefs_string (d, otfdefs_path (d, h.name)), file,
             (OTF2_IoParadigmRef)h.paradigm,
             before ? OTF2_IO_HANDLE_FLAG_PRE_CREATED
                    : OTF2_IO_HANDLE_FLAG_NONE,
             OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
        if (before)
            OTF (d, GlobalDefWriter_WriteIoPreCreatedHandleState, d->out,
                 (uint32_t)i, OTF2_IO_ACCESS_MODE_READ_WRITE,
                 OTF2_IO_STATUS_FLAG_NONE);
    }
}

static void otfdefs_attributes (struct otfdefs *d)
{
    for (size_t i = 0; i < strmap_count (d->attributes); i++) {
        const char *key = strmap_key (d->attributes, i, NULL);

        OTF (d, GlobalDefWriter_WriteAttribute, d->out, (uint32_t)i,
             otfdefs_string (d, key + 1), otfdefs_string (d, ""),
             (OTF2_Type)*key);
    }
}

void otfdefs_write (struct otfdefs *d)
{
    uint64_t first = d->last ? d->first : 0;

    OTF (d, GlobalDefWriter_WriteClockProperties, d->out, CLOCK_NS_PER_S, first,
         d->last - first + 1 OTF_SINCE_3 (first));
    otfdefs_tree (d);
    otfdefs_threads (d);
    otfdefs_regions (d);
    otfdefs_paradigms (d);
    otfdefs_files (d);
    otfdefs_handles (d);
    otfdefs_attributes (d);
    otfdefs_groups (d);
}

#endif
