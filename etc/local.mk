# SPDX-License-Identifier: MIT
# etc - what an admin puts into /etc/slurm

dist_pkgdata_SCRIPTS = %D%/epilog.d/90-dftrace

if SLURM
pkgdata_DATA = %D%/plugstack.dftrace.conf
endif
%D%/plugstack.dftrace.conf: %D%/plugstack.dftrace.conf.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	sed 's|@slurmplugindir[@]|$(slurmplugindir)|g' \
		$(srcdir)/%D%/plugstack.dftrace.conf.in >$@.tmp && mv $@.tmp $@
EXTRA_DIST += %D%/plugstack.dftrace.conf.in
CLEANFILES += %D%/plugstack.dftrace.conf

dist_pkgdata_DATA += %D%/examples/megatron-io.yaml

completiondir = $(datadir)/bash-completion/completions
EXTRA_DIST += %D%/completions.bash
install-data-local:
	$(MKDIR_P) $(DESTDIR)$(completiondir)
	$(INSTALL_DATA) $(srcdir)/%D%/completions.bash $(DESTDIR)$(completiondir)/dftrace
uninstall-local:
	rm -f $(DESTDIR)$(completiondir)/dftrace
