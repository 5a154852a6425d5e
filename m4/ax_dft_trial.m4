dnl SPDX-License-Identifier: MIT
dnl AX_DFT_TRIAL(PART, SOURCES, FLAGS): compile the SOURCES of an optional PART
dnl as make will. Headers that are there may be of another version than the
dnl sources want: then the build goes on without the part, and says so.
dnl Sets dft_trial: yes, or why not. conftest.dir/ stays for later trials.

AC_DEFUN([AX_DFT_TRIAL], [
    AC_MSG_CHECKING([whether $1 can be built])
    AS_MKDIR_P([conftest.dir])
    { cat confdefs.h && sed -n '/^#ifndef CONFIG_ALONE/,$p' "$srcdir/config.h.in"; } >conftest.dir/config.h
    dft_trial=yes
    for dft_source in m4_normalize([$2]); do
        AS_IF([test ! -f "$srcdir/$dft_source"],
            [AC_MSG_ERROR([$dft_source: not in this source: m4/ax_dft_*.m4 names it])])
        AS_IF([test "$dft_trial" = yes &&
               ! $CC -c $CPPFLAGS $DFT_CFLAGS $CFLAGS -Iconftest.dir -I"$srcdir" -I"$srcdir/preload/app/include" \
                   $3 "$srcdir/$dft_source" -o conftest.dir/trial.o >conftest.dir/trial.log 2>&1],
            [cat conftest.dir/trial.log >&AS_MESSAGE_LOG_FD
             AX_DFT_TRIAL_WHY([$dft_source])])
    done
    AC_MSG_RESULT([$dft_trial])
])

dnl AX_DFT_TRIAL_WHY(SOURCE): the first error of a compiler, for people.
AC_DEFUN([AX_DFT_TRIAL_WHY], [
    dft_trial=`sed -n '/error[[: ]]/{s/^.*error: *//p;q;}' conftest.dir/trial.log`
    dft_trial="$1 does not compile here: ${dft_trial:-see config.log}"
])
