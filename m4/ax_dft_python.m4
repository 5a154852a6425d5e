dnl SPDX-License-Identifier: MIT
dnl ax_dft_python.m4 - Python.h -> conditional PYTHON_EXT, $(PYTHON_CPPFLAGS)
dnl
dnl The extension uses the stable ABI: one build serves CPython 3.10 and later,
dnl whichever python3 it was built with. Without it Python goes through ctypes.

AC_DEFUN([AX_DFT_PYTHON], [
  AC_ARG_WITH([python],
    [AS_HELP_STRING([--with-python=PYTHON],
      [interpreter whose headers the extension is built with;
       --without-python: no extension, ctypes only @<:@/usr/bin/python3, python3@:>@])],
    [], [with_python=check])
  AS_CASE([$with_python],
    [check|yes], [AC_PATH_PROG([PYTHON3], [python3], [], [/usr/bin:$PATH])],
    [no], [PYTHON3=],
    [PYTHON3=$with_python])
  dft_python=no
  AS_IF([test -n "$PYTHON3"], [
    dft_include=`$PYTHON3 -c 'import sysconfig; print (sysconfig.get_paths ()@<:@"include"@:>@)' 2>/dev/null`
    PYTHON_CPPFLAGS="-isystem $dft_include"
    save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $PYTHON_CPPFLAGS"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#if PY_VERSION_HEX < 0x030A0000
#error too old
#endif]], [[return PyIndex_Check (Py_None)]])], [dft_python="$PYTHON3"])
    CPPFLAGS=$save_CPPFLAGS])
  AC_MSG_CHECKING([for Python.h of 3.10 or later])
  AC_MSG_RESULT([$dft_python])
  dft_why=
  AS_IF([test "$dft_python" != no],
    [AX_DFT_TRIAL([the Python extension],
       [preload/app/python/_dftrace.c preload/app/python/_gather.c preload/app/python/_inert.c analyze/python/_reader.c], [$PYTHON_CPPFLAGS])
     AS_IF([test "$dft_trial" != yes], [dft_python=no dft_why=$dft_trial])])
  AS_CASE([$with_python], [check|no], [],
    [AS_IF([test "$dft_python" = no],
      [AC_MSG_ERROR([${dft_why:-Python.h not found}: install python3-dev or use --without-python])])])
  AM_CONDITIONAL([PYTHON_EXT], [test "$dft_python" != no])
  AS_IF([test -n "$dft_why"], [dft_python="no: $dft_why"])
  AC_SUBST([PYTHON_CPPFLAGS])
])
