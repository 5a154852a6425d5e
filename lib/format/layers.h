/* SPDX-License-Identifier: MIT
 *
 * layers.h - "posix,app" <-> set of layers
 */
#ifndef DFT_CORE_LAYERS_H
#define DFT_CORE_LAYERS_H


#include "lib/base/text.h"

enum layer_index {
#define LAYER(NAME, WORD, HELP) LAYER_INDEX_##NAME,
#include "lib/format/layers.def"
#undef LAYER
    LAYER_COUNT
};

enum layer {
    LAYER_NONE = 0,
#define LAYER(NAME, WORD, HELP) LAYER_##NAME = 1 << LAYER_INDEX_##NAME,
#include "lib/format/layers.def"
#undef LAYER
};

/* Layers above POSIX, each with its own preloaded library (enum preload); their
 * calls enclose calls of other layers. */
enum { LAYERS_ABOVE = LAYER_MPIIO | LAYER_HDF5 | LAYER_NETCDF | LAYER_PNETCDF };

/* Parse a comma list into *layers. posix brings stdio unless nostdio is
 * there; off clears all others; batch is the default and leaves no trace in
 * the set. NULL, "" and "(null)" (what Slurm makes of a
 * missing argument) are errors. On error -1, *layers unchanged, and err names
 * the word and the known ones. No allocation.
 */
int layers_parse (const char *text, unsigned *layers, struct errtext *err);

/* Write the canonical comma list (at most size bytes with the NUL); returns
 * buf. LAYER_NONE and LAYER_OFF give "off". */
char *layers_format (unsigned layers, char *buf, size_t size);

/* Word and help of one layer, 0 <= index < LAYER_COUNT. */
const char *layer_word (enum layer_index index);
const char *layer_help (enum layer_index index);

#endif
