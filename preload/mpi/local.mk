# SPDX-License-Identifier: MIT
# mpi - libdftrace_mpi.so, the library of layer mpiio; it links no MPI, and lies
# beside the preload library, which is behind its back in LD_PRELOAD

pkglib_LTLIBRARIES += preload/libdftrace_mpi.la
preload_libdftrace_mpi_la_SOURCES = \
	%D%/mpicall.c \
	%D%/mpicall.h \
	%D%/mpicalls.def \
	%D%/mpireal.c \
	%D%/mpireal.h \
	%D%/mpiwrap.c
preload_libdftrace_mpi_la_CFLAGS = \
	$(AM_CFLAGS) \
	$(DFT_SECTIONS) \
	-fvisibility=hidden \
	-fno-stack-protector \
	-U_FORTIFY_SOURCE
preload_libdftrace_mpi_la_LDFLAGS = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-Wl,--version-script,$(srcdir)/%D%/mpi.map \
	-Wl,-Bsymbolic-functions \
	-Wl,--gc-sections
preload_libdftrace_mpi_la_LIBADD = lib/libcore.la
EXTRA_preload_libdftrace_mpi_la_DEPENDENCIES = $(srcdir)/%D%/mpi.map
EXTRA_DIST += %D%/mpi.map

# -- tests: a stub of each family, and a program for each ------------------
check_LTLIBRARIES += tests/victims/mpi/libstubompi.la tests/victims/mpi/libstubmpich.la
mpi_stub_sources = \
	tests/victims/mpi/mpistub.c \
	tests/victims/mpi/mpistub.h \
	tests/victims/mpi/mpistub_files.c \
	tests/victims/mpi/mpistub_waits.c \
	tests/victims/mpi/mpistubs.h
mpi_stub_ldflags = $(AM_LDFLAGS) -shared -avoid-version -rpath /nowhere
tests_victims_mpi_libstubompi_la_SOURCES = $(mpi_stub_sources)
tests_victims_mpi_libstubompi_la_CFLAGS = \
	$(AM_CFLAGS) -fvisibility=default -Wno-missing-prototypes
tests_victims_mpi_libstubompi_la_LDFLAGS = $(mpi_stub_ldflags)
tests_victims_mpi_libstubmpich_la_SOURCES = $(mpi_stub_sources)
tests_victims_mpi_libstubmpich_la_CFLAGS = \
	$(AM_CFLAGS) -fvisibility=default -Wno-missing-prototypes -DMPISTUB_MPICH
tests_victims_mpi_libstubmpich_la_LDFLAGS = $(mpi_stub_ldflags)
check_PROGRAMS += \
	tests/victims/mpi/mpicalls-ompi \
	tests/victims/mpi/mpicalls-mpich
tests_victims_mpi_mpicalls_ompi_SOURCES = \
	tests/victims/mpi/mpicalls.c tests/victims/mpi/mpistub.h
tests_victims_mpi_mpicalls_ompi_LDADD = tests/victims/mpi/libstubompi.la
tests_victims_mpi_mpicalls_ompi_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_victims_mpi_mpicalls_mpich_SOURCES = $(tests_victims_mpi_mpicalls_ompi_SOURCES)
tests_victims_mpi_mpicalls_mpich_CFLAGS = $(AM_CFLAGS) -DMPISTUB_MPICH
tests_victims_mpi_mpicalls_mpich_LDADD = tests/victims/mpi/libstubmpich.la
tests_victims_mpi_mpicalls_mpich_LDFLAGS = $(AM_LDFLAGS) -no-install

shell_tests += \
	tests/layers/t1320-mpiio.t \
	tests/layers/t1310-mpi.t \
	tests/layers/t1350-mpi-python.t \
	tests/layers/t1351-mpi-codes.t \
	tests/layers/t1352-mpi-strace.t
EXTRA_DIST += tests/mpi.sh tests/tools/straceagree.py
EXTRA_DIST += tests/victims/mpi/mpif.f90 tests/victims/mpi/mpilarge.c tests/victims/mpi/mpilate.c tests/victims/mpi/mpireal.c

## check-mpi: MPI-IO, HDF5, NetCDF on all real libraries that are installed;
##   IOR='PROGRAM…' H5BENCH=SOURCES MPI4PY=PYTHON: on these, too
.PHONY: check-mpi
check-mpi: all $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) $(PROVE) -v \
	    $(top_srcdir)/tests/layers/t1310-mpi.t \
	    $(top_srcdir)/tests/layers/t1330-hdf.t \
	    $(top_srcdir)/tests/layers/t1350-mpi-python.t \
	    $(top_srcdir)/tests/layers/t1351-mpi-codes.t \
	    $(top_srcdir)/tests/layers/t1352-mpi-strace.t
