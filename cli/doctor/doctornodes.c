/* SPDX-License-Identifier: MIT
 *
 * doctornodes.c - a traced job on the nodes that are free
 *
 * In:  sinfo; srun of a job of two seconds, whose tasks run `doctor --here`
 * Out: findings of the nodes, each once; what differs between them; whether
 *      each node wrote a trace and its epilog an account of it
 */
#include "config.h"

#include <glob.h>

#include "lib/util/launch.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"
#include "lib/settings/preloads.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

enum {
    JOB_SECONDS = 120,
    POLL_MS = 100,
    NODES_MAX = 64, /* of a job when nothing is said */
    MS_PER_S = 1000,
    NS_PER_MS = 1000000
};

struct nodes {
    int all, free;
    char *list; /* of those asked, "a,b,c" */
    int asked;
    char *rest; /* of those that are not free */
    char *sick; /* of these, drained by an epilog */
};

/* -- which -------------------------------------------------------------- */

static void nodes_append (char **list, const char *name)
{
    *list = *list ? arena_format ("%s,%s", *list, name) : arena_text (name);
}

/* True when a node of that state takes a job now. */
static int nodes_is_free (const char *state)
{
    return strcmp (state, "idle") == 0 || strcmp (state, "mix") == 0 ||
           strcmp (state, "mixed") == 0;
}

/* True when Slurm drained a node ("drain", "drng") for that. Slurm 24.11 keeps
 * the reason of one that was resumed. */
static int nodes_is_sick (const char *state, const char *reason)
{
    return strncmp (state, "dr", 2) == 0 &&
           strncmp (reason, "Epilog error", 12) == 0;
}

/* Lines "NAME STATE REASON" in d->text; of many free ones a sample, evenly. */
static void nodes_choose (struct doctor *d, struct nodes *n)
{
    char name[256], state[64], reason[64];
    int max = d->nodes ? d->nodes : NODES_MAX, seen = 0;

    for (int pass = 0; pass < 2; pass++)
        for (const char *l = d->text; l && *l;
             l = strchr (l, '\n'), l = l ? l + 1 : NULL) {
            reason[0] = '\0';
            if (sscanf (l, "%255s %63s %63[^\n]", name, state, reason) < 2)
                continue;
            if (pass == 0) {
                n->all++;
                n->free += nodes_is_free (state);
                if (!nodes_is_free (state))
                    nodes_append (&n->rest, name);
                if (nodes_is_sick (state, reason))
                    nodes_append (&n->sick, name);
            } else if (nodes_is_free (state)) {
                int take = n->free < max ? n->free : max;

                if ((long)seen * take / n->free !=
                    (long)(seen + 1) * take / n->free) {
                    nodes_append (&n->list, name);
                    n->asked++;
                }
                seen++;
            }
        }
}

static int nodes_find (struct doctor *d, struct nodes *n)
{
    const char *argv[] = {
        "sh",
        "-c",
        "nodes=$(sinfo -h -N -o '%N %t %E' ${1:+-p \"$1\"}); rc=$?; "
        "echo \"$nodes\" | sort -u; exit $rc",
        "sh",
        d->partition ? d->partition : "",
        NULL};

    if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) != 0) {
        finding_bad ("sinfo: %.*s", (int)strcspn (d->text, "\n"), d->text);
        return -1;
    }
    nodes_choose (d, n);
    if (n->sick) {
        finding_bad ("Slurm drained %s for an error of Epilog: mend it, then "
                     "scontrol update nodename=%s state=resume",
                     n->sick, n->sick);
        doctor_epilog (d);
    }
    if (!n->asked && n->sick)
        return -1;
    if (!n->asked) {
        finding_bad ("no node is free: nothing was looked at there: try again "
                     "or name a partition (-p)");
        return -1;
    }
    if (n->rest)
        finding_note ("not looked at, as they are busy or down: %.200s%s",
                      n->rest, strlen (n->rest) > 200 ? "…" : "");
    if (n->asked < n->free)
        finding_note ("%d of %d free nodes are looked at: --nodes %d is all",
                      n->asked, n->free, n->free);
    return 0;
}

/* -- the job ------------------------------------------------------------ */

/* Script of a task: traced calls, then a look at its node. $0 is the command,
 * the rest are its words. */
static const char nodes_script[] =
    "[ -x \"$0\" ] || { printf '" CARD_MARK "\\t%s\\tBAD\\t%s: not there: "
    "install it on this node, too\\n' \"${SLURMD_NODENAME:-$(hostname)}\" "
    "\"$0\"; cat /etc/hostname; exit 0; }\n"
    "cat /etc/hostname /proc/self/maps | \"$0\" doctor --here \"$@\"\n";

static int nodes_job (struct doctor *d, const struct nodes *n)
{
    const char *argv[16];
    int at = 0, rc;

    argv[at++] = "srun";
    if (d->partition)
        argv[at++] = arena_format ("--partition=%s", d->partition);
    argv[at++] = arena_format ("--nodes=%d", n->asked);
    argv[at++] = arena_format ("--nodelist=%s", n->list);
    argv[at++] = "--ntasks-per-node=1";
    argv[at++] = "--time=2";
    argv[at++] = "--job-name=dftrace-doctor";
    argv[at++] = "--dftrace=posix,include=all,exclude=/none,exclude_exe=/none";
    argv[at++] = "/bin/sh";
    argv[at++] = "-c";
    argv[at++] = nodes_script;
    argv[at++] = d->site.command;
    if (d->no_epilog)
        argv[at++] = "--no-epilog";
    argv[at] = NULL;
    rc = capture (argv, JOB_SECONDS, d->text, sizeof (d->text));
    if (rc != 0)
        finding_bad ("test job: %.*s", (int)strcspn (d->text, "\n"), d->text);
    return rc;
}

/* -- what came of it ---------------------------------------------------- */

/* Hosts of the list that said nothing of that kind, "a,b"; NULL where each did.
 */
static char *
nodes_silent (const struct hostsay *h, const struct nodes *n, const char *kind)
{
    char *save, *silent = NULL;

    for (char *host = strtok_r (arena_text (n->list), ",", &save); host;
         host = strtok_r (NULL, ",", &save))
        if (!hostsay_has (h, kind, host))
            nodes_append (&silent, host);
    return silent;
}

static int nodes_accounts (const char *dir)
{
    const char *pattern = arena_format ("%s/node.*.json", dir);
    glob_t found;
    int n = 0;

    if (glob (pattern, 0, NULL, &found) == 0) {
        n = (int)found.gl_pathc;
        globfree (&found);
    }
    return n;
}

/* Reports which nodes of the test job, free before it, its epilog has drained;
 * 1 if any. While the epilog of another of its nodes still runs, which may
 * drain that one, too, it reports nothing and returns 0, unless the time is up.
 */
static int nodes_drained (struct doctor *d, const struct nodes *n, int time_up)
{
    const char *const argv[] = {"sinfo", "-h", "-N",       "-n",
                                n->list, "-o", "%N %t %E", NULL};
    char name[256], state[64], reason[64], *sick = NULL;
    int completing = 0, found;

    if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) != 0)
        return 0;
    for (const char *l = d->text; l && *l;
         l = strchr (l, '\n'), l = l ? l + 1 : NULL) {
        if (sscanf (l, "%255s %63s %63[^\n]", name, state, reason) != 3)
            continue;
        completing |= strncmp (state, "comp", 4) == 0;
        if (nodes_is_sick (state, reason) && !pathlist_has (sick, name, ","))
            nodes_append (&sick, name);
    }
    found = sick && (time_up || !completing);
    if (found)
        finding_bad ("the end of the test job, as of any job, drained %s, for "
                     "an error of Epilog: mend it, then scontrol update "
                     "nodename=%s state=resume",
                     sick, sick);
    return found;
}

/* The epilogs run after srun has ended. */
static void
nodes_epilogs (struct doctor *d, const struct nodes *asked, const char *dir)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};
    int n = 0, nodes = asked->asked, seconds = d->wait;

    for (int i = 0; i <= seconds * MS_PER_S / POLL_MS; i++) {
        n = nodes_accounts (dir);
        if (n >= nodes)
            break;
        if (i % (MS_PER_S / POLL_MS) == 0 && nodes_drained (d, asked, 0))
            return;
        (void)nanosleep (&pause, NULL);
    }
    if (n < nodes && nodes_drained (d, asked, 1))
        return;
    if (n < nodes)
        finding_bad ("epilog: %d of %d nodes left an account (node.*.json) in "
                     "%s after %d s: see syslog there (dftrace:), the Epilog "
                     "line and the script",
                     n, nodes, dir, seconds);
    else
        finding_good ("epilog: each of %d node%s left its account", nodes,
                      nodes == 1 ? "" : "s");
}

/* .../shards/FILE.dft -> ... */
static char *nodes_job_dir (const char *trace)
{
    char *dir = arena_text (trace);

    for (int up = 0; up < 2; up++) {
        char *slash = strrchr (dir, '/');

        if (slash)
            *slash = '\0';
    }
    return dir;
}

static void nodes_traces (struct doctor *d,
                          const struct hostsay *h,
                          const struct nodes *n,
                          const char *warning)
{
    const char *trace = hostsay_text (h, "trace");
    char *silent = nodes_silent (h, n, "trace");
    char *dir = trace ? nodes_job_dir (trace) : NULL;

    if (silent)
        finding_bad ("test job: no trace of %s: %s", silent,
                     *warning ? warning : "see slurmd's log there");
    else
        finding_good ("test job: %d node%s traced it: %s", n->asked,
                      n->asked == 1 ? "" : "s", dir ? dir : "");
    if (dir && access (dir, F_OK) < 0)
        finding_note ("%s: not visible on this host: `dftrace analyze` works "
                      "where it is",
                      dir);
    else if (dir && !d->no_epilog)
        nodes_epilogs (d, n, dir);
}

void doctor_nodes (struct doctor *d)
{
    struct nodes n = {0};
    struct hostsay *h = hostsay_create ();
    const char *warning = "", *said;
    char *own = findings_lines ();

    if (own)
        hostsay_read (h, own);
    if (nodes_find (d, &n) == 0 && nodes_job (d, &n) == 0) {
        said = strstr (d->text, "dftrace: ");
        if (said)
            warning = arena_copy (said, strcspn (said, "\n"));
        hostsay_read (h, d->text);
        hostsay_report (h);
        nodes_traces (d, h, &n, warning);
    }
}
