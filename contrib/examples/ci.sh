#!/bin/sh
# In CI: fails (exit 1) when a system call, a process or a thread is shown to be slower than in the baseline by 3 % or more
# (the whole interval of the change is beyond 3 %), or when a point that the baseline has was not measured. The baseline is two
# or more records of the same selection: what runs differ by is then measured on both sides.
# usage: ci.sh BASELINE-RECORD...
set -eu
if [ $# -lt 2 ]; then
    echo "ci.sh: name two or more records of the baseline: one run does not tell what runs differ by" >&2
    exit 2
fi
new=${NEW_RECORD:-new}
for run in 1 2; do
    oscope run syscall process.create thread.create --rounds 60 --budget 1m --quiet --output "$new$run.oscope.jsonl"
done
oscope compare "$@" --with "$new"1.oscope.jsonl "$new"2.oscope.jsonl --fail-if slower:3% --fail-if lost
