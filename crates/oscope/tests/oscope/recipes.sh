#!/bin/sh
# `oscope` as the recipes call it, with less to measure: another selection, few rounds, environments that change nothing,
# set-ups that do nothing. The program is $OSCOPE.
set -eu
command=$1
shift
selection=syscall.floor
place=0
# Each word goes from the head of the list to its end, or is replaced.
set -- "$@" END
while [ "$1" != END ]; do
    word=$1
    shift
    case $command:$word in
    run:--rounds | run:--budget | run:--profile | gate:--rounds | gate:--budget) shift ;;
    run:--versus) shift && place=$((place + 1)) && set -- "$@" --versus "e$place=env" ;;
    run:--operation) set -- "$@" "$word" "$1" && shift && selection= ;;
    run:--scale) set -- "$@" "$word" && selection=syscall.pipe.self ;;
    run:-o | run:--output | run:--predictions) set -- "$@" "$word" "$1" && shift ;;
    run:-*) set -- "$@" "$word" ;;
    run:*) ;;
    ab:--rounds) shift && set -- "$@" --rounds 2 ;;
    ab:--restore) shift && set -- "$@" --restore true ;;
    ab:--)
        while [ "$1" != END ]; do shift; done
        set -- "$@" -- true true $selection --rounds 6
        ;;
    gate:--) set -- "$@" --rounds 6 --budget 3s -- ;;
    history:file | explain:ID) set -- "$@" $selection ;;
    *) set -- "$@" "$word" ;;
    esac
done
shift
case $command in
run) set -- "$@" --rounds 6 $selection ;;
lmbench) set -- --budget 2s "$@" ;;
esac
exec "$OSCOPE" "$command" "$@"
