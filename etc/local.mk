# SPDX-License-Identifier: MIT
# etc - what an admin puts into /etc/slurm

dist_pkgdata_SCRIPTS = \
	%D%/before-removal \
	%D%/epilog.d/50-dftrace \
	%D%/epilogslurmctld-dftrace \
	%D%/taskprolog-dftrace

plugstackdir = $(pkgdatadir)/plugstack.conf.d
if SLURM
plugstack_DATA = %D%/plugstack.conf.d/dftrace.conf.example
endif
%D%/plugstack.conf.d/dftrace.conf.example: %D%/plugstack.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D%/plugstack.conf.d && \
	sed 's|@slurmplugindir[@]|$(slurmplugindir)|g' \
		$(srcdir)/%D%/plugstack.conf.in >$@.tmp && mv $@.tmp $@
EXTRA_DIST += %D%/plugstack.conf.in
CLEANFILES += %D%/plugstack.conf.d/dftrace.conf.example

# Every key of the site, commented out; from the tables of `dftrace help site`.
nodist_pkgdata_DATA = \
	%D%/dftrace.conf.example \
	%D%/modulefile
%D%/dftrace.conf.example: dftrace$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./dftrace$(EXEEXT) help conf >$@.tmp && mv $@.tmp $@
CLEANFILES += %D%/dftrace.conf.example

%D%/modulefile: %D%/modulefile.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	sed -e 's|@PACKAGE_VERSION[@]|$(PACKAGE_VERSION)|g' -e 's|@bindir[@]|$(bindir)|g' \
	    -e 's|@mandir[@]|$(mandir)|g' -e 's|@includedir[@]|$(includedir)|g' \
	    -e 's|@pkglibdir[@]|$(pkglibdir)|g' \
	    $(srcdir)/%D%/modulefile.in >$@.tmp && mv $@.tmp $@
EXTRA_DIST += %D%/modulefile.in
CLEANFILES += %D%/modulefile

dist_pkgdata_DATA += \
	%D%/examples/megatron-io.yaml \
	%D%/examples/mmap-direct.yaml \
	%D%/examples/mock-data.yaml \
	%D%/examples/nightly.yaml

# Causes before and after they were mended, of doc/findings.md: not installed.
EXTRA_DIST += \
	%D%/examples/fixes/fixes.py \
	%D%/examples/fixes/measure.sh

completiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
EXTRA_DIST += \
	%D%/completions.bash \
	%D%/completions.zsh
install-data-local:
	$(MKDIR_P) $(DESTDIR)$(completiondir) $(DESTDIR)$(zshcompletiondir)
	$(INSTALL_DATA) $(srcdir)/%D%/completions.bash $(DESTDIR)$(completiondir)/dftrace
	$(INSTALL_DATA) $(srcdir)/%D%/completions.zsh $(DESTDIR)$(zshcompletiondir)/_dftrace
uninstall-local:
	rm -f $(DESTDIR)$(completiondir)/dftrace $(DESTDIR)$(zshcompletiondir)/_dftrace

EXTRA_DIST += \
	etc/packaging/build \
	etc/packaging/debian/changelog \
	etc/packaging/debian/control \
	etc/packaging/debian/copyright \
	etc/packaging/debian/dftrace-slurm-plugin.install \
	etc/packaging/debian/dftrace-slurm-plugin.prerm \
	etc/packaging/debian/dftrace.install \
	etc/packaging/debian/dftrace.prerm \
	etc/packaging/debian/rules \
	etc/packaging/debian/source/format \
	etc/packaging/dftrace.spec \
	etc/packaging/easybuild/dftrace-0.1.0-GCCcore-13.2.0.eb \
	etc/packaging/spack/package.py
