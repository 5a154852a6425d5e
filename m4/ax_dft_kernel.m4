dnl SPDX-License-Identifier: MIT
dnl AX_DFT_KERNEL: BPF_CLANG, BPFTOOL, BPF_CFLAGS, BPF_LIBS, BPF_ARCH,
dnl BPF_SYSTEM, KERNEL, dft_kernel. Layer kernel (eBPF): clang, bpftool and
dnl libbpf, or --disable-kernel. Nothing of a running kernel is needed to build.

AC_DEFUN([AX_DFT_KERNEL], [
    AC_ARG_ENABLE([kernel],
        [AS_HELP_STRING([--enable-kernel],
            [layer kernel, with eBPF: yes, no; default: if clang, bpftool and libbpf are there])],
        [], [enable_kernel=auto])
    dft_kernel=no
    AS_CASE([$host_cpu],
        [x86_64], [BPF_ARCH=x86],
        [aarch64], [BPF_ARCH=arm64],
        [BPF_ARCH=none])
    AS_IF([test "$enable_kernel" != no], [
        AC_CHECK_PROGS([BPF_CLANG], [clang])
        AC_PATH_PROG([BPFTOOL], [bpftool], [], [$PATH:/usr/sbin:/sbin])
        PKG_CHECK_MODULES([BPF], [libbpf >= 0.7], [have_libbpf=yes], [have_libbpf=no])
        AC_CACHE_CHECK([for headers that eBPF programs may include], [dft_cv_bpf_system], [
            dft_cv_bpf_system=none
            for dft_dir in "" "-I/usr/include/`$CC -print-multiarch 2>/dev/null`"; do
                AS_IF([test "$dft_cv_bpf_system" = none && test -n "$BPF_CLANG" &&
                       echo '#include <linux/types.h>
                             #include <linux/bpf.h>' |
                       $BPF_CLANG -target bpf $dft_dir -x c -c - -o /dev/null >&AS_MESSAGE_LOG_FD 2>&1],
                    [dft_cv_bpf_system=$dft_dir])
            done
        ])
        AS_IF([test "$BPF_ARCH" = none], [dft_why="this machine is neither x86-64 nor aarch64"],
              [test -z "$BPF_CLANG"], [dft_why="no clang"],
              [test -z "$BPFTOOL"], [dft_why="no bpftool"],
              [test "$have_libbpf" = no], [dft_why="no libbpf"],
              [test "$dft_cv_bpf_system" = none], [dft_why="clang has no target bpf, or no headers of Linux"],
              [AX_DFT_KERNEL_TRIAL
               AS_IF([test "$dft_trial" = yes], [dft_kernel=yes], [dft_why=$dft_trial])])
        AS_IF([test "$dft_kernel" = yes],
            [BPF_SYSTEM=$dft_cv_bpf_system
             AC_DEFINE([HAVE_KERNEL], [1], [layer kernel is built])],
            [test "$enable_kernel" = yes],
            [AC_MSG_ERROR([--enable-kernel: $dft_why])],
            [dft_kernel="no: $dft_why"])
    ])
    AC_SUBST([BPF_ARCH])
    AC_SUBST([BPF_SYSTEM])
    AM_CONDITIONAL([KERNEL], [test "$dft_kernel" = yes])
])

dnl AX_DFT_KERNEL_TRIAL: the eBPF programs, what bpftool makes of them, and what
dnl loads them. Sets dft_trial, as AX_DFT_TRIAL.
AC_DEFUN([AX_DFT_KERNEL_TRIAL], [
    AS_MKDIR_P([conftest.dir/kernel])
    AC_MSG_CHECKING([whether the eBPF programs can be built])
    AS_IF([$BPF_CLANG -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_$BPF_ARCH -I"$srcdir" \
               $dft_cv_bpf_system $BPF_CFLAGS -c "$srcdir/kernel/bpf/record.bpf.c" \
               -o conftest.dir/record.bpf.o >conftest.dir/trial.log 2>&1],
        [AS_IF([$BPFTOOL gen skeleton conftest.dir/record.bpf.o name record_bpf \
                    >conftest.dir/kernel/record.skel.h 2>conftest.dir/trial.log],
            [dft_trial=yes], [dft_trial="bpftool makes no skeleton of the eBPF programs: see config.log"])],
        [AX_DFT_TRIAL_WHY([kernel/bpf/record.bpf.c])])
    AC_MSG_RESULT([$dft_trial])
    AS_IF([test "$dft_trial" = yes],
        [AX_DFT_TRIAL([the recorder of layer kernel], [kernel/load.c], [$BPF_CFLAGS])],
        [cat conftest.dir/trial.log >&AS_MESSAGE_LOG_FD])
])
