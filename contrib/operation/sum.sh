#!/bin/sh
# Adding in a shell, as an operation of your own, with two points: oscope run --operation 'sh sum.sh'
echo "oscope-operation 1"
echo "name shell.sum"
echo "iteration one loop of the shell that adds"
echo "point by=1"
echo "point by=1000000"
echo "ready"
while read -r word rest; do
    case $word in
    point)
        by=${rest#by=}
        echo ok
        ;;
    run)
        i=0 sum=0
        while [ "$i" -lt "$rest" ]; do
            i=$((i + 1)) sum=$((sum + by))
        done
        # Every iteration was right, or none.
        if [ "$sum" = $((rest * by)) ]; then right=$rest; else right=0; fi
        echo "done $rest $right"
        ;;
    *) exit 2 ;;
    esac
done
