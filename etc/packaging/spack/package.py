# SPDX-License-Identifier: MIT
"""Recipe of Spack: put the directory spack/ as packages/dftrace into a repository
of your own (`spack repo create`), and `spack install dftrace`."""

from spack.package import *


class Dftrace(AutotoolsPackage):
    """Trace the I/O and the steps of Slurm jobs, by a preloaded library."""

    license("MIT")
    # the tarball of `make dist`, beside this file
    version("0.1.0", url="file://%s/dftrace-0.1.0.tar.xz" % __file__.rsplit("/", 1)[0])

    variant("slurm", default=True, description="the SPANK plugin, for one release of Slurm")
    variant("kernel", default=False, description="layer kernel (eBPF)")
    variant("otf2", default=False, description="export to archives of OTF2")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("zlib-api")
    depends_on("libyaml")
    depends_on("sqlite")
    depends_on("python@3.10:")
    depends_on("slurm", when="+slurm")
    depends_on("libbpf", when="+kernel")
    depends_on("otf2", when="+otf2")

    def configure_args(self):
        spec = self.spec
        args = ["--with-python=" + spec["python"].command.path]
        if "+slurm" in spec:
            args += ["--with-slurm=" + spec["slurm"].prefix, "--enable-spank=required",
                     "--with-slurm-plugindir=" + self.prefix.lib.slurm]
        else:
            args += ["--without-slurm"]
        args += ["--with-otf2" if "+otf2" in spec else "--without-otf2"]
        args += self.enable_or_disable("kernel")
        return args
