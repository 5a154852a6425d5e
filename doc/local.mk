# SPDX-License-Identifier: MIT

EXTRA_DIST += %D%/mmap.md %D%/trace-format.md %D%/waits.md %D%/what-if.md

# Manual pages, from the tables that --help is made from. dftrace-sweep.1 is
# written by hand.
verb_pages = \
	%D%/dftrace-analyze.1 \
	%D%/dftrace-compare.1 \
	%D%/dftrace-doctor.1 \
	%D%/dftrace-export.1 \
	%D%/dftrace-merge.1 \
	%D%/dftrace-points.1 \
	%D%/dftrace-report.1 \
	%D%/dftrace-run.1 \
	%D%/dftrace-site.1 \
	%D%/dftrace-stat.1 \
	%D%/dftrace-top.1 \
	%D%/dftrace-what-if.1
man_MANS = \
	%D%/dftrace.1 \
	%D%/dftrace.conf.5 \
	%D%/dftrace-spank.8 \
	%D%/dftrace-trace.5 \
	$(verb_pages)
CLEANFILES += $(man_MANS)

%D%/dftrace.1: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help man >$@.tmp && mv $@.tmp $@
%D%/dftrace.conf.5: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help conf-man >$@.tmp && mv $@.tmp $@
%D%/dftrace-spank.8: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help spank-man >$@.tmp && mv $@.tmp $@
%D%/dftrace-trace.5: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help trace-man >$@.tmp && mv $@.tmp $@
$(verb_pages): dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && verb=`basename $@ .1 | sed s/dftrace-//` && \
	./dftrace$(EXEEXT) $$verb --help-man >$@.tmp && mv $@.tmp $@

# The schema of metrics.json, from the tables that write it.
schemadir = $(pkgdatadir)
schema_DATA = %D%/metrics.schema.json
CLEANFILES += %D%/metrics.schema.json
%D%/metrics.schema.json: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help schema >$@.tmp && mv $@.tmp $@

EXTRA_DIST += \
	%D%/ARCHITECTURE.md \
	%D%/GLOSSARY.md \
	%D%/app.md \
	%D%/ask.md \
	%D%/admin.md \
	%D%/kernel.md \
	%D%/findings.md \
	%D%/libraries.md \
	%D%/profile.md \
	%D%/start.md \
	%D%/analysis.md \
	%D%/peers.md \
	%D%/performance.md \
	%D%/study.md \
	%D%/preload.md

EXTRA_DIST += \
	%D%/img/job.png \
	%D%/img/sweep.png
