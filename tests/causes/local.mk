# SPDX-License-Identifier: MIT
# tests/causes - jobs with one planted cause each, and what is told of them

check_PROGRAMS += %D%/plant
%C%_plant_SOURCES = \
	%D%/plant.c \
	%D%/plant.h \
	%D%/plantprocess.c \
	%D%/plantstorage.c \
	%D%/plantwait.c \
	%D%/plants.def
%C%_plant_CFLAGS = $(AM_CFLAGS) -pthread
check_LTLIBRARIES += %D%/slow.la
%C%_slow_la_SOURCES = %D%/slow.c
%C%_slow_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /none
%C%_slow_la_LIBADD = -ldl
EXTRA_DIST += \
	%D%/causes.table \
	%D%/ddp.py \
	%D%/judge.py \
	%D%/plant.py \
	%D%/plant.sh \
	%D%/real.sh \
	%D%/saved.py

## check-causes: jobs with a planted cause each: is it named? CAUSES= some of them
.PHONY: check-causes
check-causes: all %D%/plant %D%/slow.la
	python3 $(srcdir)/%D%/judge.py $(abs_top_builddir)/dftrace \
		$(abs_top_builddir)/%D%/plant $(abs_top_builddir)/%D%/.libs/slow.so $(CAUSES)
	$(if $(CAUSES),,python3 $(srcdir)/tests/whatif/judge.py --rounds 4 --steps 30 \
		$(abs_top_builddir)/dftrace $(abs_top_builddir)/%D%/.libs/slow.so path worker sync)

# minutes; not as root for pgbench
## check-saved: jobs with their cause and without it: what was told, what was saved
.PHONY: check-saved
check-saved: all %D%/plant %D%/slow.la
	python3 $(srcdir)/%D%/saved.py $(abs_top_builddir)/dftrace \
		$(abs_top_builddir)/%D%/plant $(abs_top_builddir)/%D%/.libs/slow.so \
		--torch "$(or $(TORCH),python3)" $(CASES)

shell_tests += %D%/t2500-causes.t
