# Makefile: builds the one binary ./bully; everything else that a build makes is under build/.
CXX ?= g++
CXXFLAGS ?= -O2 -g
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
BUILD = build
all: bully
