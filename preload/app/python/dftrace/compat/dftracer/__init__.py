# SPDX-License-Identifier: MIT
"""DFTracer's package name, for programs that import it; it is dftrace.

A real pydftracer that is installed is found before this one, unless
DFTRACE_APP=native.
"""
