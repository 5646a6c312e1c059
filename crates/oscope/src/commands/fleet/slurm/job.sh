#!/bin/sh
set -eu
shared=@SHARED@
program=@PROGRAM@
if [ -z "$program" ]; then
    program=@COPY@-$SLURM_JOB_ID
    trap '@ON_EACH_NODE@rm -f "$program"' EXIT
    sbcast --force "$shared/.oscope" "$program"
fi
