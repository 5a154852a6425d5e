dnl SPDX-License-Identifier: MIT
dnl AX_DFT_OTF2: OTF2_CFLAGS, OTF2_FILE, HAVE_OTF2, dft_otf2.
dnl `dftrace export -f otf2` needs it; --without-otf2 leaves it out.

AC_DEFUN([AX_DFT_OTF2], [
    AC_ARG_WITH([otf2],
        [AS_HELP_STRING([--without-otf2], [no export --format otf2])],
        [], [with_otf2=check])
    dft_otf2=no
    AS_IF([test "$with_otf2" != no], [
        dnl 2.1 is the first version with records of I/O.
        PKG_CHECK_MODULES([OTF2], [otf2 >= 2.1],
            [AX_DFT_TRIAL([OTF2], [analyze/export/otf2.c analyze/export/otfdefs.c analyze/export/otfio.c],
                [-DHAVE_OTF2=1 -DOTF2_FILE=\"\" $OTF2_CFLAGS])
             AX_DFT_SONAME([OTF2], [$OTF2_LIBS], [OTF2_Archive_Open])
             AS_IF([test "$dft_trial$dft_soname" = yes], [dft_trial="no shared library otf2"])],
            [dft_trial="no otf2 of version 2.1 or later"])
        AS_IF([test "$dft_trial" = yes],
            [dft_otf2=yes
             AC_DEFINE([HAVE_OTF2], [1], [events into archives of OTF2])],
            [test "$with_otf2" = yes],
            [AC_MSG_ERROR([--with-otf2: $dft_trial])],
            [dft_otf2="no: $dft_trial"
             OTF2_CFLAGS=])
    ])
])
