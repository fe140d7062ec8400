/* whypar-mpi: a sweep on a cluster.  `mpirun whypar-mpi sweep GRID.csv -o OUT.csv`, or srun under Slurm.
 *
 * Rank 0 hands out points and writes rows as they come in; the others evaluate.  The file is sweep.h's, so that it is the same for any number of ranks, and
 * a run that ended early goes on with the same command.  A lost rank ends the run: mpirun stops the others, and rank 0 says what is there. */
#include "cli.h"

#include "base/memory.h"
#include "study/sweep.h"

#include <locale.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_A_TIME = 16, TAG_ROWS = 1, TAG_POINTS = 2 };

/* ---- the ranks that evaluate ---- */

/* study: as all points begin. */
static void evaluate(struct study *study, const struct sweep_grid *grid)
{
	struct document base;
	struct text rows = { 0 };

	document_copy(&base, study_document(study));
	for (;;) {
		int64_t points[AT_A_TIME];
		MPI_Status status;
		int count;

		/* nothing at first: that asks for points too */
		MPI_Send(text_string(&rows), (int)rows.length, MPI_CHAR, 0, TAG_ROWS, MPI_COMM_WORLD);
		MPI_Recv(points, AT_A_TIME, MPI_INT64_T, 0, TAG_POINTS, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_INT64_T, &count);
		text_free(&rows);
		rows = (struct text){ 0 };
		if (count == 0)
			break;
		for (int i = 0; i < count; i++)
			sweep_evaluate(study, &base, grid, points[i], &rows);
	}
	text_free(&rows);
	document_free(&base);
}

/* ---- rank 0 ---- */

static const char *stopped_path;

/* mpirun ends the ranks that are left with SIGTERM. */
static void stop(int signal)
{
	const char *const words[] = { "whypar-mpi: stopped; what was finished is in ", stopped_path, ".part, and the same command goes on\n" };

	(void)signal;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (write(STDERR_FILENO, words[i], strlen(words[i])) < 0)
			break;
	_exit(STATUS_INTERRUPTED);
}

/* Each row begins with its point. */
static enum status take_rows(struct sweep_file *file, char *rows, struct diagnostic *d)
{
	enum status status = STATUS_OK;

	for (char *row = rows, *end; status == STATUS_OK && (end = strchr(row, '\n')) != NULL; row = end + 1) {
		char after = end[1];

		end[1] = '\0';
		status = sweep_file_add(file, strtoll(row, NULL, 10), row, d);
		end[1] = after;
	}
	return status;
}

static int next_points(const struct sweep_file *file, const struct sweep_grid *grid, int64_t *next, int64_t points[AT_A_TIME])
{
	int count = 0;

	for (; *next < grid->points && count < AT_A_TIME; ++*next)
		if (!sweep_file_has(file, *next))
			points[count++] = *next;
	return count;
}

static enum status hand_out(struct sweep_file *file, const struct sweep_grid *grid, int ranks, struct diagnostic *d)
{
	int64_t next = 0;
	enum status status = STATUS_OK;

	for (int busy = ranks - 1; busy > 0;) {
		int64_t points[AT_A_TIME];
		MPI_Status from;
		int length, count;
		char *rows;

		MPI_Probe(MPI_ANY_SOURCE, TAG_ROWS, MPI_COMM_WORLD, &from);
		MPI_Get_count(&from, MPI_CHAR, &length);
		rows = memory_alloc((size_t)length + 2, 1);
		MPI_Recv(rows, length, MPI_CHAR, from.MPI_SOURCE, TAG_ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (status == STATUS_OK)
			status = take_rows(file, rows, d);
		memory_free(rows);
		count = status == STATUS_OK ? next_points(file, grid, &next, points) : 0;
		busy -= count == 0;
		MPI_Send(points, count, MPI_INT64_T, from.MPI_SOURCE, TAG_POINTS, MPI_COMM_WORLD);
	}
	return status != STATUS_OK ? status : sweep_file_finish(file, d);
}

/* ---- all ranks ---- */

/* OK on all ranks, or on all the first failure, which rank 0 is the one to tell. */
static enum status agree(enum status status, int rank, int ranks, struct diagnostic *d)
{
	int mine = status == STATUS_OK ? ranks : rank, first, code = (int)status;

	MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (first == ranks)
		return STATUS_OK;
	if (rank == first && rank > 0) {
		char node[MPI_MAX_PROCESSOR_NAME], line[1024];
		int length;

		MPI_Get_processor_name(node, &length);
		diagnostic_format(d, line, sizeof line);
		diagnostic_fail(d, status, "rank %d on %.60s: %s", rank, node, line);
	}
	MPI_Bcast(&code, 1, MPI_INT, first, MPI_COMM_WORLD);
	MPI_Bcast(d, sizeof *d, MPI_BYTE, first, MPI_COMM_WORLD);
	return (enum status)code;
}

/* Each rank reads the grid and all files by itself, and they may differ from node to node. */
static enum status agree_on_grid(const struct sweep_grid *grid, int rank, int ranks, struct diagnostic *d)
{
	uint64_t mark = grid->mark;
	enum status status = STATUS_OK;

	MPI_Bcast(&mark, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (mark != grid->mark)
		status = diagnostic_fail(d, STATUS_INPUT, "its table, settings, models, other files or whypar are not those of rank 0; give every node the same");
	return agree(status, rank, ranks, d);
}

/* status: of what came before, which may have failed on some ranks only. */
static enum status sweep(struct invocation *in, enum status status, int rank, int ranks, struct diagnostic *d)
{
	struct study *study = study_new();
	struct sweep_grid grid = { .points = 0 };
	struct sweep_file *file = NULL;
	int begin;

	if (status == STATUS_OK)
		status = cli_edit_study(in, study, d);
	if (status == STATUS_OK)
		status = sweep_load(in->words[0], study_document(study), &grid, d);
	status = agree(status, rank, ranks, d);
	if (status == STATUS_OK)
		status = agree_on_grid(&grid, rank, ranks, d);
	if (rank == 0 && status == STATUS_OK)
		status = sweep_file_open(in->out, &grid, &file, d);
	begin = file != NULL && !sweep_file_finished(file);
	MPI_Bcast(&begin, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (begin && rank > 0)
		evaluate(study, &grid);
	if (begin && rank == 0) {
		stopped_path = in->out;
		signal(SIGTERM, stop);
		signal(SIGINT, stop);
		status = ranks > 1 ? hand_out(file, &grid, ranks, d) : sweep_run(&grid, cli_edit_study, in, 1, file, NULL, NULL, d);
	}
	if (file != NULL && status == STATUS_OK)
		status = sweep_file_outcome(file, d);
	sweep_file_close(file);
	sweep_grid_free(&grid);
	study_free(study);
	return status;
}

int main(int argc, char **argv)
{
	struct invocation in = { .study = NULL };
	struct diagnostic d = { .text = "" };
	enum option asked;
	enum status status;
	char line[1024];
	int rank, ranks;

	memory_keep();
	setlocale(LC_CTYPE, "");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (cli_asks(argc, argv, &asked)) {
		if (rank == 0)
			printf("whypar-mpi %s: mpirun -n RANKS whypar-mpi sweep GRID.csv -o OUT.csv [--set NAME=VALUE] ...; see whypar(1)\n", WHYPAR_VERSION);
		MPI_Finalize();
		return 0;
	}
	status = cli_parse(&in, argc, argv, &d);
	if (status == STATUS_OK && in.subcommand != SUBCOMMAND_run_sweep)
		status = diagnostic_fail(&d, STATUS_USAGE, "whypar-mpi has one subcommand: sweep GRID.csv -o OUT.csv");
	status = sweep(&in, status, rank, ranks, &d);
	/* a sweep that some points failed in is told, too */
	if (d.text[0] != '\0' && rank == 0) {
		diagnostic_format(&d, line, sizeof line);
		fprintf(stderr, "whypar-mpi: %s\n", line);
	}
	cli_free(&in);
	MPI_Finalize();
	return rank == 0 ? (int)status : 0;
}
