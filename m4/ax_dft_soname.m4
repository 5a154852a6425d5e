dnl SPDX-License-Identifier: MIT
dnl AX_DFT_SONAME(NAME, LIBS, FUNCTION): the name by which the loader knows the
dnl library of FUNCTION, as NAME_FILE in config.h. Sets dft_soname; empty: there
dnl is none, but a static one, say.

AC_DEFUN([AX_DFT_SONAME], [
    AC_MSG_CHECKING([the name of $1 for the loader])
    dft_save_LIBS=$LIBS
    LIBS="$2 $LIBS"
    dft_stem=`AS_ECHO(["$2"]) | sed 's/.*-l\(@<:@^ @:>@*\).*/\1/'`
    dft_soname=
    AC_LINK_IFELSE([AC_LANG_PROGRAM([char $3 (void);], [return $3 ();])],
        [dft_soname=`LC_ALL=C readelf -d conftest$ac_exeext |
            sed -n "s/.*NEEDED.*@<:@@<:@@:>@\(lib$dft_stem@<:@.@:>@so@<:@^@:>@@:>@*\)@:>@.*/\1/p"`])
    LIBS=$dft_save_LIBS
    AS_IF([test -n "$dft_soname"],
        [AC_DEFINE_UNQUOTED([$1_FILE], ["$dft_soname"], [library that is loaded when it is needed])])
    AC_MSG_RESULT([${dft_soname:-none}])
])
