/* What a file that no format recognised looks like, told to the one who gave it. */
#include "model/loader.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct sign {
	const char *bytes;       /* at the start of the file, blanks aside where it is text; letters of either case */
	size_t length;
	const char *what;        /* completes "this is ..." */
};

#define SIGN(bytes, what) { bytes, sizeof bytes - 1, what }

static const struct sign binary_signs[] = {
	SIGN("PK\x03\x04", "a zip archive (a spreadsheet, or saved weights); save a spreadsheet as CSV"),
	SIGN("\x1F\x8B", "compressed (gzip); unpack it"),
	SIGN("%PDF", "a PDF document"),
	SIGN("\x89PNG", "a picture"),
	SIGN("\x7F" "ELF", "a program"),
	SIGN("\x89HDF", "an HDF5 file of weights"),
	SIGN("\x80\x02", "a pickle of weights"),
	SIGN("\xFF\xFE", "UTF-16 text; save it as UTF-8"),
	SIGN("\xFE\xFF", "UTF-16 text; save it as UTF-8"),
};

static const struct sign text_signs[] = {
	SIGN("<!doctype html", "a web page; was the download link a page about the file?"),
	SIGN("<html", "a web page; was the download link a page about the file?"),
	SIGN("<", "XML or HTML"),
	SIGN("version https://git-lfs", "a Git LFS pointer; fetch the real file with git lfs pull"),
	SIGN("{", "JSON"),
	SIGN("[", "JSON, or an INI file"),
	SIGN("---", "YAML"),
	SIGN("network ", "a MAESTRO network"),
	SIGN("node", "text that begins as a PipeDream graph does, but its first line is none of \"node1 -- MODULE -- forward_compute_time=...\""),
	SIGN("data", "an ASTRA-sim workload"),
	SIGN("model", "an ASTRA-sim workload"),
	SIGN("hybrid", "an ASTRA-sim workload"),
	SIGN("micro", "an ASTRA-sim workload"),
	SIGN("====", "a printed model summary"),
	SIGN("import ", "a Python program"),
	SIGN("from ", "a Python program"),
	SIGN("#!", "a script"),
};

static const char *find_sign(const struct sign *signs, size_t count, const char *bytes, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (length >= signs[i].length && strncasecmp(bytes, signs[i].bytes, signs[i].length) == 0)
			return signs[i].what;
	return NULL;
}

/* ONNX: a protobuf whose first field is ir_version (tag 0x08, a small number), the next producer_name or the graph. */
static bool looks_like_onnx(const char *bytes, size_t length)
{
	return length > 4 && bytes[0] == 0x08 && bytes[1] > 0 && bytes[1] < 0x20 && (bytes[2] == 0x12 || bytes[2] == 0x3A || bytes[2] == 0x1A || bytes[2] == 0x42);
}

/* Text holds no control bytes except blanks and line ends.  4 KiB tell. */
static bool looks_binary(const char *bytes, size_t length)
{
	for (size_t i = 0; i < length && i < 4096; i++)
		if ((unsigned char)bytes[i] < 0x20 && strchr("\t\n\r\f\x1b", bytes[i]) == NULL)
			return true;
		else if (bytes[i] == '\0')
			return true;
	return false;
}

static bool has_word(const char *bytes, size_t length, const char *word)
{
	for (size_t i = 0; i + strlen(word) <= length; i++)
		if (bytes[i] == *word && memcmp(bytes + i, word, strlen(word)) == 0)
			return true;
	return false;
}

static const char *describe_table(const struct source *s)
{
	bool name = false, kind = false;
	size_t sizes = 0;

	for (size_t i = 0; i < s->header_count; i++) {
		name = name || cell_is(&s->header[i], "name");
		kind = kind || cell_is(&s->header[i], "kind") || cell_is(&s->header[i], "type");
		sizes += cell_is(&s->header[i], "in_ch") || cell_is(&s->header[i], "out_ch") || cell_is(&s->header[i], "in_h") || cell_is(&s->header[i], "kernel");
	}
	if (kind || (name && sizes > 0) || sizes > 1)
		return name ? "a layer table without the column kind; add it to the header" : "a layer table without the column name; add it to the header";
	if (s->header_count == 1 && cell_has(&s->header[0], ";"))
		return "a table whose cells are parted by semicolons; export it with commas";
	if (s->header_count > 2)
		return "a table, but not one of layers: its header is none of those below";
	return NULL;
}

static const char *describe(const struct source *s)
{
	const char *bytes = s->bytes, *what;
	size_t length = s->length;

	if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
		bytes += 3;
		length -= 3;
	}
	while (length > 0 && isspace((unsigned char)*bytes)) {
		bytes++;
		length--;
	}
	if (length == 0)
		return s->length == 0 ? "an empty file" : "a file of blanks only";
	if (looks_like_onnx(bytes, length))
		return "an ONNX model, which is not read yet";
	what = find_sign(binary_signs, sizeof binary_signs / sizeof *binary_signs, bytes, length);
	if (what != NULL)
		return what;
	if (looks_binary(bytes, length))
		return "a binary file";
	if (*bytes == '{' && has_word(bytes, length, "\"optimalLatencyFw\""))
		return "a layer graph of Phaze, which has times but no layers to choose for; `whypar stages` splits it";
	what = find_sign(text_signs, sizeof text_signs / sizeof *text_signs, bytes, length);
	if (what == NULL)
		what = describe_table(s);
	return what != NULL ? what : "text of an unknown form";
}

enum status content_refuse(const struct source *s, struct diagnostic *d)
{
	diagnostic_fail(d, STATUS_INPUT, "this is %s.  whypar reads its own layer CSV (header name,kind,inputs,...), SCALE-Sim topologies "
		"(Layer name, IFMAP Height, ... or Layer, M, N, K), ConfuciuX tables (K,C,Y,X,R,S,T), AccPar text (num_layers N), ASTRA-sim workloads, "
		"Hugging Face configs (\"model_type\"), and layer graphs of PipeDream and Piper; see whypar-formats(5)", describe(s));
	diagnostic_place(d, s->path, s->header_line > 0 ? s->header_line : 1, 0);
	return STATUS_INPUT;
}
