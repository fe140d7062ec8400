/* Modules as PyTorch prints them, "Conv2d(3, 64, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))", as rows of our own table. */
#ifndef WHYPAR_MODEL_MODULES_H
#define WHYPAR_MODEL_MODULES_H

#include "model/columns.h"

struct module {
	enum operator_kind kind; /* act where the word says nothing */
	struct declared row;     /* what of the columns it states */
	bool sized;              /* a conv, linear or embedding with all that its weights follow from */
	bool bias;               /* of these */
	double params;           /* theirs, biases included */
};

struct module module_of(const char *text);

#endif
