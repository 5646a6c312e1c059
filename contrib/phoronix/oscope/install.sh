#!/bin/sh
# For the Phoronix Test Suite, which sets HOME to the directory of the installed test and reads the exit statuses there. The
# program must be in the PATH; nothing is downloaded.
command -v oscope > /dev/null || {
    echo "ERROR: install oscope, so that it is in the PATH"
    echo 2 > ~/install-exit-status
    exit
}
cat > ~/oscope-point << 'SCRIPT'
#!/bin/sh
# Measures the point that these words name.
record=~/point.oscope.jsonl
rm -f "$record"
oscope run "$*" --budget "${OSCOPE_BUDGET:-20s}" --quiet --output "$record" > /dev/null 2>> "$LOG_FILE" &&
    oscope report "$record" "$*" --format lkp >> "$LOG_FILE"
echo $? > ~/test-exit-status
SCRIPT
chmod +x ~/oscope-point
echo $? > ~/install-exit-status
