/* SPDX-License-Identifier: MIT
 *
 * otf2.c - events of a job -> an archive of the Open Trace Format 2
 *
 * In:  struct parts, from parts.c
 * Out: a directory that otf2-print, Vampir and others read
 *
 * Threads are written one after the other: each is a location, or several where
 * its events overlap. Definitions come last, when it is known what was named.
 */

/* Design. OTF2 wants starts, traces have ends (export/otf2*). An event that
 * starts when all before it in its thread have ended is in its place. Only
 * the others, which enclose earlier ones, are found in a first reading and
 * sorted (otfsort), and merged with the rest in a second one (otfread); what
 * overlaps gets a further location (otflanes). Definitions are written last,
 * when it is known what was named (otfdefs). */

#include "config.h"

#include "analyze/export/otf.h"
#include "lib/base/text.h"

#ifndef HAVE_OTF2

int otf2_write (const struct parts *parts,
                const struct where *where,
                const char *path,
                struct otf2_report *report,
                struct errtext *err)
{
    return errf (err,
                 "otf2: this dftrace was built without the library OTF2: "
                 "install libopen-trace-format2-dev and build it again, or "
                 "use --format chrome");
}

#else

#include <dirent.h>
#include <ftw.h>

#include "analyze/export/otfread.h"
#include "lib/base/clock.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

struct otf_functions otf2;

static int otf2_load (struct errtext *err)
{
    static const char *const names[] = {
#define F(NAME) "OTF2_" #NAME,
        OTF_FUNCTIONS (F)
#undef F
            NULL};

    return lazylib_load (OTF2_FILE, names, &otf2, err);
}

void otf_wrote (OTF2_ErrorCode *failed, OTF2_ErrorCode rc)
{
    if (*failed == OTF2_SUCCESS)
        *failed = rc;
}

/* --- a directory that appears whole under its name, or not at all ----------
 */

enum { OTFDIR_MODE = 0700, OTFDIR_DESCRIPTORS = 16 };

/* Without the slashes at its end; malloc'd. */
static char *otfdir_plain (const char *path)
{
    char *plain = xstrdup (path);
    size_t n = strlen (plain);

    while (n > 1 && plain[n - 1] == '/')
        plain[--n] = '\0';
    return plain;
}

static int otfdir_taken (const char *path, struct errtext *err)
{
    return errf (err,
                 "%s: it is there already and is no empty directory: name "
                 "another one with --output, or remove it",
                 path);
}

static int otfdir_is_empty (const char *path)
{
    DIR *d = opendir (path);
    int entries = 0;

    while (d && readdir (d))
        entries++;
    if (d)
        closedir (d);
    return d && entries <= 2; /* . and .. */
}

/* Make a new directory beside path, mode 0700. path must not exist or be an
 * empty directory. Return its name, malloc'd, or NULL with err. */
static char *otfdir_begin (const char *path, struct errtext *err)
{
    char *plain = otfdir_plain (path), *temporary;
    struct stat st;

    if (lstat (plain, &st) == 0 &&
        (!S_ISDIR (st.st_mode) || !otfdir_is_empty (plain))) {
        otfdir_taken (path, err);
        free (plain);
        return NULL;
    }
    temporary = xasprintf ("%s.%x-%x.tmp", plain, (unsigned)getpid (),
                           (unsigned)clock_ns (CLOCK_REALTIME));
    if (mkdir (temporary, OTFDIR_MODE) < 0) {
        errf (err, "%s: cannot write: %s", path, strerror (errno));
        free (temporary);
        temporary = NULL;
    }
    free (plain);
    return temporary;
}

static int otfdir_remove_one (const char *path,
                              const struct stat *st,
                              int type,
                              struct FTW *at)
{
    remove (path);
    return 0;
}

/* Remove the directory with its content; frees temporary, which may be NULL. */
static void otfdir_abort (char *temporary)
{
    if (temporary)
        nftw (temporary, otfdir_remove_one, OTFDIR_DESCRIPTORS,
              FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free (temporary);
}

static int otfdir_sync_one (const char *path,
                            const struct stat *st,
                            int type,
                            struct FTW *at)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? -1 : fsync (fd);

    if (fd >= 0)
        close (fd);
    return type == FTW_F ? rc : 0; /* some file systems sync no directories */
}

/* Sync the directory and rename it to path. temporary is freed, and removed if
 * this fails. Return 0, or -1 with err. */
static int
otfdir_commit (char *temporary, const char *path, struct errtext *err)
{
    char *plain = otfdir_plain (path);
    int rc = -1;

    if (nftw (temporary, otfdir_sync_one, OTFDIR_DESCRIPTORS,
              FTW_PHYS | FTW_MOUNT) != 0)
        errf (err, "%s: cannot write: %s", path, strerror (errno));
    else if (rename (temporary, plain) == 0)
        rc = 0;
    else if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
        otfdir_taken (path, err);
    else
        errf (err, "%s: cannot write: %s", path, strerror (errno));
    free (plain);
    if (rc == 0)
        free (temporary);
    else
        otfdir_abort (temporary);
    return rc;
}

enum {
    OTF2_EVENT_CHUNK = 1 << 20, /* bytes of a location before a write */
    OTF2_DEF_CHUNK = 4 << 20,
    OTF2_PROGRESS = 4096 /* events between two steps */
};

static const char otf2_name[] = "traces";

struct otf2 {
    struct otfread read;
    struct otfdefs defs;
    struct otfput put;
    struct otflanes lanes;
    uint64_t events;
    char message[256];   /* the first error of the library, */
    OTF2_ErrorCode code; /* and what it is */
};

/* --- the library ---------------------------------------------------------- */

static OTF2_FlushType otf2_flush (void *cookie,
                                  OTF2_FileType type,
                                  OTF2_LocationRef l,
                                  void *data,
                                  bool final)
{
    (void) final;
    return OTF2_FLUSH;
}

static OTF2_ErrorCode otf2_error (void *cookie,
                                  const char *file,
                                  uint64_t line,
                                  const char *function,
                                  OTF2_ErrorCode code,
                                  const char *format,
                                  va_list words)
    __attribute__ ((format (printf, 6, 0)));

static OTF2_ErrorCode otf2_error (void *cookie,
                                  const char *file,
                                  uint64_t line,
                                  const char *function,
                                  OTF2_ErrorCode code,
                                  const char *format,
                                  va_list words)
{
    struct otf2 *o = cookie;

    if (!*o->message) {
        vsnprintf (o->message, sizeof (o->message), format, words);
        o->code = code;
    }
    return code;
}

static int otf2_open (struct otf2 *o, const char *directory)
{
    static const OTF2_FlushCallbacks flush = {otf2_flush, NULL};
    OTF2_Archive *a;

    a = otf2.Archive_Open (directory, otf2_name, OTF2_FILEMODE_WRITE,
                           OTF2_EVENT_CHUNK, OTF2_DEF_CHUNK,
                           OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!a)
        return -1;
    o->put.archive = a;
    OTF (&o->put, Archive_SetFlushCallbacks, a, &flush, NULL);
    OTF (&o->put, Archive_SetSerialCollectiveCallbacks, a);
    OTF (&o->put, Archive_SetCreator, a, PACKAGE_STRING);
    OTF (&o->put, Archive_OpenEvtFiles, a);
    o->defs.out = otf2.Archive_GetGlobalDefWriter (a);
    o->put.list = otf2.AttributeList_New ();
    return o->defs.out && o->put.list && o->put.failed == OTF2_SUCCESS ? 0 : -1;
}

/* A file of local definitions for each location: they have none. */
static void otf2_local (struct otf2 *o)
{
    OTF2_Archive *a = o->put.archive;

    OTF (&o->put, Archive_OpenDefFiles, a);
    for (size_t i = 0; i < o->defs.locations; i++) {
        OTF2_DefWriter *w = otf2.Archive_GetDefWriter (a, i);

        if (w)
            OTF (&o->put, Archive_CloseDefWriter, a, w);
        else
            otf_wrote (&o->put.failed, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    OTF (&o->put, Archive_CloseDefFiles, a);
}

static void otf2_close (struct otf2 *o)
{
    if (o->put.archive)
        OTF (&o->put, Archive_Close, o->put.archive);
    o->put.archive = NULL;
    otf2.AttributeList_Delete (o->put.list);
    o->put.list = NULL;
}

/* --- events --------------------------------------------------------------- */

static int otf2_failed (const struct otf2 *o)
{
    return o->put.failed != OTF2_SUCCESS || o->defs.failed != OTF2_SUCCESS;
}

static int otf2_thread (struct otf2 *o, const struct part_thread *t)
{
    const struct otfevent *e;
    uint64_t done = 0;
    int rc;

    if (otfread_thread (&o->read, t) < 0)
        return -1;
    otflanes_begin (&o->lanes, t->part, t->chunk[0]->head.tid);
    while ((rc = otfread_next (&o->read, &e)) > 0 && !otf2_failed (o)) {
        otflanes_take (&o->lanes, e);
        if (++done % OTF2_PROGRESS == 0)
            progress_add (OTF2_PROGRESS);
    }
    progress_add (done % OTF2_PROGRESS);
    o->events += done;
    otflanes_end (&o->lanes);
    return rc < 0 || otf2_failed (o) ? -1 : 0;
}

static uint64_t otf2_total (const struct parts *parts)
{
    uint64_t events = 0;

    for (size_t i = 0; i < parts->count; i++)
        for (size_t c = 0; c < parts->item[i].chunks; c++)
            events += parts->item[i].chunk[c]->events;
    return events;
}

static int otf2_threads (struct otf2 *o, const struct parts *parts)
{
    size_t n;
    struct part_thread *thread = parts_threads (parts, &n);
    int rc = 0;

    progress_start ("export", otf2_total (parts), "events");
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = otf2_thread (o, &thread[i]);
    progress_end ();
    free (thread);
    return rc;
}

static int otf2_write_all (struct otf2 *o,
                           const struct parts *parts,
                           const char *directory)
{
    OTF2_Archive *a;

    otfread_open (&o->read);
    o->defs.dict = o->read.dict;
    otfdefs_open (&o->defs);
    if (otf2_open (o, directory) < 0 || otf2_threads (o, parts) < 0)
        return -1;
    otfdefs_write (&o->defs);
    a = o->put.archive;
    OTF (&o->put, Archive_CloseEvtFiles, a);
    otf2_local (o);
    OTF (&o->put, Archive_CloseGlobalDefWriter, a, o->defs.out);
    otf2_close (o);
    return otf2_failed (o) ? -1 : 0;
}

static int otf2_problem (const struct otf2 *o,
                         const char *path,
                         int error,
                         struct errtext *err)
{
    OTF2_ErrorCode code =
        o->put.failed != OTF2_SUCCESS ? o->put.failed : o->defs.failed;

    if (*o->message)
        return errf (err, "%s: cannot write: %s: %s", path, o->message,
                     otf2.Error_GetDescription (o->code));
    if (code != OTF2_SUCCESS)
        return errf (err, "%s: cannot write: %s", path,
                     otf2.Error_GetDescription (code));
    return errf (err, "%s: cannot write: %s", path, strerror (error));
}

int otf2_write (const struct parts *parts,
                const struct where *where,
                const char *path,
                struct otf2_report *report,
                struct errtext *err)
{
    struct otf2 o = {.read = {.parts = parts}, .defs = {.parts = parts}};
    char *directory = otf2_load (err) < 0 ? NULL : otfdir_begin (path, err);
    OTF2_ErrorCallback before;
    mode_t mask;
    int rc;

    if (!directory)
        return -1;
    o.read.where = where && where->terms ? where : NULL;
    o.put.defs = &o.defs;
    o.lanes.put = &o.put;
    before = otf2.Error_RegisterCallback (otf2_error, &o);
    mask = umask (S_IRWXG | S_IRWXO);
    if ((rc = otf2_write_all (&o, parts, directory)) < 0)
        otf2_problem (&o, path, errno, err);
    otf2_close (&o);
    umask (mask);
    (void)otf2.Error_RegisterCallback (before, NULL);
    *report = (struct otf2_report){o.events, o.read.bad, o.lanes.left_out};
    if (rc == 0 && o.read.where)
        rc = where_check (where, o.read.dict, err);
    if (rc == 0)
        rc = otfdir_commit (directory, path, err);
    else
        otfdir_abort (directory);
    otflanes_clear (&o.lanes);
    otfdefs_clear (&o.defs);
    otfread_close (&o.read);
    return rc;
}

#endif
