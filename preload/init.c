/* SPDX-License-Identifier: MIT
 *
 * init.c - the one constructor and destructor: order of start and stop
 *
 * Whatever is missing or wrong, the program runs, untraced; DFTRACE_DEBUG=1
 * then gives one line on standard error. A malformed setting is left in the job
 * directory, too.
 */
#include "config.h"

#include <sys/auxv.h>

#include "lib/base/text.h"
#include "lib/base/programkind.h"
#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "lib/base/sys.h"
#include "lib/settings/paths.h"
#include "preload/counted.h"
#include "preload/wrap/streams.h"
#include "preload/fdmap.h"
#include "preload/files.h"
#include "preload/follow/arrival.h"
#include "preload/follow/outfit.h"
#include "preload/follow/told.h"
#include "preload/kernelsay.h"
#include "preload/mmap/mmregistry.h"
#include "preload/process.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/untraced.h"
#include "preload/waits.h"
#include "preload/wrap/wrap_exec.h"

static struct settings settings;

/* Only GNU's libc has it. */
extern int on_exit (void (*) (int, void *), void *) __attribute__ ((weak));

/* Streams of a third libc look otherwise inside. */
extern const char *gnu_get_libc_version (void) __attribute__ ((weak));

static int init_knows_libc (void)
{
    return gnu_get_libc_version || streams_are_musl ();
}

static void say (const char *text)
{
    static const char head[] = "dftrace: preload: ", tail[] = ": not traced\n";
    struct iovec v[] = {
        {(void *)(uintptr_t)head, sizeof (head) - 1},
        {(void *)(uintptr_t)text, strlen (text)},
        {(void *)(uintptr_t)tail, sizeof (tail) - 1},
    };

    if (settings.debug || (settings.layers & LAYER_STRICT))
        (void)!sys_call (SYS_writev, STDERR_FILENO, v, 3);
}

static void carry_names (void)
{
    fdmap_carry ();
    maps_carry ();
    mmreg_carry ();
}

static int wants_program (const char *const *argv)
{
    static char far[PATH_MAX];
    static SYS_NEAR char near[256];
    char *exe = near;
    ssize_t n = self_path (near, sizeof (near), argv);

    if (n <= 0 || (size_t)n + 1 >= sizeof (near)) /* longer, or not known */
        n = self_path (exe = far, sizeof (far), argv);
    if (n > 0)
        procinfo_exe (exe, (size_t)n);
    return n < 0 || filter_start_program (exe, (size_t)n, argv);
}

/* Runs after the destructor below, as it was registered before the loader's. */
static void init_exits (int status, void *unused)
{
    if (process_has_begun ())
        recorder_ended (status);
}

/* Programs that it starts: also where it is not traced itself. */
static void init_follow (void)
{
    told_start (&settings);
    outfit_start (arrival_libraries (), &settings);
    program_start (arrival_libraries (), &settings);
}

/* By the user's or the site's own words, not by the default ones. */
static void init_excluded (void)
{
    if (!(settings.given &
          (SETTING_BIT (include_exe) | SETTING_BIT (exclude_exe))))
        return;
    untraced_start (settings.job_dir);
    untraced_self ("", programkind_reason (PROGRAM_EXCLUDED));
}

/* Why this program is not traced, or NULL. */
static const char *init_start (const char *const *argv, struct errtext *err)
{
    struct settings_pass environment;

    settings_pass (&environment);
    settings_init_numbers (&settings);
    if (settings_from (&settings, settings_passed, &environment, err) < 0) {
        untraced_start (settings.job_dir);
        untraced_self ("settings: ", err->text);
        return err->text;
    }
    if (!settings.layers || (settings.layers & LAYER_OFF))
        return "DFTRACE_LAYERS: no layer";
    if (settings.job_dir[0] == '\0')
        return "DFTRACE_JOB_DIR: not set";
    if (!settings.enable) {
        untraced_start (settings.job_dir);
        untraced_self ("", programkind_reason (PROGRAM_OWN_REQUEST));
        return "DFTRACE_ENABLE=0";
    }
    if (!init_knows_libc ())
        return "neither the GNU C library nor musl";
    if (!clock_allowed ()) {
        untraced_start (settings.job_dir);
        untraced_self ("", "no time stamp counter");
        return "the time stamp counter is not to be read";
    }
    if (paths_use_limited_memory (SETTING_TEXT (&settings, stage)))
        settings.stage[0] = '\0';
    filter_start (&settings);
    init_follow ();
    if (!wants_program (argv)) {
        init_excluded ();
        return "a program that settings exclude";
    }
    if (process_start () < 0)
        return "no memory";
    fdmap_start ();
    names_carry_by (carry_names);
    python_start (&settings);
    untraced_start (settings.job_dir);
    real_start ();
    wrap_syscall_start ();
    if (recorder_start (&settings, &environment) < 0)
        return "DFTRACE_JOB_DIR: not an absolute path, or nothing to record";
    counted_start (&settings);
    waits_start (&settings);
    mm_start (&settings);
    kernelsay_start (&settings);
    program_note_self ();
    return NULL;
}

/* musl gives constructors nothing: the arguments are before the environment,
 * and their number before them, unless that has moved. */
static int init_args (char **envp, char ***argv)
{
    const uintptr_t *at = (const uintptr_t *)(const void *)envp - 2;
    uintptr_t n = 0, here = (uintptr_t)&n;

    *argv = NULL;
    if ((uintptr_t)envp < here || (uintptr_t)envp > getauxval (AT_EXECFN))
        return 0;
    for (; *at != n; at--)
        n++;
    *argv = envp - 1 - n;
    return (int)n;
}

/* Constructors of the GNU C library get what main () gets. */
__attribute__ ((constructor)) static void
preload_start (int argc, char **argv, char **envp)
{
    int saved_errno = errno;
    struct errtext err;
    const char *reason;

    if (streams_are_musl ())
        argc = init_args (envp = environ, &argv);
    if (init_knows_libc ())
        arrival_take (envp);
    reason = init_start ((const char *const *)argv, &err);
    if (reason)
        say (reason);
    else {
        procinfo_args (argc, argv);
        if (on_exit)
            (void)on_exit (init_exits, NULL);
    }
    errno = saved_errno;
}

__attribute__ ((destructor)) static void preload_finish (void)
{
    int saved_errno = errno;
    uint64_t late = 0;

    if (recorder_layers && process_is_ours ())
        late = streams_settle_all ();
    process_end (late);
    errno = saved_errno;
}
