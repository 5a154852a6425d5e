# SPDX-License-Identifier: MIT

EXTRA_DIST += %D%/trace-format.md
