/* The designs in what `mine --json` wrote, to begin another search with. */
#ifndef WHYPAR_STUDY_MINED_FILE_H
#define WHYPAR_STUDY_MINED_FILE_H

#include "mine/miner.h"

/* The designs of "topk", best first; of a race, of its first method.  name: of the file, for messages.  designs: room for MINE_TOP_MAX.  STATUS_INPUT with d
 * where it is no such JSON. */
enum status mined_read(const char *name, const char *bytes, size_t length, struct design *designs, int *count, struct diagnostic *d);

#endif
