/* SPDX-License-Identifier: MIT
 *
 * bpf.c - filters of many kinds -> is a system call spared?
 */
#include "tests/unit/tap.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "preload/aside.h"

#define LOAD(FIELD) \
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, FIELD))
#define IF(OP, K, YES, NO) BPF_JUMP (BPF_JMP | BPF_##OP | BPF_K, K, YES, NO)
#define RETURN(WHAT)       BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_##WHAT)
#define SPARES(NUMBER, ...)                                                 \
    bpf_spares (                                                            \
        &(struct sock_fprog){sizeof ((struct sock_filter[]){__VA_ARGS__}) / \
                                 sizeof (struct sock_filter),               \
                             (struct sock_filter[]){__VA_ARGS__}},          \
        NUMBER)

#if defined __x86_64__
enum { ARCH_LOW = AUDIT_ARCH_X86_64 & 0xffff };
#else
enum { ARCH_LOW = AUDIT_ARCH_AARCH64 & 0xffff };
#endif

static void test_answers (void **state)
{
    assert_int_equal (SPARES (1, RETURN (ALLOW)), 1);
    assert_int_equal (SPARES (1, RETURN (LOG)), 1);
    assert_int_equal (SPARES (1, RETURN (ERRNO)), 1);
    assert_int_equal (SPARES (1, RETURN (TRACE)), 1);
    assert_int_equal (SPARES (1, RETURN (TRAP)), 0);
    assert_int_equal (SPARES (1, RETURN (USER_NOTIF)), 0);
    assert_int_equal (SPARES (1, RETURN (KILL_THREAD)), 0);
    assert_int_equal (SPARES (1, RETURN (KILL_PROCESS)), 0);
}

static void test_numbers (void **state)
{
    for (unsigned n = 0; n < 10; n++) {
        assert_int_equal (SPARES (n, LOAD (nr), IF (JEQ, 5, 0, 1),
                                  RETURN (KILL_PROCESS), RETURN (ALLOW)),
                          n != 5);
        assert_int_equal (SPARES (n, LOAD (nr), IF (JGT, 5, 0, 1),
                                  RETURN (KILL_PROCESS), RETURN (ALLOW)),
                          n <= 5);
        assert_int_equal (SPARES (n, LOAD (nr), IF (JGE, 5, 1, 0),
                                  RETURN (ALLOW), RETURN (TRAP)),
                          n < 5);
        assert_int_equal (SPARES (n, LOAD (nr), IF (JSET, 1, 1, 0),
                                  RETURN (ALLOW), RETURN (TRAP)),
                          n % 2 == 0);
    }
}

/* Another architecture's part of a filter is not ours. */
static void test_arch (void **state)
{
    assert_int_equal (SPARES (1, LOAD (arch),
                              BPF_STMT (BPF_ALU | BPF_AND | BPF_K, 0xffff),
                              IF (JEQ, ARCH_LOW, 1, 0), RETURN (KILL_PROCESS),
                              RETURN (ALLOW)),
                      1);
    assert_int_equal (SPARES (1, LOAD (arch), IF (JEQ, AUDIT_ARCH_I386, 0, 1),
                              RETURN (ALLOW), RETURN (KILL_PROCESS)),
                      0);
}

/* What depends on an argument may come out either way. */
static void test_arguments (void **state)
{
    assert_int_equal (SPARES (1, LOAD (args[1]), IF (JEQ, 7, 0, 1),
                              RETURN (KILL_PROCESS), RETURN (ALLOW)),
                      0);
    assert_int_equal (SPARES (1, LOAD (args[1]), IF (JEQ, 7, 0, 1),
                              RETURN (ERRNO), RETURN (ALLOW)),
                      1);
    assert_int_equal (SPARES (1, LOAD (args[0]), BPF_STMT (BPF_RET | BPF_A, 0)),
                      0);
    /* through memory and the index register */
    assert_int_equal (SPARES (3, LOAD (nr), BPF_STMT (BPF_ST, 2),
                              LOAD (args[0]), BPF_STMT (BPF_LDX | BPF_MEM, 2),
                              BPF_STMT (BPF_MISC | BPF_TXA, 0),
                              IF (JEQ, 3, 0, 1), RETURN (ALLOW), RETURN (TRAP)),
                      1);
}

/* Whoever makes us go both ways again and again finds no end of patience. */
static void test_long (void **state)
{
    struct sock_filter f[BPF_MAXINSNS] = {LOAD (args[0])};

    for (int i = 1; i < BPF_MAXINSNS - 1; i++)
        f[i] = (struct sock_filter)IF (JEQ, (unsigned)i, 0, 0);
    f[BPF_MAXINSNS - 1] = (struct sock_filter)RETURN (ALLOW);
    assert_int_equal (bpf_spares (&(struct sock_fprog){BPF_MAXINSNS, f}, 1), 0);
    for (int i = 1; i < BPF_MAXINSNS - 1; i++)
        f[i] = (struct sock_filter)BPF_STMT (BPF_ALU | BPF_NEG, 0);
    assert_int_equal (bpf_spares (&(struct sock_fprog){BPF_MAXINSNS, f}, 1), 1);
}

static void test_bad (void **state)
{
    struct sock_filter none = RETURN (ALLOW);

    assert_int_equal (bpf_spares (&(struct sock_fprog){0, &none}, 1), 0);
    assert_int_equal (SPARES (1, LOAD (nr)), 0); /* no answer */
    assert_int_equal (
        SPARES (1, BPF_STMT (BPF_JMP | BPF_JA, 4000000000u), RETURN (ALLOW)),
        0);
    assert_int_equal (SPARES (1, BPF_STMT (BPF_ST, 4000000000u),
                              BPF_STMT (BPF_ALU | BPF_DIV | BPF_K, 0),
                              BPF_STMT (BPF_RET | BPF_A, 0)),
                      0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_answers), cmocka_unit_test (test_numbers),
        cmocka_unit_test (test_arch),    cmocka_unit_test (test_arguments),
        cmocka_unit_test (test_long),    cmocka_unit_test (test_bad),
    };

    return tap_run (tests);
}
