# SPDX-License-Identifier: MIT
# spank - the plugin that Slurm loads; libc only, libslurm is its host

if SLURM
slurmplugin_LTLIBRARIES += %D%/dftrace.la
endif

# Of lib/core only what it needs: the recorder has no place in slurmstepd.
%C%_dftrace_la_SOURCES = \
	lib/core/errtext.c \
	lib/core/jobdir.c \
	lib/core/jobdir_json.c \
	lib/core/layers.c \
	lib/core/marker.c \
	lib/core/parse.c \
	lib/core/settings.c \
	%D%/dispatch.c \
	%D%/jobenv.c \
	%D%/jobenv.h \
	%D%/options.c \
	%D%/options.h \
	%D%/site.c \
	%D%/site.h \
	%D%/spank_api.h \
	%D%/submit_side.c \
	%D%/submit_side.h \
	%D%/task_side.c \
	%D%/task_side.h
%C%_dftrace_la_CPPFLAGS = \
	$(AM_CPPFLAGS) \
	$(SLURM_CPPFLAGS)
%C%_dftrace_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-avoid-version \
	-shared \
	-Wl,--version-script=$(srcdir)/%D%/spank.map
%C%_dftrace_la_DEPENDENCIES = %D%/spank.map
EXTRA_DIST += %D%/spank.map

dist_check_SCRIPTS += tests/slurm/cluster.sh
