# SPDX-License-Identifier: MIT

EXTRA_DIST += %D%/trace-format.md

# Manual pages, from the tables that --help is made from. dftrace-sweep.1 is
# written by hand.
verb_pages = \
	%D%/dftrace-analyze.1 \
	%D%/dftrace-export.1 \
	%D%/dftrace-merge.1 \
	%D%/dftrace-report.1 \
	%D%/dftrace-run.1 \
	%D%/dftrace-stat.1
man_MANS = \
	%D%/dftrace.1 \
	$(verb_pages)
CLEANFILES += $(man_MANS)

%D%/dftrace.1: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help man >$@.tmp && mv $@.tmp $@
$(verb_pages): dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && verb=`basename $@ .1 | sed s/dftrace-//` && \
	./dftrace$(EXEEXT) $$verb --help-man >$@.tmp && mv $@.tmp $@

EXTRA_DIST += \
	%D%/ARCHITECTURE.md \
	%D%/app.md \
	%D%/admin.md \
	%D%/preload.md

EXTRA_DIST += \
	%D%/img/job.png \
	%D%/img/sweep.png
