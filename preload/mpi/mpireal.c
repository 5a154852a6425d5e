/* SPDX-License-Identifier: MIT
 *
 * mpireal.c - symbols of whatever MPI is there -> functions and constants
 *
 * In:  the loader's tables
 * Out: pointers, kept once found; what is not there yet is asked for again,
 *      since a Python may load its MPI much later
 * Caveat: runs in calls of MPI, never in a signal handler; keeps errno.
 */
#include "config.h"

#include <dlfcn.h>

#include "lib/base/array.h"
#include "lib/base/oldlibc.h"
#include "lib/format/calls.h"
#include "preload/mpi/mpireal.h"

OLDLIBC (dlsym);

enum { NAME_MAX_BYTES = 64 };

static const char names[MPIROW_COUNT][32] = {
#define TRANSFER(NAME, FORTRAN, SHAPE) #NAME,
#define OTHER(NAME, FORTRAN)           #NAME,
#define MEETS(NAME, FORTRAN, N)        #NAME,
#include "preload/mpi/mpicalls.def"
#undef TRANSFER
#undef OTHER
#undef MEETS
};

static void *found[MPIROW_COUNT][MPIFORM_COUNT];

/* --- the recorder ------------------------------------------------------- */

static const struct layerdoor *mpireal_any_door (void)
{
    static const struct layerdoor *door;

    if (!door && dftrace_layerdoor)
        door = dftrace_layerdoor (LAYERDOOR_VERSION);
    return door;
}

const struct layerdoor *mpireal_door (void)
{
    const struct layerdoor *door = mpireal_any_door ();

    return door && door->wants (LAYER_MPIIO) && mpireal_abi () ? door : NULL;
}

/* --- functions ------------------------------------------------------------ */

/* Find the next function behind ours, such as another tool's wrapper; else that
 * of MPI by its profiling name, wherever it was loaded. */
static void *mpireal_find (const char *name, const char *profiling)
{
    const struct layerdoor *door = mpireal_any_door ();
    int saved_errno = errno;
    void *f = OLDLIBC_HAS (dlsym) ? dlsym (RTLD_NEXT, name) : NULL;

    if (!f && door && profiling)
        f = door->find (profiling);
    errno = saved_errno;
    return f;
}

static void lower (char *text)
{
    for (; *text; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

static void *mpireal_look (enum mpirow row, enum mpiform form)
{
    static const char tails[MPIFORM_COUNT][8] = {"", "_c", "_", "__", "_f08_"};
    char name[NAME_MAX_BYTES] = "P";
    size_t n = strlen (names[row]);

    memcpy (name + 1, names[row], n);
    memcpy (name + 1 + n, tails[form], strlen (tails[form]) + 1);
    if (mpi_is_fortran (form))
        lower (name);
    return mpireal_find (name + 1, name);
}

void *mpireal (enum mpirow row, enum mpiform form)
{
    void *f = __atomic_load_n (&found[row][form], __ATOMIC_RELAXED);

    if (__builtin_expect (f != NULL, 1))
        return f;
    f = mpireal_look (row, form);
    __atomic_store_n (&found[row][form], f, __ATOMIC_RELAXED);
    return f;
}

/* --- whose handles ---------------------------------------------------------
 */

static struct {
    int known;
    enum mpiabi abi;
    mpiword byte, world, info_null;
    int (*type_size) (mpiword, int *);
    int (*type_extent) (mpiword, intptr_t *, intptr_t *);
    int (*type_hindexed) (
        int, const int *, const intptr_t *, mpiword, mpiword *);
    int (*type_commit) (mpiword *);
    int (*type_free) (mpiword *);
    int (*elements) (const void *, mpiword, long long *);
    int (*comm_rank) (mpiword, int *);
    int (*comm_size) (mpiword, int *);
    int (*byte_offset) (mpiword, int64_t, int64_t *);
    int (*nkeys) (mpiword, int *);
    int (*nthkey) (mpiword, int, char *);
    int (*get) (mpiword, const char *, int, char *, int *);
    mpiword (*file_f2c) (int);
    mpiword (*type_f2c) (int);
    mpiword (*comm_f2c) (int);
    mpiword (*info_f2c) (int);
    int (*status_f2c) (const int *, void *);
    int *const *status_ignore, *const *statuses_ignore; /* Fortran's */
} mpi;

static void *own (const char *name)
{
    return mpireal_find (name, name);
}

/* A program that names a variable may have it among its own (a copy that the
 * linker has made): that is the one that everybody uses. */
static void *variable (const char *name)
{
    const struct layerdoor *door = mpireal_any_door ();
    void *v = OLDLIBC_HAS (dlsym) ? dlsym (RTLD_DEFAULT, name) : NULL;

    return !v && door ? door->find (name) : v;
}

#define ASK(FIELD, NAME) mpi.FIELD = (__typeof__ (mpi.FIELD))own ("PMPI_" NAME)

static void mpireal_ask (void)
{
    ASK (type_size, "Type_size");
    ASK (type_extent, "Type_get_extent");
    ASK (type_hindexed, "Type_create_hindexed");
    ASK (type_commit, "Type_commit");
    ASK (type_free, "Type_free");
    ASK (elements, "Get_elements_x");
    ASK (comm_rank, "Comm_rank");
    ASK (comm_size, "Comm_size");
    ASK (byte_offset, "File_get_byte_offset");
    ASK (nkeys, "Info_get_nkeys");
    ASK (nthkey, "Info_get_nthkey");
    ASK (get, "Info_get");
    ASK (file_f2c, "File_f2c");
    ASK (type_f2c, "Type_f2c");
    ASK (comm_f2c, "Comm_f2c");
    ASK (info_f2c, "Info_f2c");
    ASK (status_f2c, "Status_f2c");
    mpi.status_ignore = variable ("MPI_F_STATUS_IGNORE");
    mpi.statuses_ignore = variable ("MPI_F_STATUSES_IGNORE");
}

/* MPI says its name at any time; the constants are those of mpi.h, which the
 * MPICH ABI initiative (MPICH, Intel, MVAPICH, Cray) has fixed. */
static enum mpiabi mpireal_guess (void)
{
    static const char mpich[][16] = {"MPICH", "Intel(R) MPI", "MVAPICH",
                                     "CRAY MPICH"};
    int (*version) (char *, int *) =
        (int (*) (char *, int *))own ("PMPI_Get_library_version");
    static char text[8192 + 1];
    int n = 0;

    if (variable ("ompi_mpi_comm_world") && variable ("ompi_mpi_byte"))
        return MPIABI_OPENMPI;
    if (!version || version (text, &n) != 0)
        return MPIABI_NONE;
    for (size_t i = 0; i < ITEMS (mpich); i++)
        if (strncmp (text, mpich[i], strlen (mpich[i])) == 0)
            return MPIABI_MPICH;
    return MPIABI_NONE;
}

static void mpireal_settle (void)
{
    int saved_errno = errno;
    enum mpiabi abi = mpireal_guess ();

    if (abi == MPIABI_OPENMPI) {
        mpi.world = (mpiword)variable ("ompi_mpi_comm_world");
        mpi.byte = (mpiword)variable ("ompi_mpi_byte");
        mpi.info_null = (mpiword)variable ("ompi_mpi_info_null");
    } else if (abi == MPIABI_MPICH) {
        mpi.world = 0x44000000;
        mpi.byte = 0x4c00010d;
        mpi.info_null = 0x1c000000;
    }
    mpireal_ask ();
    __atomic_store_n (&mpi.abi, abi, __ATOMIC_RELAXED);
    __atomic_store_n (&mpi.known, 1, __ATOMIC_RELEASE);
    errno = saved_errno;
}

/* Called where a function of MPI was called: it is there. Two threads may do
 * it at once; they find the same. */
enum mpiabi mpireal_abi (void)
{
    if (__builtin_expect (!__atomic_load_n (&mpi.known, __ATOMIC_ACQUIRE), 0))
        mpireal_settle ();
    return mpi.abi;
}

/* --- questions --------------------------------------------------------------
 */

int64_t mpireal_type_size (mpiword type)
{
    int n = 0;

    if (!mpi.type_size || mpi.type_size (type, &n) != 0 || n < 0)
        return 0; /* negative: does not fit */
    return n;
}

int64_t mpireal_type_extent (mpiword type)
{
    intptr_t lower_bound, extent = 0;

    if (!mpi.type_extent || mpi.type_extent (type, &lower_bound, &extent) != 0)
        return 0;
    return extent;
}

int mpireal_type_make (int blocks,
                       const int *lengths,
                       const intptr_t *places,
                       mpiword type,
                       mpiword *made)
{
    *made = 0; /* an int is stored in its low half */
    if (mpireal_abi () == MPIABI_NONE || !mpi.type_hindexed ||
        !mpi.type_commit || !mpi.type_free)
        return -1;
    return mpi.type_hindexed (blocks, lengths, places, type, made) == 0 &&
                   mpi.type_commit (made) == 0
               ? 0
               : -1;
}

void mpireal_type_free (mpiword *type)
{
    mpi.type_free (type);
}

int64_t mpireal_status_bytes (const void *status, int fortran)
{
    long long n = -1;
    char of_c[MPISTATUS_BYTES] __attribute__ ((aligned (16)));

    if (fortran) {
        if (!mpi.status_f2c || mpi.status_f2c (status, of_c) != 0)
            return -1;
        status = of_c;
    }
    if (!mpi.elements || mpi.elements (status, mpi.byte, &n) != 0)
        return -1;
    return n;
}

int mpireal_comm (mpiword comm, int *rank, int *size)
{
    return mpi.comm_rank && mpi.comm_size && mpi.comm_rank (comm, rank) == 0 &&
                   mpi.comm_size (comm, size) == 0
               ? 0
               : -1;
}

mpiword mpireal_world (void)
{
    return mpi.world;
}

int64_t mpireal_byte_offset (mpiword fh, int64_t offset)
{
    int64_t at = -1;

    if (!mpi.byte_offset || mpi.byte_offset (fh, offset, &at) != 0)
        return -1;
    return at;
}

/* One more "key=value". */
static size_t
mpireal_hint (mpiword info, int i, char *text, size_t used, size_t size)
{
    char key[256] = "", value[256] = ""; /* MPI_MAX_INFO_KEY is at most 255 */
    int there = 0;
    size_t n, m;

    if (mpi.nthkey (info, i, key) != 0 ||
        mpi.get (info, key, (int)sizeof (value) - 1, value, &there) != 0)
        return used;
    n = strnlen (key, sizeof (key) - 1);
    m = there ? strnlen (value, sizeof (value) - 1) : 0;
    if (used + n + m + 3 > size)
        return used;
    if (used > 0)
        text[used++] = ';';
    memcpy (text + used, key, n);
    text[used + n] = '=';
    memcpy (text + used + n + 1, value, m);
    used += n + 1 + m;
    text[used] = '\0';
    return used;
}

void mpireal_hints (mpiword info, char *text, size_t size)
{
    mpiword mask = mpi.abi == MPIABI_MPICH ? UINT32_MAX : UINTPTR_MAX;
    size_t used = 0;
    int n = 0;

    text[0] = '\0';
    if ((info & mask) == mpi.info_null || !mpi.nkeys || !mpi.nthkey ||
        !mpi.get || mpi.nkeys (info, &n) != 0)
        return;
    for (int i = 0; i < n; i++)
        used = mpireal_hint (info, i, text, used, size);
}

mpiword mpireal_f2c (enum mpihandle what, int handle)
{
    mpiword (*convert) (int) = NULL;

    if (what != MPIHANDLE_FILE && mpi.abi == MPIABI_MPICH)
        return (mpiword)(unsigned)handle; /* the same ints */
    switch (what) {
    case MPIHANDLE_FILE:
        convert = mpi.file_f2c;
        break;
    case MPIHANDLE_TYPE:
        convert = mpi.type_f2c;
        break;
    case MPIHANDLE_COMM:
        convert = mpi.comm_f2c;
        break;
    case MPIHANDLE_INFO:
        convert = mpi.info_f2c;
        break;
    }
    return convert ? convert (handle) : 0;
}

int mpireal_ignores (const void *status, int fortran)
{
    if (!fortran)
        return status == (mpi.abi == MPIABI_MPICH ? (const void *)1 : NULL);
    return (mpi.status_ignore && status == *mpi.status_ignore) ||
           (mpi.statuses_ignore && status == *mpi.statuses_ignore) || !status;
}
