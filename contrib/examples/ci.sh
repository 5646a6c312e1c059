#!/bin/sh
# In CI: fails (exit 1) when a system call, a process or a thread is shown to be slower than in the baseline by 3 % or more
# (the whole interval of the change is beyond 3 %), or when a point that the baseline has was not measured. The baseline is a
# record of the same selection.
# usage: ci.sh BASELINE-RECORD
set -eu
baseline=$1
new=${NEW_RECORD:-new.oscope.jsonl}
oscope run syscall process.create thread.create --rounds 60 --budget 2m --quiet --output "$new"
oscope compare "$baseline" "$new" --fail-if slower:3% --fail-if lost
