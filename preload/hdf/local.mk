# SPDX-License-Identifier: MIT
# hdf - the libraries of layers hdf5, netcdf and pnetcdf, which link none of
# those; they lie beside the preload library, behind it in LD_PRELOAD

hdf_common = \
	%D%/hdf.c \
	%D%/hdf.h
hdf_cflags = \
	$(AM_CFLAGS) \
	$(DFT_SECTIONS) \
	-fvisibility=hidden \
	-fno-stack-protector \
	-U_FORTIFY_SOURCE
hdf_ldflags = \
	$(AM_LDFLAGS) \
	-module \
	-shared \
	-avoid-version \
	-Wl,-Bsymbolic-functions \
	-Wl,--gc-sections

pkglib_LTLIBRARIES += preload/libdftrace_hdf5.la
preload_libdftrace_hdf5_la_SOURCES = \
	$(hdf_common) \
	%D%/h5.c \
	%D%/h5asks.def \
	%D%/h5calls.def
preload_libdftrace_hdf5_la_CFLAGS = $(hdf_cflags)
preload_libdftrace_hdf5_la_LDFLAGS = \
	$(hdf_ldflags) \
	-Wl,--version-script,$(srcdir)/%D%/h5.map
preload_libdftrace_hdf5_la_LIBADD = lib/libcore.la
EXTRA_preload_libdftrace_hdf5_la_DEPENDENCIES = $(srcdir)/%D%/h5.map
EXTRA_DIST += %D%/h5.map

hdf_nc_sources = \
	$(hdf_common) \
	%D%/nc.c
pkglib_LTLIBRARIES += preload/libdftrace_netcdf.la
preload_libdftrace_netcdf_la_SOURCES = $(hdf_nc_sources) %D%/nccalls.def
preload_libdftrace_netcdf_la_CFLAGS = $(hdf_cflags)
preload_libdftrace_netcdf_la_LDFLAGS = \
	$(hdf_ldflags) \
	-Wl,--version-script,$(srcdir)/%D%/nc.map
preload_libdftrace_netcdf_la_LIBADD = lib/libcore.la
EXTRA_preload_libdftrace_netcdf_la_DEPENDENCIES = $(srcdir)/%D%/nc.map

pkglib_LTLIBRARIES += preload/libdftrace_pnetcdf.la
preload_libdftrace_pnetcdf_la_SOURCES = $(hdf_nc_sources) %D%/pnccalls.def
preload_libdftrace_pnetcdf_la_CFLAGS = $(hdf_cflags) -DNC_PNETCDF
preload_libdftrace_pnetcdf_la_LDFLAGS = \
	$(hdf_ldflags) \
	-Wl,--version-script,$(srcdir)/%D%/pnc.map
preload_libdftrace_pnetcdf_la_LIBADD = lib/libcore.la
EXTRA_preload_libdftrace_pnetcdf_la_DEPENDENCIES = $(srcdir)/%D%/pnc.map
EXTRA_DIST += %D%/nc.map %D%/pnc.map

# -- tests: programs that are built where the real libraries are -------------
shell_tests += \
	tests/layers/t1330-hdf.t \
	tests/layers/t1340-hdfstub.t
EXTRA_DIST += \
	tests/victims/hdf/h5real.c \
	tests/victims/hdf/ncparallel.c \
	tests/victims/hdf/ncreal.c \
	tests/victims/hdf/pncreal.c

# A stub of all three; one with the ids of HDF5 1.8; a second copy; modules that
# bring a copy each.
hdf_stub = \
	tests/victims/hdf/hdfstub.c \
	tests/victims/hdf/hdfstub.h \
	tests/victims/hdf/hdfstub_ask.c
hdf_stub_cflags = $(AM_CFLAGS) -fvisibility=default -Wno-missing-prototypes
hdf_stub_ldflags = $(AM_LDFLAGS) -shared -avoid-version -rpath /nowhere
check_LTLIBRARIES += \
	tests/victims/hdf/libstubhdf.la \
	tests/victims/hdf/libstubhdfnarrow.la \
	tests/victims/hdf/libstubhdfother.la \
	tests/victims/hdf/hdfmoduleone.la \
	tests/victims/hdf/hdfmoduleother.la
tests_victims_hdf_libstubhdf_la_SOURCES = $(hdf_stub)
tests_victims_hdf_libstubhdf_la_CFLAGS = $(hdf_stub_cflags)
tests_victims_hdf_libstubhdf_la_LDFLAGS = $(hdf_stub_ldflags)
tests_victims_hdf_libstubhdfnarrow_la_SOURCES = $(hdf_stub)
tests_victims_hdf_libstubhdfnarrow_la_CFLAGS = $(hdf_stub_cflags) -DHDFSTUB_NARROW
tests_victims_hdf_libstubhdfnarrow_la_LDFLAGS = $(hdf_stub_ldflags)
tests_victims_hdf_libstubhdfother_la_SOURCES = $(hdf_stub)
tests_victims_hdf_libstubhdfother_la_CFLAGS = $(hdf_stub_cflags) -DHDFSTUB_BASE=7000
tests_victims_hdf_libstubhdfother_la_LDFLAGS = $(hdf_stub_ldflags)
tests_victims_hdf_hdfmoduleone_la_SOURCES = tests/victims/hdf/hdfmodule.c
tests_victims_hdf_hdfmoduleone_la_CFLAGS = $(hdf_stub_cflags)
tests_victims_hdf_hdfmoduleone_la_LDFLAGS = $(hdf_stub_ldflags) -module
tests_victims_hdf_hdfmoduleone_la_LIBADD = tests/victims/hdf/libstubhdf.la
tests_victims_hdf_hdfmoduleother_la_SOURCES = tests/victims/hdf/hdfmodule.c
tests_victims_hdf_hdfmoduleother_la_CFLAGS = $(hdf_stub_cflags)
tests_victims_hdf_hdfmoduleother_la_LDFLAGS = $(hdf_stub_ldflags) -module
tests_victims_hdf_hdfmoduleother_la_LIBADD = tests/victims/hdf/libstubhdfother.la
check_PROGRAMS += \
	tests/victims/hdf/hdfcalls \
	tests/victims/hdf/hdfcallsnarrow \
	tests/victims/hdf/hdfmodules
tests_victims_hdf_hdfcalls_SOURCES = \
	tests/victims/hdf/hdfcalls.c tests/victims/hdf/hdfstub.h
tests_victims_hdf_hdfcalls_LDADD = tests/victims/hdf/libstubhdf.la
tests_victims_hdf_hdfcalls_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_victims_hdf_hdfcallsnarrow_SOURCES = $(tests_victims_hdf_hdfcalls_SOURCES)
tests_victims_hdf_hdfcallsnarrow_CFLAGS = $(AM_CFLAGS) -DHDFSTUB_NARROW
tests_victims_hdf_hdfcallsnarrow_LDADD = tests/victims/hdf/libstubhdfnarrow.la
tests_victims_hdf_hdfcallsnarrow_LDFLAGS = $(AM_LDFLAGS) -no-install
tests_victims_hdf_hdfmodules_SOURCES = tests/victims/hdf/hdfmodule.c
tests_victims_hdf_hdfmodules_CFLAGS = $(AM_CFLAGS) -DHDFMODULE_PROGRAM
tests_victims_hdf_hdfmodules_LDADD = -ldl
