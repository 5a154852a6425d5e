# SPDX-License-Identifier: MIT
# preload - libdftrace_preload.so; its wrappers and exports are the rows of
# wraps.def

# The wrappers define what headers would inline, check or redirect. They have
# no buffers on the stack that could overflow, but a guard would be stored and
# compared in each.
preload_cflags = \
	$(AM_CFLAGS) \
	$(DFT_SECTIONS) \
	-fno-stack-protector \
	-D__NO_INLINE__ \
	-U_FORTIFY_SOURCE \
	-U_FILE_OFFSET_BITS

noinst_LTLIBRARIES += %D%/libpreload.la
%C%_libpreload_la_SOURCES = \
	%D%/aside.c \
	%D%/aside.h \
	%D%/ours.def \
	%D%/counted.c \
	%D%/counted.h \
	%D%/libcio.c \
	%D%/libcio.h \
	%D%/peers.c \
	%D%/peers.h \
	%D%/wrap/facts.h \
	%D%/wrap/facts_aio.c \
	%D%/wrap/facts_copy.c \
	%D%/wrap/facts_fd.c \
	%D%/wrap/facts_net.c \
	%D%/wrap/facts_new.c \
	%D%/wrap/facts_path.c \
	%D%/wrap/facts_ring.c \
	%D%/wrap/fsfacts.c \
	%D%/wrap/fsfacts.h \
	%D%/wrap/rawring.c \
	%D%/wrap/rawring.h \
	%D%/wrap/facts_stream.c \
	%D%/wrap/streams.c \
	%D%/wrap/streams.h \
	%D%/wrap/transfer.h \
	%D%/fdmap.c \
	%D%/fdmap.h \
	%D%/files.c \
	%D%/files.h \
	%D%/follow/arrival.c \
	%D%/follow/arrival.h \
	%D%/follow/outfit.c \
	%D%/follow/outfit.h \
	%D%/follow/locks.c \
	%D%/follow/locks.h \
	%D%/follow/spare.c \
	%D%/follow/told.c \
	%D%/follow/told.h \
	%D%/kernelsay.c \
	%D%/kernelsay.h \
	%D%/mmap/mmregistry.c \
	%D%/mmap/mmregistry.h \
	%D%/mmap/mm.c \
	%D%/mmap/mm.h \
	%D%/mmap/mmwalk.c \
	%D%/mmap/mmwalk.h \
	%D%/mmap/mmperf.c \
	%D%/mmap/mmperf.h \
	%D%/mmap/mmsampler.c \
	%D%/mmap/mmsampler.h \
	%D%/ownthread.c \
	%D%/ownthread.h \
	%D%/late.c \
	%D%/next.c \
	%D%/next.h \
	%D%/probe.c \
	%D%/probe.h \
	%D%/process.c \
	%D%/process.h \
	%D%/program.c \
	%D%/program.h \
	%D%/python.c \
	%D%/real.c \
	%D%/real.h \
	%D%/self.c \
	%D%/span.c \
	%D%/span.h \
	%D%/waits.c \
	%D%/waits.h \
	%D%/waitmaps.c \
	%D%/waitsample.c \
	%D%/waitsample.h \
	%D%/untraced.c \
	%D%/untraced.h
%C%_libpreload_la_CFLAGS = $(preload_cflags)

pkglib_LTLIBRARIES += %D%/libdftrace_preload.la
%C%_libdftrace_preload_la_SOURCES = \
	%D%/follow/departure.c \
	%D%/follow/departure.h \
	%D%/init.c \
	%D%/layerdoor.c \
	%D%/wrap/rawcalls.def \
	%D%/wrap/wrap.c \
	%D%/wrap/wrap.h \
	%D%/wrap/wrap_args.c \
	%D%/wrap/wrap_chars.c \
	%D%/wrap/wrap_exec.c \
	%D%/wrap/wrap_exec.h \
	%D%/wrap/wrap_libc.c \
	%D%/wrap/wrap_wait.c \
	%D%/wrap/wrap_shell.c \
	%D%/wrap/wrap_text.c \
	%D%/wrap/wrap_wide.c \
	%D%/wrap/wraps.def
%C%_libdftrace_preload_la_CFLAGS = $(preload_cflags)
%C%_libdftrace_preload_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-Wl,--version-script,%D%/preload.map \
	-Wl,-Bsymbolic-functions \
	-Wl,-T,$(srcdir)/%D%/sections.ld \
	-Wl,--gc-sections \
	-XCClinker -nostartfiles \
	-Wl,-z,noseparate-code \
	-Wl,-z,now
%C%_libdftrace_preload_la_LIBADD = \
	preload/app/libapp.la \
	%D%/libpreload.la \
	preload/record/librecord.la lib/libcore.la
EXTRA_%C%_libdftrace_preload_la_DEPENDENCIES = \
	%D%/preload.map \
	$(srcdir)/%D%/sections.ld
EXTRA_DIST += %D%/sections.ld

CLEANFILES += %D%/preload.map
%D%/preload.map: $(srcdir)/%D%/wrap/wraps.def
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
	echo '{ global:'; \
	$(SED) -n -e 'h;s/^[A-Z]\{1,\}2\{0,1\} ([^,]*, *\([A-Za-z_0-9]*\),.*/    \1;/p;g' \
		-e 's/^[A-Z]*2 ([^,]*,[^,]*, *\([A-Za-z_0-9]*\),.*/    \1;/p' \
		$(srcdir)/%D%/wrap/wraps.def; \
	echo '    dftrace_*;'; \
	echo '  local: *; };'; \
	} > $@.tmp && mv $@.tmp $@

# -- tests -------------------------------------------------------------
check_PROGRAMS += tests/tools/dump
tests_tools_dump_SOURCES = tests/tools/dump.c
tests_tools_dump_LDADD = preload/record/librecord.la lib/libcore.la
check_PROGRAMS += tests/victims/calls
tests_victims_calls_SOURCES = \
	tests/victims/calls.c \
	tests/victims/report.h \
	tests/victims/variants.h
tests_victims_calls_CFLAGS = $(preload_cflags)
check_PROGRAMS += tests/victims/morecalls
tests_victims_morecalls_SOURCES = \
	tests/victims/morecalls.c \
	tests/victims/morecalls.h \
	tests/victims/morecalls_streams.c \
	tests/victims/report.h \
	tests/victims/variants.h
tests_victims_morecalls_CFLAGS = $(preload_cflags) -Wno-deprecated-declarations
tests_victims_morecalls_LDADD = -ldl
check_PROGRAMS += tests/victims/harsh
tests_victims_harsh_SOURCES = tests/victims/harsh.c
tests_victims_harsh_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += tests/victims/memory
tests_victims_memory_SOURCES = tests/victims/memory.c
tests_victims_memory_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += tests/victims/staller
tests_victims_staller_SOURCES = tests/victims/staller.c
tests_victims_staller_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/preload/app/include
tests_victims_staller_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += tests/victims/mapper
tests_victims_mapper_SOURCES = tests/victims/mapper.c
tests_victims_mapper_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/preload/app/include
tests_victims_mapper_CFLAGS = $(AM_CFLAGS) -pthread
check_PROGRAMS += tests/victims/procs
tests_victims_procs_SOURCES = tests/victims/procs.c
tests_victims_procs_CFLAGS = $(AM_CFLAGS) -pthread

EXTRA_DIST += \
	%D%/wrap/reviewed.def \
	tests/mmap.sh \
	tests/preload.sh
shell_tests += \
	tests/capture/t1000-exports.t \
	tests/capture/t1010-calls.t \
	tests/capture/t1011-morecalls.t \
	tests/capture/t1020-strace.t \
	tests/capture/t1030-processes.t \
	tests/capture/t1040-programs.t \
	tests/capture/t1050-filter.t \
	tests/capture/t1060-harsh.t \
	tests/capture/t1061-memory.t \
	tests/capture/t1066-last-words.t \
	tests/capture/t1067-ends.t \
	tests/capture/t1069-pages.t \
	tests/capture/t1070-strangers.t \
	tests/capture/t1080-python.t \
	tests/capture/t1090-peers.t \
	tests/capture/untraced/t1095-libcs.t \
	tests/capture/t1200-symbols.t \
	tests/study/t4500-mmap.t \
	tests/study/t4501-mmap-stalls.t \
	tests/study/t4502-kernel-stalls.t \
	tests/study/t4510-mmap-harsh.t \
	tests/study/t4520-mmap-sweep.t \
	tests/capture/t1100-run.t \
	tests/layers/t1330-mounts.t
