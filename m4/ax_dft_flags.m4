dnl SPDX-License-Identifier: MIT
dnl ax_dft_flags.m4 - warnings, -Werror, sanitizers

dnl AX_DFT_TRY_CFLAG(FLAG): append FLAG to DFT_CFLAGS where the compiler
dnl takes it.
AC_DEFUN([AX_DFT_TRY_CFLAG], [
  AS_VAR_PUSHDEF([flag], [dft_cv_cflag_$1])
  AC_CACHE_CHECK([whether $CC takes $1], [flag], [
    save_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS -Werror $1"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
      [AS_VAR_SET([flag], [yes])], [AS_VAR_SET([flag], [no])])
    CFLAGS=$save_CFLAGS])
  AS_VAR_IF([flag], [yes], [DFT_CFLAGS="$DFT_CFLAGS $1"])
  AS_VAR_POPDEF([flag])
])

dnl Distributions put flags into CFLAGS, which stand behind ours and win. Some
dnl are not for code that runs inside other programs: libraries of ours define
dnl what _FORTIFY_SOURCE puts in the place of read () and friends, never abort,
dnl and have functions in assembly, of which link-time optimization sees nothing.
dnl So these flags are taken out of CFLAGS and CPPFLAGS. Everything else gets the
dnl level of _FORTIFY_SOURCE and -fstack-protector-strong back. Before AC_PROG_CC.
dnl -Werror would change the results of trials: AX_DFT_WERROR puts it back.
AC_DEFUN([AX_DFT_OWN_FLAGS], [
  dft_fortify=
  dft_errors=
  dft_left_out=
  for dft_variable in CFLAGS CPPFLAGS; do
    eval "dft_words=\$$dft_variable"
    dft_kept=
    dft_out=
    for dft_word in $dft_words; do
      AS_CASE([$dft_word],
        [*_FORTIFY_SOURCE=*], [dft_fortify=${dft_word@%:@@%:@*=}],
        [*D_FORTIFY_SOURCE], [dft_fortify=1],
        [*U_FORTIFY_SOURCE], [dft_fortify=0],
        [-flto* | -ffat-lto-objects | -fstack-protector*], [],
        [-Werror*], [dft_errors="$dft_errors $dft_word"
                     continue],
        [dft_kept="$dft_kept${dft_kept:+ }$dft_word"
         continue])
      dft_out="$dft_out $dft_word"
    done
    AS_IF([test -n "$dft_words"], [eval "$dft_variable=\$dft_kept"])
    dft_left_out=$dft_left_out$dft_out
  done
  AS_IF([test -n "$dft_left_out"],
    [AC_MSG_NOTICE([flags that are left out, since dftrace sets them for each of its parts:$dft_left_out])])
])

AC_DEFUN([AX_DFT_CFLAGS], [
  DFT_CFLAGS="-std=gnu11 -fvisibility=hidden"
  AX_DFT_TRY_CFLAG([-Wall])
  AX_DFT_TRY_CFLAG([-Wextra])
  AX_DFT_TRY_CFLAG([-Wshadow])
  AX_DFT_TRY_CFLAG([-Wstrict-prototypes])
  AX_DFT_TRY_CFLAG([-Wmissing-prototypes])
  AX_DFT_TRY_CFLAG([-Wpointer-arith])
  AX_DFT_TRY_CFLAG([-Wundef])
  AX_DFT_TRY_CFLAG([-Wvla])
  AX_DFT_TRY_CFLAG([-Wwrite-strings])
  AX_DFT_TRY_CFLAG([-Wno-unused-parameter])
  AX_DFT_TRY_CFLAG([-fstack-protector-strong])
  AC_SUBST([DFT_CFLAGS])
  AC_SUBST([DFT_SECTIONS], ["-ffunction-sections -fdata-sections"])
])

dnl AX_DFT_TRY_LDFLAG(FLAG): append FLAG to DFT_LDFLAGS where the linker
dnl takes it.
AC_DEFUN([AX_DFT_TRY_LDFLAG], [
  AS_VAR_PUSHDEF([flag], [dft_cv_ldflag_$1])
  AC_CACHE_CHECK([whether $CC links with $1], [flag], [
    save_LDFLAGS=$LDFLAGS
    LDFLAGS="$LDFLAGS $1"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AS_VAR_SET([flag], [yes])], [AS_VAR_SET([flag], [no])])
    LDFLAGS=$save_LDFLAGS])
  AS_VAR_IF([flag], [yes], [DFT_LDFLAGS="$DFT_LDFLAGS $1"])
  AS_VAR_POPDEF([flag])
])

dnl After AX_DFT_SANITIZER. Whoever gives -D_FORTIFY_SOURCE or -U in CFLAGS says
dnl the level; without optimization it would only warn.
AC_DEFUN([AX_DFT_HARDENING], [
  AX_DFT_TRY_CFLAG([-Wno-unused-result]) # a cast to void does not silence it
  AX_DFT_TRY_CFLAG([-fstack-clash-protection])
  AX_DFT_TRY_CFLAG([-fcf-protection=full]) # x86
  AX_DFT_TRY_CFLAG([-mbranch-protection=standard]) # Arm
  AX_DFT_TRY_LDFLAG([-Wl,-z,relro])
  AX_DFT_TRY_LDFLAG([-Wl,-z,now])
  AX_DFT_TRY_LDFLAG([-Wl,-z,noexecstack])
  DFT_CPPFLAGS=
  AS_CASE(["$dft_sanitizer:$CFLAGS"],
    [no:*-O@<:@1-9s@:>@*],
    [DFT_CPPFLAGS="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${dft_fortify:-2}"])
  AC_SUBST([DFT_CPPFLAGS])
])

dnl After all trials.
AC_DEFUN([AX_DFT_WERROR], [
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [warnings are errors (CI)])],
    [dft_werror=$enableval], [dft_werror=no])
  AS_IF([test "$dft_werror" = yes], [DFT_CFLAGS="$DFT_CFLAGS -Werror"])
  CFLAGS=$CFLAGS$dft_errors
])

AC_DEFUN([AX_DFT_SANITIZER], [
  AC_ARG_ENABLE([sanitizer],
    [AS_HELP_STRING([--enable-sanitizer=KIND],
      [address, undefined, thread, or a comma list (address,undefined)])],
    [dft_sanitizer=$enableval], [dft_sanitizer=no])
  AS_IF([test "$dft_sanitizer" = yes], [dft_sanitizer=address])
  AS_IF([test "$dft_sanitizer" != no], [
    DFT_CFLAGS="$DFT_CFLAGS -fsanitize=$dft_sanitizer -fno-omit-frame-pointer -fno-sanitize-recover=all"
    DFT_LDFLAGS="-fsanitize=$dft_sanitizer"
    AC_DEFINE([DFT_SANITIZER], [1], [built with a sanitizer])])
  AC_SUBST([DFT_LDFLAGS])
  AM_CONDITIONAL([SANITIZER], [test "$dft_sanitizer" != no])
])
