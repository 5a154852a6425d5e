# SPDX-License-Identifier: MIT

noinst_PROGRAMS += \
	%D%/minigpt \
	%D%/mkcorpus
%C%_minigpt_SOURCES = \
	%D%/minigpt.c \
	%D%/minigpt.h
%C%_mkcorpus_SOURCES = \
	%D%/minigpt.h \
	%D%/mkcorpus.c
%C%_mkcorpus_LDADD = -lm

shell_tests += \
	tests/study/t4000-minigpt.t \
	tests/study/t4100-study.t
