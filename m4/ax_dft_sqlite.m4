dnl SPDX-License-Identifier: MIT
dnl AX_DFT_SQLITE: SQLITE_CFLAGS, SQLITE_FILE, HAVE_SQLITE, dft_sqlite.
dnl `dftrace analyze --sqlite` needs it; --without-sqlite leaves it out.

AC_DEFUN([AX_DFT_SQLITE], [
    AC_ARG_WITH([sqlite],
        [AS_HELP_STRING([--without-sqlite], [no analyze --sqlite])],
        [], [with_sqlite=check])
    dft_sqlite=no
    AS_IF([test "$with_sqlite" != no], [
        PKG_CHECK_MODULES([SQLITE], [sqlite3],
            [AX_DFT_SONAME([SQLITE], [$SQLITE_LIBS], [sqlite3_open])], [dft_soname=])
        AS_IF([test -n "$dft_soname"],
            [dft_sqlite=yes
             AC_DEFINE([HAVE_SQLITE], [1], [tables into SQLite files])],
            [test "$with_sqlite" = yes],
            [AC_MSG_ERROR([--with-sqlite: no sqlite3])])
    ])
])
