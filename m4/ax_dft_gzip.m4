dnl SPDX-License-Identifier: MIT
dnl AX_DFT_GZIP: GZIP_CFLAGS, GZIP_LIBS, HAVE_ISAL, ISAL_FILE, HAVE_LIBDEFLATE, dft_gzip.
dnl zlib does everything; ISA-L is several times as fast, libdeflate packs
dnl about twice as fast.  --without-isal, --without-libdeflate leave them out.

AC_DEFUN([AX_DFT_GZIP], [
    AC_ARG_WITH([isal],
        [AS_HELP_STRING([--without-isal], [do not use ISA-L for gzip])],
        [], [with_isal=check])
    AC_ARG_WITH([libdeflate],
        [AS_HELP_STRING([--without-libdeflate],
            [do not use libdeflate for gzip])],
        [], [with_libdeflate=check])
    dft_gzip=zlib
    AS_IF([test "$with_isal" != no], [
        PKG_CHECK_MODULES([ISAL], [libisal],
            [AX_DFT_SONAME([ISAL], [$ISAL_LIBS], [isal_inflate])], [dft_soname=])
        AS_IF([test -n "$dft_soname"],
            [dft_gzip=ISA-L
             AC_DEFINE([HAVE_ISAL], [1], [gzip by ISA-L])
             GZIP_CFLAGS=$ISAL_CFLAGS],
            [test "$with_isal" = yes],
            [AC_MSG_ERROR([--with-isal: no libisal])])
    ])
    AS_IF([test "$dft_gzip" = zlib && test "$with_libdeflate" != no], [
        PKG_CHECK_MODULES([LIBDEFLATE], [libdeflate], [
            dft_gzip="zlib, libdeflate to pack"
            AC_DEFINE([HAVE_LIBDEFLATE], [1], [gzip members by libdeflate])
            GZIP_CFLAGS=$LIBDEFLATE_CFLAGS GZIP_LIBS=$LIBDEFLATE_LIBS
        ], [AS_IF([test "$with_libdeflate" = yes],
                [AC_MSG_ERROR([--with-libdeflate: no libdeflate])])])
    ])
    AC_SUBST([GZIP_CFLAGS])
    AC_SUBST([GZIP_LIBS])
])
