# whypar.  `make deps run` sets all up and opens the explorer, `make deps check` sets all up and tests.
#
#   all mpi run programs check golden bench asan fuzz lint coverage man install uninstall dist deps clean
#   PREFIX, DESTDIR, CC, CFLAGS as usual; V=1 shows the commands; B=folder builds elsewhere.

PREFIX ?= /usr/local
B ?= build
VERSION := 0.1.0
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 60
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion -Wno-sign-conversion -Wformat-security

# libcsv has no .pc file; the others fall back to their plain names.
curses_flags := $(shell $(PKG_CONFIG) --cflags ncursesw 2>/dev/null | sed 's/-D_XOPEN_SOURCE=600//')
curses_libs := $(shell $(PKG_CONFIG) --libs ncursesw 2>/dev/null || echo -lncursesw -ltinfo)
# GLPK has no .pc file either, and is optional: the integer programs of src/schedule/ilp.c.
have_glpk := $(shell echo | $(CC) $(CPPFLAGS) -include glpk.h -E - >/dev/null 2>&1 && echo yes)
lib_libs := -lcsv $(shell $(PKG_CONFIG) --libs libpcre2-8 jansson 2>/dev/null || echo -lpcre2-8 -ljansson) $(if $(have_glpk),-lglpk) -lpthread -lm

flags = -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) -Isrc -I. $(curses_flags) \
	-DWHYPAR_VERSION='"$(VERSION)"' -DWHYPAR_DATADIR='"$(PREFIX)/share/whypar"' $(if $(have_glpk),-DWHYPAR_GLPK) -MMD -MP $(CPPFLAGS) $(CFLAGS) $(SANITIZE)
link = $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS)

objects = $(patsubst %.c,$(B)/%.o,$(1))
lib_objects := $(call objects,$(filter-out src/main.c,$(wildcard src/*/*.c)))
ui_objects := $(call objects,$(wildcard ui/*.c))
main_objects := $(call objects,$(filter-out src/mpi.c,$(wildcard src/*.c)))
ui_helpers := $(call objects,$(wildcard tests/ui/lib_*.c))
unit_tests := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
ui_tests := $(patsubst %.c,$(B)/%,$(wildcard tests/ui/test_*.c))
pages := $(patsubst man/%.in,$(B)/man/%,$(wildcard man/*.in))

ifeq ($(V),1)
say =
else
say = @printf '  %-6s %s\n' $(1) $(2);
endif

all: $(B)/whypar man

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(flags) -c -o $@ $<

# Loops over whole layers, vectorised; nobody looks at errno behind their square roots.
$(B)/src/mine/policy.o: flags += -O3 -fno-math-errno

# Compiled again when GLPK comes or goes.
glpk_mark := $(B)/glpk.$(or $(have_glpk),no)
$(B)/src/schedule/ilp.o: $(glpk_mark)

$(glpk_mark):
	@mkdir -p $(B) && rm -f $(B)/glpk.* && touch $@

$(B)/libwhypar.a: $(lib_objects)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

$(B)/whypar: $(main_objects) $(ui_objects) $(B)/libwhypar.a
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs) $(curses_libs)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libwhypar.a
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs) -lcmocka

$(B)/tests/ui/test_%: $(B)/tests/ui/test_%.o $(ui_helpers) $(ui_objects) $(B)/libwhypar.a
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs) $(curses_libs) -lcmocka -lvterm -lutil

$(B)/tests/cli/json: $(B)/tests/cli/json.o
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs)

$(B)/bench: $(B)/tests/bench/bench.o $(B)/tests/bench/measure.o $(B)/tests/bench/schedule.o $(B)/tests/bench/run.o $(B)/tests/bench/mine.o $(B)/libwhypar.a
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs)

# A sweep on a cluster, where there is MPI.
MPICC ?= mpicc

$(B)/src/mpi.o: src/mpi.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(MPICC) $(flags) -c -o $@ $<

$(B)/whypar-mpi: $(B)/src/mpi.o $(B)/src/cli.o $(B)/libwhypar.a
	$(call say,LD,$@)$(MPICC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(lib_libs)

# A make of its own, since `make deps` may bring MPI just before.
mpi_if_there: all
	@! command -v $(MPICC) >/dev/null 2>&1 || $(MAKE) --no-print-directory $(B)/whypar-mpi

mpi: mpi_if_there
	@command -v $(MPICC) >/dev/null 2>&1 || { echo "mpi: $(MPICC) is missing (Debian: libopenmpi-dev openmpi-bin)"; exit 1; }

# Man pages: @NAME@ lines of man/*.in are filled from the program's own tables.
$(B)/mkman: $(B)/man/mkman.o $(ui_objects) $(B)/libwhypar.a
	$(call say,LD,$@)$(link) -o $@ $^ $(lib_libs) $(curses_libs)

$(B)/man/%: man/%.in $(B)/mkman
	@mkdir -p $(@D)
	$(call say,MAN,$@)$(B)/mkman $< $(VERSION) >$@.tmp && mv $@.tmp $@

man: $(pages)

run: all
	$(B)/whypar vgg-a

programs: all $(unit_tests) $(ui_tests) $(B)/bench $(B)/tests/cli/json mpi_if_there

check: programs
	@B=$(B) WHYPAR=$(B)/whypar sh tests/run.sh $(unit_tests) $(ui_tests) tests/cli/run.sh tests/cli/mpi.sh tests/cli/readme.sh tests/lint.sh

# Screens that the tests compare against; look at the difference before committing it.
golden: all $(B)/tests/ui/test_golden
	WHYPAR_DATA=data WHYPAR_GOLDEN_WRITE=1 LC_ALL=C.UTF-8 $(B)/tests/ui/test_golden

$(B)/frames: $(B)/tests/bench/frames.o $(B)/tests/bench/measure.o $(B)/src/base/system.o
	$(call say,LD,$@)$(link) -o $@ $^ -lutil

# The largest model in data/ on the largest screen of the budgets.
bench: $(B)/bench $(B)/frames all
	WHYPAR_DATA=data $(B)/bench
	$(B)/frames $(B)/whypar bert-base

asan:
	$(MAKE) B=$(B)-asan SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined' CFLAGS='-O1 -g' check

# Each target a minute by default, corpora start from the project's own files; -j runs as many at once.
$(B)/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/libwhypar.a
	$(call say,FUZZ,$@)$(link) -fsanitize=fuzzer -o $@ $^ $(lib_libs)

fuzz-%: $(B)/fuzz_%
	@WHYPAR_DATA=data sh tests/fuzz/run.sh $< $(FUZZ_SECONDS)

fuzz:
	@if sh tests/fuzz/run.sh can $(FUZZ_CC); then $(MAKE) B=$(B)/fuzz CC=$(FUZZ_CC) CFLAGS='-O1 -g' SANITIZE='-fsanitize=fuzzer-no-link,address,undefined' \
		$(patsubst tests/fuzz/fuzz_%.c,fuzz-%,$(wildcard tests/fuzz/fuzz_*.c)); fi

lint:
	@sh tests/lint.sh

coverage:
	$(MAKE) B=$(B)-coverage SANITIZE=--coverage CFLAGS='-O0 -g' check
	@sh tests/coverage.sh $(B)-coverage

deps:
	@sh tests/deps.sh

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/whypar/models $(DESTDIR)$(PREFIX)/share/whypar/papers \
		$(DESTDIR)$(PREFIX)/share/whypar/sessions
	install -m 755 $(B)/whypar $(DESTDIR)$(PREFIX)/bin/whypar
	install -m 644 data/models/*.csv $(DESTDIR)$(PREFIX)/share/whypar/models
	install -m 644 data/papers/*.csv $(DESTDIR)$(PREFIX)/share/whypar/papers
	install -m 644 data/accelerators.csv data/networks.csv data/gpus.csv data/clusters.csv $(DESTDIR)$(PREFIX)/share/whypar
	install -m 644 data/sessions/*.why $(DESTDIR)$(PREFIX)/share/whypar/sessions
	for page in $(pages); do n=$${page##*.}; install -d $(DESTDIR)$(PREFIX)/share/man/man$$n && \
		install -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$$n || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/whypar
	rm -rf $(DESTDIR)$(PREFIX)/share/whypar
	for page in $(notdir $(pages)); do rm -f $(DESTDIR)$(PREFIX)/share/man/man$${page##*.}/$$page; done

# Reproducible: same files, names, owners and time whenever and wherever it is made.
dist:
	@mkdir -p $(B)
	git archive --format=tar --prefix=whypar-$(VERSION)/ HEAD | gzip -9n >$(B)/whypar-$(VERSION).tar.gz
	@echo $(B)/whypar-$(VERSION).tar.gz

clean:
	rm -rf $(B)

.PHONY: all programs mpi mpi_if_there man run check golden bench asan fuzz lint coverage deps install uninstall dist clean
.PRECIOUS: $(B)/%.o $(B)/fuzz_%
-include $(shell find $(B) -name '*.d' 2>/dev/null)
