# SPDX-License-Identifier: MIT
# kernel - dftrace-kernel: the recorder of layer kernel, and its eBPF programs

if KERNEL
pkglibexec_PROGRAMS += dftrace-kernel
dftrace_kernel_SOURCES = \
	%D%/abi.h \
	%D%/blocks.c \
	%D%/calls.c \
	%D%/calls.h \
	%D%/chunk.c \
	%D%/chunk.h \
	%D%/load.c \
	%D%/load.h \
	%D%/main.c \
	%D%/procs.c \
	%D%/procs.h \
	%D%/syscalls.def
dftrace_kernel_CPPFLAGS = $(AM_CPPFLAGS) $(BPF_CFLAGS)
dftrace_kernel_LDFLAGS = $(AM_LDFLAGS) -Wl,--gc-sections
dftrace_kernel_LDADD = lib/util/liboldlibc.la preload/record/librecord.la lib/libcore.la $(BPF_LIBS)
kernel_bpf_sources = \
	$(srcdir)/%D%/bpf/record.bpf.c \
	$(srcdir)/%D%/bpf/block.bpf.h \
	$(srcdir)/%D%/bpf/cache.bpf.h \
	$(srcdir)/%D%/bpf/fault.bpf.h \
	$(srcdir)/%D%/bpf/file.bpf.h \
	$(srcdir)/%D%/bpf/inode.bpf.h \
	$(srcdir)/%D%/bpf/ring.bpf.h \
	$(srcdir)/%D%/bpf/task.bpf.h \
	$(srcdir)/%D%/bpf/types.bpf.h \
	$(srcdir)/%D%/bpf/vector.bpf.h \
	$(srcdir)/%D%/abi.h \
	$(srcdir)/lib/base/kernelmark.h
%D%/dftrace_kernel-load.$(OBJEXT): %D%/record.skel.h
BUILT_SOURCES += %D%/record.skel.h
CLEANFILES += %D%/record.skel.h %D%/record.bpf.o

%D%/record.bpf.o: $(kernel_bpf_sources)
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(BPF_CLANG) -O2 -g -Wall -Wextra -Wno-unused-parameter \
		-target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPF_ARCH) \
		-I$(srcdir) $(BPF_SYSTEM) $(BPF_CFLAGS) \
		-c $(srcdir)/%D%/bpf/record.bpf.c -o $@
%D%/record.skel.h: %D%/record.bpf.o
	$(AM_V_GEN)$(BPFTOOL) gen skeleton %D%/record.bpf.o name record_bpf \
		>$@.tmp && mv $@.tmp $@
endif

EXTRA_DIST += \
	%D%/bpf/block.bpf.h \
	%D%/bpf/cache.bpf.h \
	%D%/bpf/fault.bpf.h \
	%D%/bpf/file.bpf.h \
	%D%/bpf/inode.bpf.h \
	%D%/bpf/record.bpf.c \
	%D%/bpf/ring.bpf.h \
	%D%/bpf/task.bpf.h \
	%D%/bpf/types.bpf.h \
	%D%/bpf/vector.bpf.h
