/* SPDX-License-Identifier: MIT
 *
 * nodename.c - kernel, Slurm, environment -> name of the node
 *
 * In:  uname, SLURMD_NODENAME, DFTRACE_NODE ("NODE KERNEL BOOT CLOCK")
 * Out: a name
 * Caveat: in a container the kernel's name may be another one on the same node
 *         (a UTS namespace); the id of the boot tells.
 */
#include "config.h"

#include <sys/utsname.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/sys.h"
#include "lib/base/text.h"
#include "lib/settings/nodename.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

enum { BOOT_BYTES = 36, WORDS = 4, WORDS_LEAST = 2 };

static const char counter[] = " tsc";

static void nodename_copy (char *out, size_t size, const char *text, size_t n)
{
    if (n >= size)
        n = size - 1;
    memcpy (out, text, n);
    out[n] = '\0';
    for (char *p = out; *p; p++)
        if (*p == '/')
            *p = '_';
}

/* "" when /proc is not there. */
static const char *boot_id (char id[BOOT_BYTES + 1])
{
    int fd = sys_open (BOOT_ID, O_RDONLY | O_CLOEXEC, 0);
    ssize_t n = fd < 0 ? 0 : sys_read (fd, id, BOOT_BYTES);

    if (fd >= 0)
        sys_close (fd);
    id[n == BOOT_BYTES ? n : 0] = '\0';
    return id;
}

char *nodename_describe (const char *node, char text[SETTING_TEXT_MAX])
{
    char id[BOOT_BYTES + 1];
    const char *boot = boot_id (id);
    struct utsname uts;
    size_t n = strlen (node), m;

    text[0] = '\0';
    if (n == 0 || n >= NODENAME_MAX || strchr (node, ' ') ||
        sys_call (SYS_uname, &uts) < 0 || strchr (uts.nodename, ' '))
        return text;
    m = strlen (uts.nodename);
    memcpy (text, node, n);
    text[n++] = ' ';
    memcpy (text + n, uts.nodename, m);
    n += m;
    text[n++] = ' ';
    memcpy (text + n, boot, strlen (boot) + 1);
    if (*boot && clock_cycles_good ())
        memcpy (text + n + BOOT_BYTES, counter, sizeof (counter));
    return text;
}

struct word {
    const char *text;
    size_t n;
};

static int nodename_split (const char *text, struct word w[WORDS])
{
    for (int i = 0; i < WORDS; i++) {
        w[i].text = text;
        while (*text && *text != ' ') /* strcspn is two page faults */
            text++;
        w[i].n = text - w[i].text;
        if (w[i].n == 0 && i < WORDS_LEAST)
            return 0;
        text += *text == ' ';
    }
    return 1;
}

static int nodename_is (const struct word *w, const char *text)
{
    return *text && strlen (text) == w->n && memcmp (w->text, text, w->n) == 0;
}

char *
nodename_find (settings_lookup_f lookup, void *cookie, char out[NODENAME_MAX])
{
    const char *given = lookup (cookie, "DFTRACE_NODE");
    const char *slurm = lookup (cookie, "SLURMD_NODENAME");
    char boot[BOOT_BYTES + 1];
    struct utsname uts;
    struct word w[WORDS];
    int known = sys_call (SYS_uname, &uts) == 0 && uts.nodename[0];

    out[0] = '\0';
    if (known && given && nodename_split (given, w)) {
        if (nodename_is (&w[1], uts.nodename) ||
            nodename_is (&w[2], boot_id (boot))) {
            if (nodename_is (&w[3], counter + 1))
                clock_told ();
            nodename_copy (out, NODENAME_MAX, w[0].text, w[0].n);
        } else /* as Slurm would call it */
            nodename_copy (out, NODENAME_MAX, uts.nodename,
                           strcspn (uts.nodename, "."));
    } else if (slurm && *slurm)
        nodename_copy (out, NODENAME_MAX, slurm, strlen (slurm));
    else if (known)
        nodename_copy (out, NODENAME_MAX, uts.nodename, strlen (uts.nodename));
    return out;
}

/* ---- Slurm's variables in the environment -> struct jobinfo ---- */

const char *jobvars_text (const char *name)
{
    const char *text = settings_environ (NULL, name);

    return text && *text ? text : NULL;
}

uint64_t jobvars_number (const char *name, uint64_t otherwise)
{
    const char *text = jobvars_text (name);
    uint64_t n;

    return text && parse_u64 (text, &n) == 0 ? n : otherwise;
}

static const char *jobvars_either (const char *one, const char *two)
{
    const char *text = jobvars_text (one);

    return text ? text : jobvars_text (two);
}

void jobvars_read (struct jobvars *v)
{
    struct jobinfo *job = &v->job;

    ZERO (v);
    job->job_id =
        jobvars_number ("SLURM_HET_JOB_ID", jobvars_number ("SLURM_JOB_ID", 0));
    job->array_job_id = jobvars_number ("SLURM_ARRAY_JOB_ID", 0);
    job->array_task_id =
        jobvars_text ("SLURM_ARRAY_TASK_ID")
            ? (int64_t)jobvars_number ("SLURM_ARRAY_TASK_ID", 0)
            : -1;
    job->restart = (uint32_t)jobvars_number ("SLURM_RESTART_COUNT", 0);
    job->nnodes = (uint32_t)jobvars_number ("SLURM_JOB_NUM_NODES", 0);
    job->ntasks = (uint32_t)jobvars_number ("SLURM_NTASKS", 0);
    job->uid = getuid ();
    job->job_name = jobvars_text ("SLURM_JOB_NAME");
    job->user = jobvars_either ("SLURM_JOB_USER", "USER");
    job->home = jobvars_text ("HOME");
    job->workdir = jobvars_either ("SLURM_SUBMIT_DIR", "SLURM_JOB_WORK_DIR");
    if (!job->workdir)
        job->workdir = getcwd (v->cwd, sizeof (v->cwd));
    job->nodelist = jobvars_text ("SLURM_JOB_NODELIST");
    job->partition = jobvars_text ("SLURM_JOB_PARTITION");
    job->account = jobvars_text ("SLURM_JOB_ACCOUNT");
    job->point = jobvars_text ("DFTRACE_POINT");
    job->host = jobdir_host (jobvars_text ("SLURMD_NODENAME"), v->host);
}
