# SPDX-License-Identifier: MIT
# app - steps of the application; part of the preload library

dftraceincludedir = $(includedir)/dftrace
dftraceinclude_HEADERS = %D%/include/dftrace/dftrace.h

noinst_LTLIBRARIES += %D%/libapp.la
%C%_libapp_la_SOURCES = %D%/region.c
