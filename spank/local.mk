# SPDX-License-Identifier: MIT

dist_check_SCRIPTS += tests/slurm/cluster.sh
