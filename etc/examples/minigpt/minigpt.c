/* SPDX-License-Identifier: MIT
 *
 * minigpt.c - the input and output of a GPT training
 *
 * In:  a token corpus in Megatron's format (PREFIX.bin, PREFIX.idx: mkcorpus.c
 *      says how they look), options or environment
 * Out: checkpoints; one line with what was read:
 *        minigpt: steps=6 samples=384 parts=1012 bytes=786816 checkpoints=2
 *                 digest=0123456789abcdef rank=0/2
 *      parts is the number of document parts, which is the number of reads of
 *      the .bin under --access=direct; digest is that of all tokens in the
 *      order of their use, equal for both ways of access. --access=mock is the
 *      same training without a corpus: the difference in time is the loader's.
 *
 *   pipeline/train
 *     per step
 *       dataloader/fetch      per micro batch
 *       compute/step
 *         compute/forward     per micro batch
 *       checkpoint/capture
 *
 * Fetching and computing do not overlap in this process, so that waiting for
 * data and computing can be told apart; the workers go on meanwhile. An example
 * may end at the first error.
 */
#include "config.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dftrace/dftrace.h>

#include "etc/examples/minigpt/minigpt.h"

/* --- options ---------------------------------------------------------- */

enum { FAILED = 1, USAGE = 2 };

static uint64_t sequence, global_batch, micro_batch, steps, nworkers;
static uint64_t save_every, checkpoint_bytes, seed, rank, world;
static uint64_t us_per_ktoken, us_per_step;
static const char *data, *access_word, *save_dir;
static int mock, direct;

/* An option takes precedence over the environment. The first TEXTS are texts,
 * the others numbers. */
static const struct {
    void *out;
    const char *name, *env, *value;
} rows[] = {
    {&data, "data", "DATA_PATH", ""},           /* prefix of the corpus */
    {&access_word, "access", "ACCESS", "mmap"}, /* or direct, mock */
    {&save_dir, "save", "SAVE_DIR", ""},        /* checkpoints */
    {&sequence, "seq", "SEQ_LENGTH", "1024"},   /* tokens of a sample */
    {&global_batch, "global-batch", "GLOBAL_BATCH_SIZE", "128"}, /* of a step */
    {&micro_batch, "micro-batch", "MICRO_BATCH_SIZE", "4"}, /* of a forward */
    {&steps, "steps", "TRAIN_STEPS", "6"},
    {&nworkers, "workers", "NUM_WORKERS", "1"},     /* of a rank; 0: none */
    {&save_every, "save-every", "SAVE_EVERY", "3"}, /* steps */
    {&checkpoint_bytes, "checkpoint-bytes", "CHECKPOINT_BYTES", "4M"},
    {&seed, "seed", "SEED", "1234"}, /* of the order of the samples */
    {&rank, "rank", "SLURM_PROCID", "0"},
    {&world, "world", "SLURM_NTASKS", "1"},
    {&us_per_ktoken, "compute-us-per-ktoken", "COMPUTE_US_PER_KTOKEN", "400"},
    {&us_per_step, "compute-us-per-step", "COMPUTE_US_PER_STEP", "120000"},
};

enum { FIRST = 1000, TEXTS = 3, ROWS = sizeof (rows) / sizeof (*rows) };

static void set (int row, const char *value)
{
    if (row < TEXTS)
        *(const char **)rows[row].out = value;
    else if (parse_size (value, rows[row].out) < 0)
        errx (USAGE, "--%s: %s: not a number", rows[row].name, value);
}

/* Return a path, valid for the next three calls. */
__attribute__ ((format (printf, 1, 2))) static const char *
path (const char *fmt, ...)
{
    static char text[4][4200];
    static int next;
    va_list ap;

    next = (next + 1) % 4;
    va_start (ap, fmt);
    (void)vsnprintf (text[next], sizeof (text[next]), fmt, ap);
    va_end (ap);
    return text[next];
}

static void check_options (void)
{
    mock = strcmp (access_word, "mock") == 0;
    direct = strcmp (access_word, "direct") == 0;
    if (!mock && !direct && strcmp (access_word, "mmap") != 0)
        errx (USAGE, "--access: %s: mmap, direct or mock", access_word);
    if (!data[0] && !mock)
        errx (USAGE, "--data: missing: see --help");
    if (sequence == 0 || sequence > 1 << 20 || steps == 0 || steps > 1 << 24 ||
        save_every == 0 || nworkers > 256)
        errx (USAGE, "--seq, --steps, --save-every, --workers: out of range");
    if (micro_batch == 0 || micro_batch > 1 << 16 || world == 0 ||
        world > 1 << 16 || rank >= world || global_batch == 0 ||
        global_batch > 1 << 24 || global_batch % (micro_batch * world) != 0)
        errx (USAGE, "--global-batch: not a multiple of micro batch times ranks"
                     ", or --rank is out of range");
}

static void parse_options (int argc, char **argv)
{
    struct option words[ROWS + 2] = {[ROWS] = {"help", 0, NULL, 'h'}};
    int c;

    for (int i = 0; i < ROWS; i++) {
        const char *value = getenv (rows[i].env);

        set (i, value && *value ? value : rows[i].value);
        words[i] =
            (struct option){rows[i].name, required_argument, NULL, FIRST + i};
    }
    while ((c = getopt_long (argc, argv, "h", words, NULL)) >= FIRST)
        set (c - FIRST, optarg);
    if (c != -1 || optind < argc) {
        (void)printf (
            "Usage: minigpt --data=PREFIX [--OPTION=VALUE\u2026]\n\n");
        for (int i = 0; i < ROWS; i++)
            (void)printf ("  --%-22s  $%s, %s\n", rows[i].name, rows[i].env,
                          rows[i].value);
        exit (c == 'h' ? 0 : USAGE);
    }
    check_options ();
}

/* --- the corpus, and the order of its samples ------------------------- */

/* A rank has the three indices of Megatron's GPTDataset, in memory:
 *   document  numbers of documents in shuffled order, all epochs
 *   sample    the entry of `document`, and the token in that document, at which
 *             a sample begins; its last token is the first one of the next
 *   shuffle   the order in which the samples are used */
struct place {
    uint32_t entry, token;
};

static const struct idx_head *idx;
static int32_t *lengths;         /* of the documents, in tokens */
static int64_t *offsets;         /* in the .bin, in bytes */
static const unsigned char *map; /* of the .bin, without --access=direct */
static char bin_path[4096];
static uint64_t width; /* bytes of a token */
static uint32_t *document, *shuffle;
static struct place *sample;

/* Store the size of a file; return its mapping, or NULL if none is wanted. */
static const void *open_file (const char *name, int mapped, size_t *bytes)
{
    int fd = open (name, O_RDONLY | O_CLOEXEC);
    struct stat st;
    void *p = NULL;

    if (fd < 0 || fstat (fd, &st) < 0)
        err (FAILED, "%s: cannot read", name);
    *bytes = (size_t)st.st_size;
    if (mapped)
        p = mmap (NULL, *bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        err (FAILED, "%s: cannot map", name);
    (void)close (fd);
    return p;
}

static void *array (uint64_t n, size_t each)
{
    void *p = calloc (n, each);

    if (!p)
        err (FAILED, "%llu items", (unsigned long long)n);
    return p;
}

/* Map the .idx and check that each document lies in the .bin. Return the number
 * of tokens. */
static uint64_t open_idx (const char *name, uint64_t bin_bytes)
{
    uint64_t tokens = 0;
    size_t bytes;

    idx = open_file (name, 1, &bytes);
    if (bytes < sizeof (*idx) ||
        memcmp (idx->magic, IDX_MAGIC, sizeof (idx->magic)) != 0 ||
        idx->version != 1 || idx->documents == 0 ||
        idx->documents > (bytes - sizeof (*idx)) / 12 ||
        (idx->type != IDX_UINT16 && idx->type != IDX_INT32))
        errx (FAILED, "%s: not a Megatron index of version 1", name);
    width = idx->type == IDX_UINT16 ? 2 : 4;
    lengths = array (idx->documents, sizeof (*lengths)); /* aligned copies */
    offsets = array (idx->documents, sizeof (*offsets));
    memcpy (lengths, idx + 1, idx->documents * sizeof (*lengths));
    memcpy (offsets, (const char *)(idx + 1) + idx->documents * 4,
            idx->documents * sizeof (*offsets));
    for (uint64_t i = 0; i < idx->documents; i++) {
        if (lengths[i] < 0 || offsets[i] < 0 ||
            (uint64_t)offsets[i] > bin_bytes ||
            (uint64_t)lengths[i] * width > bin_bytes - (uint64_t)offsets[i])
            errx (FAILED, "%s: points outside of its .bin file", name);
        tokens += (uint64_t)lengths[i];
    }
    return tokens;
}

static void permute (uint64_t *state, uint32_t *item, uint64_t n)
{
    for (uint64_t i = n; i-- > 1;) {
        uint64_t j = next_random (state) % (i + 1);
        uint32_t swap = item[i];

        item[i] = item[j];
        item[j] = swap;
    }
}

/* Return the place that is n tokens behind another one. */
static struct place advance (struct place p, uint64_t n)
{
    while (n >= (uint64_t)lengths[document[p.entry]] - p.token) {
        n -= (uint64_t)lengths[document[p.entry++]] - p.token;
        p.token = 0;
    }
    p.token += (uint32_t)n;
    return p;
}

static void build_indices (uint64_t tokens, uint64_t samples)
{
    uint64_t epochs, entries, state = seed;

    if (tokens <= sequence + 1)
        errx (FAILED, "%llu tokens are too few for samples of %llu",
              (unsigned long long)tokens, (unsigned long long)sequence);
    epochs = (samples * sequence + tokens) / tokens;
    entries = epochs * idx->documents;
    document = array (entries, sizeof (*document));
    sample = array (samples + 1, sizeof (*sample));
    shuffle = array (samples, sizeof (*shuffle));
    for (uint64_t i = 0; i < entries; i++)
        document[i] = (uint32_t)(i % idx->documents);
    permute (&state, document, entries);
    for (uint64_t i = 0; i < samples; i++) {
        shuffle[i] = (uint32_t)i;
        sample[i + 1] = advance (sample[i], sequence);
    }
    permute (&state, shuffle, samples);
}

static void open_corpus (void)
{
    size_t bytes;

    (void)snprintf (bin_path, sizeof (bin_path), "%s.bin", data);
    map = open_file (bin_path, !direct, &bytes);
    build_indices (open_idx (path ("%s.idx", data), bytes),
                   steps * global_batch);
}

/* --- one sample ------------------------------------------------------- */

/* Document parts read, their bytes, and tokens without a loss. */
struct cost {
    uint64_t parts, bytes, masked;
};

/* Read a part as CPython does: open, fstat, lseek, read, close. */
static const unsigned char *read_bytes (int64_t offset, size_t bytes)
{
    static unsigned char *buf;
    dftrace_region_t r = dftrace_begin ("data", "preprocess.file_read");
    int fd = open (bin_path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (!buf)
        buf = array (sequence + 1, sizeof (int32_t));
    if (fd < 0 || fstat (fd, &st) < 0 || lseek (fd, offset, SEEK_SET) < 0 ||
        read (fd, buf, bytes) != (ssize_t)bytes)
        err (FAILED, "%s: cannot read", bin_path);
    (void)close (fd);
    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    dftrace_end (&r);
    return buf;
}

/* Return a view only: the pages are read where they are touched. */
static const unsigned char *map_bytes (int64_t offset, size_t bytes)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess.mmap_read");

    dftrace_arg_int (&r, "image_size", (int64_t)bytes);
    dftrace_end (&r);
    return map + offset;
}

/* Store n tokens of a document from `skip` on, in 64 bits, as the model takes
 * them. */
static void read_part (int64_t *out, uint32_t doc, uint64_t skip, uint64_t n)
{
    int64_t offset = offsets[doc] + (int64_t)(skip * width);
    const unsigned char *bytes =
        direct ? read_bytes (offset, n * width) : map_bytes (offset, n * width);

    for (uint64_t i = 0; i < n; i++)
        out[i] = width == 2 ? ((const uint16_t *)(const void *)bytes)[i]
                            : ((const int32_t *)(const void *)bytes)[i];
}

/* Read the parts from a sample's place on; the last one includes the first
 * token of the next sample. */
static void read_sample (uint64_t number, int64_t *tokens, struct cost *cost)
{
    struct place p = sample[shuffle[number]];

    for (uint64_t want = sequence + 1; want > 0; p.token = 0) {
        uint32_t doc = document[p.entry++];
        uint64_t n = (uint64_t)lengths[doc] - p.token;

        if (n > want)
            n = want;
        if (n == 0)
            continue; /* an empty document */
        read_part (tokens, doc, p.token, n);
        tokens += n;
        want -= n;
        cost->parts++;
        cost->bytes += n * width;
    }
}

/* Count the ends of documents, for which there is no loss: this stands for
 * labels, loss mask and positions. */
static uint64_t preprocess (const int64_t *tokens)
{
    dftrace_region_t r = dftrace_begin ("data", "preprocess");
    uint64_t masked = 0;

    for (uint64_t i = 0; i < sequence; i++)
        masked += tokens[i] == TOKEN_END;
    dftrace_end (&r);
    return masked;
}

static void make_sample (uint64_t number, int64_t *tokens, struct cost *cost)
{
    dftrace_region_t item = dftrace_begin ("data", "item"), indexed;
    uint64_t before = cost->bytes;

    dftrace_arg_int (&item, "image_idx", (int64_t)number);
    if (mock) { /* as Megatron's: counted, not read */
        for (uint64_t i = 0; i <= sequence; i++)
            tokens[i] = (int64_t)((number + i) % UINT16_MAX);
    } else {
        indexed = dftrace_begin ("data", "preprocess.read_indexed");
        dftrace_arg_int (&indexed, "image_idx", (int64_t)number);
        read_sample (number, tokens, cost);
        dftrace_arg_int (&indexed, "image_size",
                         (int64_t)(cost->bytes - before));
        dftrace_arg_int (&item, "image_size", (int64_t)(cost->bytes - before));
        dftrace_end (&indexed);
    }
    cost->masked += preprocess (tokens);
    dftrace_end (&item);
}

/* --- data loader ------------------------------------------------------ */

/* As PyTorch's DataLoader: batch b is made by worker b % workers, a fork of
 * this process, which is up to PREFETCH batches ahead. Tokens come back through
 * shared memory. A byte through the worker's pipe allows it one more batch, its
 * answer is the cost of the batch. */

enum { PREFETCH = 2 }; /* PyTorch's default */

static struct worker {
    pid_t pid;
    int more[2], done[2]; /* pipes */
} workers[256];

static uint64_t batches, batch_tokens; /* micro_batch x (sequence + 1) */
static int64_t *slots;                 /* shared: workers x PREFETCH batches */
static struct cost total;              /* of all batches taken */

static int64_t *slot_of (uint64_t batch)
{
    uint64_t n = nworkers ? nworkers : 1;

    return slots + (batch % n * PREFETCH + batch / n % PREFETCH) * batch_tokens;
}

/* Samples are dealt to the ranks micro batch by micro batch. */
static struct cost make_batch (uint64_t batch)
{
    uint64_t first = (batch * world + rank) * micro_batch;
    struct cost cost = {0, 0, 0};

    for (uint64_t i = 0; i < micro_batch; i++)
        make_sample (first + i, slot_of (batch) + i * (sequence + 1), &cost);
    return cost;
}

/* The process of a worker. The other ends of its pipes are closed, and those of
 * earlier workers, so that each one sees the end of its own. */
_Noreturn static void work (uint64_t number)
{
    struct worker *w = &workers[number];
    char byte;

    for (uint64_t i = 0; i <= number; i++) {
        (void)close (workers[i].more[1]);
        (void)close (workers[i].done[0]);
    }
    for (uint64_t b = number; read (w->more[0], &byte, 1) == 1; b += nworkers) {
        struct cost cost = make_batch (b);

        if (write (w->done[1], &cost, sizeof (cost)) < 0)
            break;
    }
    _exit (0);
}

/* Nothing is allowed beyond the last batch, so the reads do not depend on
 * timing. */
static void allow_batch (uint64_t batch)
{
    if (batch < batches &&
        write (workers[batch % nworkers].more[1], "", 1) != 1)
        err (FAILED, "data loader");
}

static void start_loader (void)
{
    size_t bytes;

    batch_tokens = micro_batch * (sequence + 1);
    bytes =
        (nworkers ? nworkers : 1) * PREFETCH * batch_tokens * sizeof (*slots);
    slots = mmap (NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED)
        err (FAILED, "data loader");
    for (uint64_t i = 0; i < nworkers; i++) {
        struct worker *w = &workers[i];

        if (pipe2 (w->more, O_CLOEXEC) < 0 || pipe2 (w->done, O_CLOEXEC) < 0 ||
            (w->pid = fork ()) < 0)
            err (FAILED, "data loader");
        if (w->pid == 0)
            work (i);
        (void)close (w->more[0]);
        (void)close (w->done[1]);
    }
    for (uint64_t i = 0; i < nworkers * PREFETCH; i++)
        allow_batch (i);
}

/* Return the tokens of a batch, valid until the next call. The slot of the
 * batch before is free then. */
static const int64_t *take_batch (uint64_t batch)
{
    struct cost cost;

    if (nworkers == 0)
        cost = make_batch (batch);
    else {
        if (batch > 0)
            allow_batch (batch - 1 + nworkers * PREFETCH);
        if (read (workers[batch % nworkers].done[0], &cost, sizeof (cost)) !=
            sizeof (cost))
            errx (FAILED, "worker %d has ended", (int)(batch % nworkers));
    }
    total.parts += cost.parts;
    total.bytes += cost.bytes;
    return slot_of (batch);
}

static void stop_loader (void)
{
    for (uint64_t i = 0; i < nworkers; i++)
        (void)close (workers[i].more[1]);
    for (uint64_t i = 0; i < nworkers; i++)
        while (waitpid (workers[i].pid, NULL, 0) < 0 && errno == EINTR)
            continue;
}

/* --- checkpoint ------------------------------------------------------- */

/*   DIR/checkpoint-0000003/model_optim_rng.pt        rank 0: model
 *                         /distrib_optim_000.pt      each rank: its part
 *                         /rng_000.pt                each rank
 *   DIR/latest_checkpointed_iteration.txt            rank 0, last
 *
 * Sizes do not depend on batch or sequence, so neither do the writes. */

enum { BLOCK = 1024 * 1024, RNG_BYTES = 2500 }; /* BLOCK: of one write */

/* Write a file of tensors whose content says step and place, then put it in
 * place under its name. */
static void save_file (const char *name, uint64_t bytes, uint64_t step)
{
    static unsigned char block[BLOCK];
    const char *temporary = path ("%s.tmp", name);
    int fd = open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    ssize_t n = 0;

    memset (block, (int)(step & 0xff), sizeof (block));
    for (uint64_t at = 0; fd >= 0 && n >= 0 && at < bytes; at += (uint64_t)n) {
        memcpy (block, &at, sizeof (at));
        n = write (fd, block, bytes - at < BLOCK ? bytes - at : BLOCK);
    }
    if (fd < 0 || n < 0 || fsync (fd) < 0 || close (fd) < 0 ||
        rename (temporary, name) < 0)
        err (FAILED, "%s: cannot write", name);
}

static void remove_file (const char *name, uint64_t bytes, uint64_t step)
{
    (void)unlink (name);
}

/* Call use () for each file that this rank has in a checkpoint. */
static void
each_file (const char *dir,
           uint64_t step,
           void (*use) (const char *name, uint64_t bytes, uint64_t step))
{
    if (rank == 0)
        use (path ("%s/model_optim_rng.pt", dir), checkpoint_bytes, step);
    use (path ("%s/distrib_optim_%03d.pt", dir, (int)rank),
         checkpoint_bytes * 2 / world, step);
    use (path ("%s/rng_%03d.pt", dir, (int)rank), RNG_BYTES, step);
}

/* Write the state after a step, then remove the one before it: the last rank
 * to do so removes the directory, too. */
static void save_checkpoint (uint64_t step)
{
    static uint64_t last; /* step of the previous one; 0: none */
    char dir[4096];
    int fd, n;

    (void)snprintf (dir, sizeof (dir), "%s/checkpoint-%07d", save_dir,
                    (int)step);
    if ((mkdir (save_dir, 0777) < 0 && errno != EEXIST) ||
        (mkdir (dir, 0777) < 0 && errno != EEXIST))
        err (FAILED, "%s: cannot make directory", dir);
    each_file (dir, step, save_file);
    if (rank == 0) {
        fd = open (path ("%s/latest_checkpointed_iteration.txt", save_dir),
                   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        n = snprintf (dir, sizeof (dir), "%d\n", (int)step);
        if (fd < 0 || write (fd, dir, (size_t)n) != n || close (fd) < 0)
            err (FAILED, "%s: cannot write", save_dir);
    }
    if (last) {
        (void)snprintf (dir, sizeof (dir), "%s/checkpoint-%07d", save_dir,
                        (int)last);
        each_file (dir, last, remove_file);
        (void)rmdir (dir);
    }
    last = step;
}

/* --- training --------------------------------------------------------- */

static uint64_t checkpoints, digest = 0xcbf29ce484222325u;

static uint64_t cpu_ns (void)
{
    struct timespec ts = {0, 0};

    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Compute for so much CPU time of this thread, not wall time: on a loaded
 * machine a step takes longer, as a real one would. */
static void compute_us (uint64_t us)
{
    static volatile float weight;
    uint64_t end = cpu_ns () + us * 1000;

    while (cpu_ns () < end)
        for (int i = 0; i < 10000; i++)
            weight = weight * 0.5f + 0.01f;
}

static dftrace_region_t
begin (const char *category, const char *name, uint64_t step)
{
    dftrace_region_t region = dftrace_begin (category, name);

    dftrace_arg_int (&region, "step", (int64_t)step);
    return region;
}

static void forward (const int64_t *tokens, uint64_t step)
{
    dftrace_region_t region = begin ("compute", "forward", step);

    for (uint64_t i = 0; i < batch_tokens; i++)
        digest = (digest ^ (uint64_t)tokens[i]) * 0x100000001b3u;
    compute_us (batch_tokens * us_per_ktoken / 1000);
    dftrace_end (&region);
}

/* device: room for the n batches of a step. */
static void train_step (int64_t *device, uint64_t n, uint64_t step)
{
    dftrace_region_t region;

    for (uint64_t i = 0; i < n; i++) {
        region = begin ("dataloader", "fetch", step);
        memcpy (device + i * batch_tokens, take_batch ((step - 1) * n + i),
                batch_tokens * sizeof (*device));
        dftrace_end (&region);
    }
    region = begin ("compute", "step", step);
    for (uint64_t i = 0; i < n; i++)
        forward (device + i * batch_tokens, step);
    compute_us (us_per_step);
    dftrace_end (&region);
    if (save_dir[0] && step % save_every == 0) {
        region = begin ("checkpoint", "capture", step);
        save_checkpoint (step);
        dftrace_end (&region);
        checkpoints++;
    }
}

static void train (void)
{
    uint64_t n = global_batch / world / micro_batch; /* batches of a step */
    dftrace_region_t region;
    int64_t *device;

    batches = n * steps;
    start_loader ();
    device = array (n * batch_tokens, sizeof (*device));
    region = dftrace_begin ("pipeline", "train");
    for (uint64_t step = 1; step <= steps; step++)
        train_step (device, n, step);
    dftrace_end (&region);
    stop_loader ();
    free (device);
}

int main (int argc, char **argv)
{
    parse_options (argc, argv);
    (void)signal (SIGPIPE, SIG_IGN); /* a dead worker is an error of write */
    dftrace_metadata ("workload", "minigpt");
    dftrace_metadata ("access", access_word);
    if (!mock)
        open_corpus ();
    train ();
    (void)printf (
        "minigpt: steps=%llu samples=%llu parts=%llu bytes=%llu "
        "checkpoints=%llu digest=%016llx rank=%llu/%llu\n",
        (unsigned long long)steps, (unsigned long long)(batches * micro_batch),
        (unsigned long long)total.parts, (unsigned long long)total.bytes,
        (unsigned long long)checkpoints, (unsigned long long)digest,
        (unsigned long long)rank, (unsigned long long)world);
    return fflush (stdout) == 0 ? 0 : FAILED;
}
