/* SPDX-License-Identifier: MIT
 *
 * spank_api.h - Slurm's headers, with symbols it must find kept visible
 */
#ifndef DFT_SPANK_API_H
#define DFT_SPANK_API_H

#pragma GCC visibility push(default)
#include <slurm/slurm.h>
#include <slurm/spank.h>
#pragma GCC visibility pop

#endif
