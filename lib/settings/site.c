/* SPDX-License-Identifier: MIT
 *
 * site.c - plugstack.conf line and dftrace.conf -> struct site
 *
 * In:  key=value words; a file of "key = value" lines, # begins a comment
 * Out: default settings, rules, and what was wrong
 * Caveat: nothing here fails: a slip of the admin must not stop a job.
 */
#include "config.h"

#include <fnmatch.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/settings/kernelside.h"
#include "lib/settings/site.h"

enum { CONF_BYTES_MAX = 256 * 1024 };

static const struct site_info table[] = {
#define SITE_KEY(FIELD, TYPE, DEFAULT, HELP) {#FIELD, #TYPE, DEFAULT, HELP},
#include "lib/settings/settings.def"
#undef SITE_KEY
};

const struct site_info *site_info (size_t index)
{
    return index < ITEMS (table) ? &table[index] : NULL;
}

/* -- one key ----------------------------------------------------------- */

static int take_SIZE (setting_SIZE *out, const char *value)
{
    return parse_size (value, out);
}

static int take_BOOL (setting_BOOL *out, const char *value)
{
    return parse_bool (value, out);
}

static int take_PATH (setting_PATH *out, const char *value)
{
    size_t n = strlen (value);

    if (n >= sizeof (*out))
        return -1;
    memcpy (*out, value, n + 1);
    return 0;
}

static int take_TEXT (setting_TEXT *out, const char *value)
{
    return take_PATH (out, value);
}

static const char finish_words[][8] = {"epilog", "large", "tables", "later"};

static int take_FINISH (setting_FINISH *out, const char *value)
{
    for (size_t i = 0; i < ITEMS (finish_words); i++)
        if (strcmp (value, finish_words[i]) == 0)
            return take_PATH (out, value);
    return -1;
}

/* The name of a type, or its words. */
static const char *site_type (const char *type)
{
    return strcmp (type, "FINISH") == 0 ? "epilog, large, tables or later"
                                        : type;
}

static int is_key (const char *word, size_t n, const char *key)
{
    return strlen (key) == n && memcmp (word, key, n) == 0;
}

static int take_rule (struct site *site, const char *value, struct errtext *err)
{
    if (site->rules == SITE_RULES_MAX)
        return errf (err, "rule: more than %d", SITE_RULES_MAX);
    if (rule_parse (&site->rule[site->rules], value, err) < 0)
        return -1;
    site->rules++;
    return 0;
}

/* A key that is no row of settings.def. 1: it is none of ours, either. */
static int site_take_own (struct site *site,
                          const char *word,
                          size_t n,
                          struct errtext *err)
{
    const char *value = word + n + 1;

    if (is_key (word, n, "rule"))
        return take_rule (site, value, err);
#define SITE_KEY(FIELD, TYPE, DEFAULT, HELP)                                 \
    if (is_key (word, n, #FIELD))                                            \
        return take_##TYPE (&site->FIELD, value) == 0                        \
                   ? 0                                                       \
                   : errf (err, "%s: not a value of type %s: %.64s", #FIELD, \
                           site_type (#TYPE), value);
#include "lib/settings/settings.def"
#undef SITE_KEY
    return 1;
}

static void complain (struct site *site, const char *where, const char *text)
{
    if (site->errors < SITE_ERRORS_MAX)
        errf (&site->error[site->errors], "%s: %s", where, text);
    site->errors++;
}

static void nearer (const char *word,
                    size_t n,
                    const char *key,
                    const char **nearest,
                    size_t *best)
{
    size_t same = 0;

    while (same < n && key[same] && key[same] == word[same])
        same++;
    if (same > *best) {
        *best = same;
        *nearest = key;
    }
}

const char *site_key_nearest (const char *word, size_t n)
{
    const struct site_info *own;
    const char *nearest = "log_root";
    size_t best = 0;

    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        if (setting_info ((enum setting_id)id)->who & BY_SITE)
            nearer (word, n, setting_info ((enum setting_id)id)->name, &nearest,
                    &best);
    for (size_t i = 0; (own = site_info (i)); i++)
        nearer (word, n, own->key, &nearest, &best);
    return nearest;
}

static void site_take (struct site *site, const char *where, const char *word)
{
    size_t n = strcspn (word, "=");
    struct errtext err;
    int rc = word[n] == '=' ? site_take_own (site, word, n, &err) : 1;

    if (rc > 0) {
        errno = 0;
        rc = settings_set_key (&site->settings, word, &err);
        if (rc < 0 && errno == ENOENT)
            errf (&err, "%.*s: unknown key: did you mean %s?",
                  (int)(n > 64 ? 64 : n), word, site_key_nearest (word, n));
    }
    if (rc < 0)
        complain (site, where, err.text);
}

/* -- the file ---------------------------------------------------------- */

/* slurmstepd and the epilog run as root what this file names. */
static int is_trusted (int fd)
{
    struct stat st;

    if (geteuid () != 0)
        return 1;
    errno = EPERM;
    return fstat (fd, &st) == 0 && st.st_uid == 0 && !(st.st_mode & 022);
}

static int open_conf (const char *path)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || is_trusted (fd))
        return fd;
    close (fd);
    errno = EPERM;
    return -1;
}

/* No more than it takes: large pieces of memory make the allocator treat all
 * later ones differently. */
static size_t site_room (int fd)
{
    struct stat st;

    return fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
                   st.st_size < CONF_BYTES_MAX
               ? (size_t)st.st_size
               : CONF_BYTES_MAX;
}

static char *site_slurp (const char *path)
{
    int fd = open_conf (path);
    size_t room = fd < 0 ? 0 : site_room (fd), used = 0;
    char *text = fd < 0 ? NULL : malloc (room + 1);
    ssize_t got = 0;
    int saved;

    while (text && used < room &&
           (got = read (fd, text + used, room - used)) > 0)
        used += (size_t)got;
    saved = errno;
    if (text)
        text[used] = '\0';
    if (text && got < 0) {
        free (text);
        text = NULL;
    }
    if (fd >= 0)
        close (fd);
    errno = saved;
    return text;
}

/* "  key = value  # why" -> "key=value" in place; NULL when there is none. A
 * comment begins the line or follows a blank. */
static char *tidy (char *line)
{
    static const char blank[] = " \t\r";
    char *end, *equals;

    line += strspn (line, blank);
    for (char *c = line; (c = strchr (c, '#')); c++) {
        if (c == line || strchr (blank, c[-1])) {
            *c = '\0';
            break;
        }
    }
    for (end = line + strlen (line); end > line && strchr (blank, end[-1]);)
        *--end = '\0';
    if (!*line)
        return NULL;
    equals = strchr (line, '=');
    if (equals) {
        char *value = equals + 1 + strspn (equals + 1, blank);

        while (equals > line && strchr (blank, equals[-1]))
            equals--;
        *equals = '=';
        memmove (equals + 1, value, strlen (value) + 1);
    }
    return line;
}

static void take_lines (struct site *site, const char *path, char *text)
{
    unsigned number = 0;
    char *next = text;

    while (next) {
        char *line = next, *word;
        struct errtext where;

        number++;
        next = strchr (line, '\n');
        if (next)
            *next++ = '\0';
        errf (&where, "%.256s:%u", path, number);
        word = tidy (line);
        if (word && is_key (word, strcspn (word, "="), "conf"))
            complain (site, where.text, "conf: a file cannot name another");
        else if (word)
            site_take (site, where.text, word);
    }
}

static void read_file (struct site *site)
{
    const char *path = site->conf[0] ? site->conf : SITE_CONF;
    char *text = site_slurp (path);

    if (text) {
        site->read = 1;
        take_lines (site, path, text);
        free (text);
    } else if (site->conf[0] || errno != ENOENT) {
        complain (site, path,
                  errno == EPERM ? "not read: must be root's, and writable by "
                                   "nobody else"
                                 : strerror (errno));
    }
}

/* -- all of it --------------------------------------------------------- */

static void
site_otherwise (struct site *site, const char *name, const char *value)
{
    const char *now = strcmp (name, "preload") == 0  ? site->settings.preload
                      : strcmp (name, "python") == 0 ? site->settings.python
                                                     : site->settings.state_dir;

    if (!*now)
        settings_set (&site->settings, name, value, NULL);
}

void site_load (struct site *site, int count, char *const *words)
{
    ZERO (site);
    settings_init (&site->settings);
#define SITE_KEY(FIELD, TYPE, DEFAULT, HELP) \
    (void)take_##TYPE (&site->FIELD, DEFAULT);
#include "lib/settings/settings.def"
#undef SITE_KEY
    for (int i = 0; i < count; i++) {
        if (is_key (words[i], strcspn (words[i], "="), "conf"))
            site_take (site, "plugstack.conf", words[i]);
    }
    read_file (site);
    for (int i = 0; i < count; i++)
        site_take (site, "plugstack.conf", words[i]);
    site_otherwise (site, "preload", DFT_LIBDIR "/libdftrace_preload.so");
    site_otherwise (site, "python", DFT_LIBDIR "/python");
    site_otherwise (site, "state_dir", SITE_STATE_DIR);
    if (!site->command[0])
        take_PATH (&site->command, DFT_BINDIR "/dftrace");
    if (!site->recorder[0])
        take_PATH (&site->recorder, DFT_LIBEXECDIR "/" KERNELSIDE_PROGRAM);
}

/* The one that decides; NULL: `layers` does. */
static const struct rule *site_rule (const struct site *site,
                                     const struct jobinfo *job)
{
    for (int i = 0; i < site->rules; i++)
        if (rule_fits (&site->rule[i], job))
            return &site->rule[i];
    return NULL;
}

uint64_t site_weight (const struct site *site, const struct jobinfo *job)
{
    const struct rule *r = site_rule (site, job);
    uint64_t sample = r ? r->sample : site->sample;

    return sample > 1 ? sample : 1;
}

unsigned site_layers (const struct site *site, const struct jobinfo *job)
{
    const struct rule *r = site_rule (site, job);

    return !rule_samples (site_weight (site, job), job->job_id) ? LAYER_OFF
           : r                                                  ? r->layers
               : site->settings.layers;
}

/* ---- a line of the site's configuration -> does it fit this job? ---- */

static const struct rule_info rule_table[] = {
#define RULE_KEY(FIELD, KIND, HELP) {#FIELD, #KIND, HELP},
#include "lib/settings/settings.def"
#undef RULE_KEY
};

#define RULE_KEY(FIELD, KIND, HELP) " " #FIELD
static const char known[] =
#include "lib/settings/settings.def"
    ;
#undef RULE_KEY

const struct rule_info *rule_info (size_t index)
{
    return index < ITEMS (rule_table) ? &rule_table[index] : NULL;
}

/* A rule that fits every job and traces nothing. */
static void rule_init (struct rule *r)
{
    ZERO (r);
    r->nodes.to = r->tasks.to = UINT64_MAX;
    r->sample = 1;
    r->layers = LAYER_OFF;
}

/* -- words: value is NUL-terminated and never longer than RULE_TEXT_MAX - 1 */

static int take_NAMES (rule_NAMES *out, const char *value, struct errtext *err)
{
    if (!*value)
        return errf (err, "no name");
    memcpy (*out, value, strlen (value) + 1);
    return 0;
}

static int take_RANGE (rule_RANGE *out, const char *value, struct errtext *err)
{
    char from[RULE_TEXT_MAX];
    const char *to = strchr (value, '-');
    size_t n = to ? (size_t)(to - value) : strlen (value);
    struct rule_range r = {0, UINT64_MAX};

    memcpy (from, value, n);
    from[n] = '\0';
    if ((n && parse_u64 (from, &r.from) < 0) || (!n && (!to || !to[1])) ||
        (to && to[1] && parse_u64 (to + 1, &r.to) < 0) || r.from > r.to)
        return errf (err, "%s: not a range (4, 4-, -16, 4-16)", value);
    if (!to)
        r.to = r.from;
    *out = r;
    return 0;
}

static int take_COUNT (rule_COUNT *out, const char *value, struct errtext *err)
{
    if (parse_u64 (value, out) < 0)
        return errf (err, "%s: not a number", value);
    return 0;
}

static int
take_LAYERS (rule_LAYERS *out, const char *value, struct errtext *err)
{
    return layers_parse (value, out, err);
}

static int take_word (struct rule *r,
                      const char *key,
                      const char *value,
                      struct errtext *err)
{
#define RULE_KEY(FIELD, KIND, HELP) \
    if (strcmp (key, #FIELD) == 0)  \
        return take_##KIND (&r->FIELD, value, err);
#include "lib/settings/settings.def"
#undef RULE_KEY
    return errf (err, "unknown word: known words:%s", known);
}

int rule_parse (struct rule *r, const char *text, struct errtext *err)
{
    static const char blank[] = " \t";
    struct errtext why;

    rule_init (r);
    for (text += strspn (text, blank); *text; text += strspn (text, blank)) {
        char word[RULE_TEXT_MAX];
        size_t n = strcspn (text, blank);
        char *equals;

        errno = EINVAL;
        if (n >= sizeof (word))
            return errf (err, "rule: %.32s...: longer than %d bytes", text,
                         RULE_TEXT_MAX - 1);
        memcpy (word, text, n);
        word[n] = '\0';
        text += n;
        equals = strchr (word, '=');
        if (!equals)
            return errf (err, "rule: %s: not WORD=VALUE", word);
        *equals = '\0';
        if (take_word (r, word, equals + 1, &why) < 0)
            return errf (err, "rule: %s: %s", word, why.text);
    }
    return 0;
}

/* -- does it fit? ------------------------------------------------------ */

static int has_name (const char *list, const char *name)
{
    char one[RULE_TEXT_MAX];

    if (!*list)
        return 1;
    for (; name && *list; list += *list == ',') {
        size_t n = strcspn (list, ",");

        memcpy (one, list, n);
        one[n] = '\0';
        list += n;
        if (fnmatch (one, name, 0) == 0)
            return 1;
    }
    return 0;
}

static int has_number (struct rule_range r, uint64_t n)
{
    return n >= r.from && n <= r.to;
}

int rule_fits (const struct rule *r, const struct jobinfo *job)
{
    char uid[32];

    FORMAT (uid, "%lu", (unsigned long)job->uid);
    return has_name (r->partition, job->partition) &&
           has_name (r->account, job->account) &&
           (has_name (r->user, job->user) || has_name (r->user, uid)) &&
           has_number (r->nodes, job->nnodes) &&
           has_number (r->tasks, job->ntasks);
}

int rule_samples (uint64_t sample, uint64_t job_id)
{
    /* Fibonacci hashing: neighbours, as the tasks of an array are, and every
     * second job of a script spread evenly */
    static const uint64_t golden = 0x9e3779b97f4a7c15;

    return sample <= 1 || ((job_id * golden) >> 32) % sample == 0;
}
