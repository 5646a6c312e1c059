#!/bin/sh
# Measures hosts over ssh; the record of each comes into one directory here. Again, it measures what is missing.
# Hosts may share a home directory: each has a directory of its own there, and each run a program of its own.
# OSCOPE_SSH replaces the command that reaches a host.
set -u
shared=@SHARED@
program=@PROGRAM@
ssh=${OSCOPE_SSH:-ssh -o BatchMode=yes -o ConnectTimeout=@CONNECT_TIMEOUT@ -o ServerAliveInterval=15 -o ServerAliveCountMax=8}
read -r run < /proc/sys/kernel/random/uuid || run=$$

mkdir -p "$shared/logs"

# What sh does on a host, whatever the login shell is there. No single quote may be in it.
put='mkdir -p "$1" && cat > "$2" && chmod 755 "$2" || { rm -f "$2"; exit 1; }'
start='program=$1; shift; trap "rm -f $program" EXIT; trap "exit 129" HUP INT TERM; "$program" "$@"'
fetch='cat "$1"'
remove='rm -f "$1"; rmdir "$2" 2>/dev/null || true'

# usage: there HOST SCRIPT WORDS
there() {
    $ssh "$1" "sh -c '$2' sh $3"
}

# usage: measure HOST FILE DIRECTORY WORDS
measure() {
    [ ! -e "$shared/$2" ] || return 0
    copy=./$3/program.$run
    {
        there "$1" "$put" "$3 $copy" < "$program" && there "$1" "$start" "$copy $4" < /dev/null
    } >> "$shared/logs/$2.log" 2>&1 || echo "$1: see $shared/logs/$2.log" >&2
    # A run that says that nothing could be measured has a record, too. It has its name when it is whole.
    if there "$1" "$fetch" "$3/$2" < /dev/null > "$shared/.$2.$$" 2>/dev/null && [ -s "$shared/.$2.$$" ]; then
        mv "$shared/.$2.$$" "$shared/$2"
        # What another run left partial stays, and its directory.
        there "$1" "$remove" "$3/$2 $3" < /dev/null
    else
        rm -f "$shared/.$2.$$"
    fi
}

@CALLS@
missing=0
for file in @FILES@; do
    [ -e "$shared/$file" ] || {
        echo "missing: $file" >&2
        missing=1
    }
done
exit "$missing"
