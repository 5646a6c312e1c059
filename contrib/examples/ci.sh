#!/bin/sh
# In CI: fails (exit 1) when a system call, a process or a thread became slower than in the baseline by 3 % or more.
# usage: ci.sh BASELINE-RECORD
set -eu
baseline=$1
new=${NEW_RECORD:-new.oscope.jsonl}
oscope run syscall process.create thread.create --budget 2m --quiet --output "$new"
oscope compare "$baseline" "$new" --fail-if slower:3%
