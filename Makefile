# whypar.  `make deps run` sets all up and opens the explorer, `make deps check` sets all up and tests.
#
#   all run check bench asan fuzz lint coverage install uninstall dist deps clean
#   PREFIX, DESTDIR, CC, CFLAGS as usual; V=1 shows the commands; B=folder builds elsewhere.

PREFIX ?= /usr/local
B ?= build
VERSION := 0.1.0
CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion -Wno-sign-conversion -Wformat-security

curses_flags := $(shell $(PKG_CONFIG) --cflags ncursesw 2>/dev/null)
curses_libs := $(shell $(PKG_CONFIG) --libs ncursesw 2>/dev/null || echo -lncursesw -ltinfo)
lib_libs := -lcsv $(shell $(PKG_CONFIG) --libs libpcre2-8 jansson 2>/dev/null || echo -lpcre2-8 -ljansson) -lpthread -lm

flags = -std=c11 -D_POSIX_C_SOURCE=200809L $(WARNINGS) -Isrc -I. \
	-DWHYPAR_VERSION='"$(VERSION)"' -DWHYPAR_DATADIR='"$(PREFIX)/share/whypar"' -MMD -MP $(CPPFLAGS) $(CFLAGS) $(SANITIZE)
link = $(CFLAGS) $(SANITIZE) $(LDFLAGS)

lib_objects := $(patsubst %.c,$(B)/%.o,$(filter-out src/main.c,$(wildcard src/*/*.c)))
ui_objects := $(patsubst %.c,$(B)/%.o,$(wildcard ui/*.c))
main_objects := $(patsubst %.c,$(B)/%.o,$(wildcard src/main.c))
unit_tests := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
ui_tests := $(patsubst %.c,$(B)/%,$(wildcard tests/ui/test_*.c))

ifeq ($(V),1)
say =
else
say = @printf '  %-6s %s\n' $(1) $(2);
endif

all: $(B)/whypar

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(flags) -c -o $@ $<

$(B)/libwhypar.a: $(lib_objects)
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^

$(B)/whypar: $(main_objects) $(ui_objects) $(B)/libwhypar.a
	$(call say,LD,$@)$(CC) $(link) -o $@ $^ $(lib_libs) $(curses_libs)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/libwhypar.a
	$(call say,LD,$@)$(CC) $(link) -o $@ $^ $(lib_libs) -lcmocka

run: all
	$(B)/whypar vgg-a

check: all $(unit_tests) $(ui_tests)
	@B=$(B) sh tests/run.sh $(unit_tests) $(ui_tests)

deps:
	@sh tests/deps.sh

clean:
	rm -rf $(B)

.PHONY: all run check deps clean
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
