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
              [dft_kernel=yes])
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
