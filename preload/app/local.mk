# SPDX-License-Identifier: MIT
# app - steps of the application; part of the preload library

dftraceincludedir = $(includedir)/dftrace
dftraceinclude_HEADERS = %D%/include/dftrace/dftrace.h

noinst_LTLIBRARIES += %D%/libapp.la
%C%_libapp_la_SOURCES = \
	%D%/context.c \
	%D%/context.h \
	%D%/region.c

include %D%/python/local.mk

# -- tests -------------------------------------------------------------
check_PROGRAMS += tests/victims/steps
tests_victims_steps_SOURCES = tests/victims/steps.c
tests_victims_steps_CFLAGS = $(AM_CFLAGS) -pthread
EXTRA_DIST += \
	tests/victims/steps.cpp \
	tests/python.sh \
	tests/python/api.py \
	tests/python/arrays.py \
	tests/python/bill.py \
	tests/python/wall.py \
	tests/python/regions.py \
	tests/python/compiled.py \
	tests/python/damaged.py \
	tests/python/dftfn.py \
	tests/python/distributed.py \
	tests/python/frameworks.py \
	tests/python/inert.py \
	tests/python/loaders.py \
	tests/python/mod.py \
	tests/python/named.py \
	tests/python/net.py \
	tests/python/script.py \
	tests/python/standin/torch/__init__.py \
	tests/python/standin/torch/_tensor.py \
	tests/python/standin/torch/nn/__init__.py \
	tests/python/standin/torch/nn/modules/__init__.py \
	tests/python/standin/torch/nn/modules/module.py \
	tests/python/standin/torch/optim/__init__.py \
	tests/python/standin/torch/optim/optimizer.py \
	tests/python/standin/torch/serialization.py \
	tests/python/standin/torch/utils/__init__.py \
	tests/python/standin/torch/utils/data/__init__.py \
	tests/python/standin/torch/utils/data/_utils/__init__.py \
	tests/python/standin/torch/utils/data/_utils/fetch.py \
	tests/python/standin/torch/utils/data/_utils/worker.py \
	tests/python/standin/torch/utils/data/dataloader.py \
	tests/python/standin/torch/utils/data/dataset.py \
	tests/python/standins.py \
	tests/python/study.py \
	tests/python/torchtrain.py \
	tests/python/usesmod.py

shell_tests += \
	tests/app/t5000-steps.t \
	tests/app/t5100-python.t \
	tests/app/t5110-hook.t \
	tests/app/t5120-source.t \
	tests/app/t5200-points.t \
	tests/app/t5230-network.t \
	tests/app/t5210-pythons.t \
	tests/app/t5220-script.t \
	tests/app/t5300-torch.t \
	tests/app/t5310-arrays.t \
	tests/app/t5320-compile.t \
	tests/app/t5330-sets.t \
	tests/app/t5340-distributed.t \
	tests/app/t5350-frameworks.t \
	tests/app/t5360-loaders.t \
	tests/app/t5370-standins.t \
	tests/app/t5400-pydftracer.t
