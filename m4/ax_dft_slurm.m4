dnl SPDX-License-Identifier: MIT
dnl ax_dft_slurm.m4 - slurm/spank.h -> conditional SLURM, $(slurmplugindir)
dnl
dnl The plugin needs the headers only; it never links libslurm, whose soname
dnl changes with every major release.

AC_DEFUN([AX_DFT_SLURM], [
  AC_ARG_WITH([slurm],
    [AS_HELP_STRING([--with-slurm=PREFIX],
      [build the SPANK plugin with PREFIX/include/slurm/spank.h;
       --without-slurm: do not build it])],
    [], [with_slurm=check])
  AC_ARG_WITH([slurm-plugindir],
    [AS_HELP_STRING([--with-slurm-plugindir=DIR],
      [where dftrace.so goes @<:@LIBDIR/slurm@:>@])],
    [slurmplugindir=$withval], [slurmplugindir='${libdir}/slurm'])
  AC_SUBST([slurmplugindir])
  AS_IF([test -z "$slurmplugindir"],
    [AC_MSG_ERROR([--with-slurm-plugindir: empty: name the directory that `scontrol show config` calls PluginDir])])
  AC_ARG_ENABLE([spank],
    [AS_HELP_STRING([--enable-spank=required],
      [fail where the SPANK plugin cannot be built, as packages should])],
    [], [enable_spank=auto])
  AS_CASE([$enable_spank],
    [no], [with_slurm=no],
    [yes|required], [AS_IF([test "$with_slurm" = check], [with_slurm=yes])])
  dft_slurm=no
  AS_IF([test "$with_slurm" != no], [
    save_CPPFLAGS=$CPPFLAGS
    AS_CASE([$with_slurm], [yes|check], [SLURM_CPPFLAGS=],
      [SLURM_CPPFLAGS="-I$with_slurm/include"
       dnl else those of another Slurm, in /usr/include, would be taken
       AS_IF([test ! -r "$with_slurm/include/slurm/spank.h"],
         [AC_MSG_ERROR([--with-slurm: $with_slurm/include/slurm/spank.h: not there: name the directory above include/slurm])])])
    CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
    AC_CHECK_HEADER([slurm/spank.h], [dft_slurm=yes])
    CPPFLAGS=$save_CPPFLAGS
    AS_IF([test "$dft_slurm" = no && test "$with_slurm" != check],
      [AC_MSG_ERROR([slurm/spank.h not found: install libslurm-dev (Debian), slurm-devel (RPM), or say --with-slurm=PREFIX or --without-slurm])])])
  AC_SUBST([SLURM_CPPFLAGS])
  AM_CONDITIONAL([SLURM], [test "$dft_slurm" = yes])
])
