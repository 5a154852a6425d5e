/* SPDX-License-Identifier: MIT
 *
 * spank_api.h - Slurm's headers, with symbols it must find kept visible
 */
#pragma once

#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/spank.h>
#pragma GCC visibility pop
