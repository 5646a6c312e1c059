//! The table of counterparts: published operations with parameters, and the operations and points that measure the same.
//!
//! What is not listed does not compare. Of the network: peaks over sizes, derived
//! values. Of files: second reads (R0, 6.1.3, seconds for a gigabyte), remote files whose size is not said, and most competitors (R0, 6.4.3),
//! of which a few tell enough.

/// A line for each: `published parameters = operation point` where the operation has the method of the reports, `?` where
/// a report does not say all of its method and it is probably this one, and `~` where it measures the same by another one, which stands in a `=` line where something measures by it. A report's name before it means that report only. The method
/// is what happens between which reads of the clock, and how often. The language (R0's network is Python), the scheduling class (R3
/// creates at the highest real-time priority, 3.5.1 and 3.6.1), the size and the statistic are no part of it: the card says what is
/// measured here.
pub(super) const TABLE: &str = "\
# CPUID, RDTSC, RDTSCP, CPUID: both CPUIDs are outside of the interval; of R4, 3, probably: it follows that paper.
R0 clock.read.rdtsc_rdtscp = clock.read.single fences=cpuid
R3 clock.read.rdtsc_rdtscp = clock.read.single fences=cpuid
R4 clock.read.rdtsc_rdtscp ? clock.read.single fences=cpuid
# The difference of two reads (R1, 3 Fig 2; R2, 3.1); whether they are fenced, as here, is not said. R2 reads another clock.
clock.read.rdtsc ? clock.read.single !fences *
clock.read.rdtsc ~ clock.read.rdtsc
clock.read.mach_absolute_time ~ clock.read.single !fences *
clock.read.mach_absolute_time ~ clock.read.monotonic
# How is not said (R3, 2.1); R4, 3.1, counts ticks over ten seconds, by which clock is not said.
R3 clock.frequency ? clock.frequency clock=counter *
R4 clock.frequency ? clock.frequency clock=counter interval=10s
clock.frequency ~ clock.frequency
# Whole loops between two clock reads, which R0, 3.2.2, subtracts before it divides.
R0 loop.iteration !scope ~ loop.iteration.unoptimised
# No option of the compiler is named (R1): probably unoptimised.
R1 loop.iteration ? loop.iteration.unoptimised
# R3, 3.2.1, subtracts the clock reads from whole loops; 3.2.2 fits a line to loops of 0 to 50 turns.
R3 loop.iteration !scope ~ loop.iteration.unoptimised
# R4, 4.1, has whole loops, probably between the clock reads of that paper.
loop.iteration n=1 scope=total ? loop.iteration.single fences=cpuid iterations=1
loop.iteration n=10 scope=total ? loop.iteration.single fences=cpuid iterations=10
loop.iteration n=100 scope=total ? loop.iteration.single fences=cpuid iterations=100
loop.iteration n=1000 scope=total ? loop.iteration.single fences=cpuid iterations=1000
loop.iteration n=10000 scope=total ? loop.iteration.single fences=cpuid iterations=10000
# Two clock reads in each iteration with nothing between them (R2, 3.2), by mach_absolute_time; here a loop is between them.
loop.iteration.clocked ~ loop.iteration.single !fences *
# Single calls, from which R0, 3.3, subtracts the clock reads; what becomes of negative differences, and whether it was optimised,
# is not said. R4, 4.2, gives the difference that arguments make; whether each call or a loop of them is timed is not said.
R0 call.procedure ? call.procedure.subtracted fences=cpuid *
R0 call.procedure ~ call.procedure
# Probably with the time of the loop (R1), probably single calls (R2), unoptimised (R3, 1) and with loop and clock reads
# subtracted (R3, 3.3.1). The clock of R2 is mach_absolute_time.
R1 call.procedure ~ call.procedure
R2 call.procedure arguments=0 ~ call.procedure.single !fences *
R2 call.procedure ~ call.procedure
R3 call.procedure ~ call.procedure
R4 call.procedure arguments=0..7 statistic=difference ? call.procedure.single fences=cpuid *
# Single calls between two reads of the clock, not batches (R0, 3.4; R3, 3.4.1; R2 and R4 probably). R0's library cached getpid,
# it says; R2's probably did, too. Whether R3's getcwd by int 0x80 failed, as here, is not said.
syscall.getpid.libc ~ syscall.getpid method=libc
syscall.getpid.raw ~ syscall.getpid method=raw
syscall.getpid.int80 ~ syscall.getpid method=int80
syscall.getppid.libc ~ syscall.getppid method=libc
syscall.getcwd.libc ~ syscall.getcwd method=libc
syscall.getcwd.raw ~ syscall.getcwd method=raw
syscall.getcwd.int80 ~ syscall.getcwd.int80
# To which file is not said (R1).
syscall.write ? syscall.write.dev_null
# Probably single calls by the library (R4, 4.3); here batches by the instruction.
syscall.nanosleep ~ syscall.nanosleep.zero
syscall.close ~ file.close access=read
syscall.open.read ~ file.open access=read
# 35 times as expensive as for reading (R4, 4.3): probably the file was created.
syscall.open.write ~ file.open access=create
# Whether the call or the end of the process is timed is not said (R4, 4.3).
syscall.kill ? process.end.kill
# Where R4, 4.3 and 4.4, ends is not said: probably when the parent goes on.
R0 process.create.fork.parent = process.create.fork.parent resident=0B
R4 process.create.fork.parent ? process.create.fork.parent resident=0B
process.create.fork.first = process.create.fork.either
# To create and to run (R1, 3): probably until the new one runs.
process.create.fork.run ? process.create.fork.run
# Where R2, 3.5, ends is not said: probably when wait or pthread_join returns. It mentions no pinning; here both are on one CPU.
process.create.fork.wait ? process.create.fork_wait resident=0B
R0 thread.create.pthread.parent = thread.create.pthread.parent
R4 thread.create.pthread.parent ? thread.create.pthread.parent
thread.create.pthread.first = thread.create.pthread.either
thread.create.pthread.run ? thread.create.pthread.run
thread.create.pthread.join ? thread.create.join
# R1, 3 Fig 7, fills a pipe; whether it subtracts the calls, how often it counts a switch, and on which CPUs is not said. R2, 3.6,
# mentions no pinning.
R1 switch.process.pipe ? switch.process.pipe_full
R1 switch.process.pipe ~ switch.process.pipe
R2 switch.process.pipe ? switch.process.unpinned
R2 switch.process.pipe ~ switch.process.pipe
# Whether the fork is in the interval is not said (R0, 3.6.1); here the child first binds itself to parent and CPU.
switch.process.wait ~ switch.process.fork_wait_timestamp
R2 switch.thread.pipe ? switch.thread.unpinned
R2 switch.thread.pipe ~ switch.thread.pipe
# R4, 4.5, includes the calls of the pipe, and perhaps the switch back.
R4 switch.thread.pipe !statistic ~ switch.thread.pipe
switch.thread.mutex = switch.thread.newborn
# R3, 3.6.1: the child reads from the pipe at once; here it first binds itself to parent and CPU.
switch.process.pipe_wait ~ switch.process.fork_pipe_timestamp
# Whether the child was just forked is not said (R4, 4.5).
switch.process.pipe_oneway ? switch.process.write_to_read
# The method for threads is similar to that for processes (R3, 3.6.1): probably the thread is new each time.
switch.thread.condvar ? switch.thread.condition.newborn
# Probably the error path (R1, 3 Fig 6).
switch.thread.semaphore ? switch.thread.failed_semaphore
# The stride of R3, 4.1.1, the branch of R0, 4.2.1, that gave the figures, and its element are not said.
memory.latency.chunk ? memory.latency.short_cycle
memory.latency.list ~ memory.latency
# Probably each access is timed (R4, 5.1).
memory.latency.list ? memory.latency.timed
# In which order is not said (R1).
memory.latency.array ? memory.latency.integers
# Each access timed by itself (R2, 4.1), not batches.
memory.latency.stride ~ memory.latency.stride
# A size, read off a plot of times. R0, 4.2.1, sets A[0] before the clock, so that short strides probably fault here alone.
memory.levels.line ~ memory.line_size.eight_accesses
memory.levels.line ~ memory.line_size
memory.levels.size ~ memory.levels
# Loops of R0, 4.3.1, over words of 16 bytes, and R4, 5.2, whose word is not said, are not optimised.
memory.bandwidth.read.loop !element = memory.bandwidth.read.unoptimised word=16B unrolled=1 *
memory.bandwidth.read.loop element=1B = memory.bandwidth.read.unoptimised word=1B unrolled=1 *
memory.bandwidth.read.loop ~ memory.bandwidth.read
R0 memory.bandwidth.read.unrolled = memory.bandwidth.read.unoptimised word=16B unrolled=8 *
R0 memory.bandwidth.read.unrolled ~ memory.bandwidth.read
# Unrolled, probably words of four bytes (R1).
R1 memory.bandwidth.read.unrolled ~ memory.bandwidth.read
# R2, 4.2, names no size, word, or option of the compiler; here it is optimised.
R2 memory.bandwidth.read.unrolled ~ memory.bandwidth.read
R4 memory.bandwidth.read.unrolled ? memory.bandwidth.read.unoptimised word=1B unrolled=8 *
R4 memory.bandwidth.read.unrolled ~ memory.bandwidth.read
# Neither the loop nor the size of the array is printed (R3, 4.2.1).
memory.bandwidth.read.stride ? memory.bandwidth.read.counted_lines last_cache=clean
memory.bandwidth.read.stride ~ memory.bandwidth.read
# Elements written by pointers (R1, 3), probably unoptimised words of four bytes.
memory.bandwidth.write ~ memory.bandwidth.write
memory.bandwidth.write.loop = memory.bandwidth.write.unoptimised word=16B unrolled=1 *
memory.bandwidth.write.loop ~ memory.bandwidth.write
R0 memory.bandwidth.write.unrolled = memory.bandwidth.write.unoptimised word=16B unrolled=8 *
R0 memory.bandwidth.write.unrolled ~ memory.bandwidth.write
R2 memory.bandwidth.write.unrolled ~ memory.bandwidth.write
memory.bandwidth.write.stride ? memory.bandwidth.write.counted_lines last_cache=dirty
memory.bandwidth.write.stride ~ memory.bandwidth.write
# The value is not said (R0, 4.3.1).
memory.bandwidth.write.memset ? memory.bandwidth.fill method=library bytes=128MiB cpus=1
memory.bandwidth.write.memset ~ memory.bandwidth.fill
# rep stosq of zeros (R0, 4.3.1): here rep stosb of a random byte.
memory.bandwidth.write.rep_stos ~ memory.bandwidth.fill method=string bytes=128MiB cpus=1
# One copy or a loop is not said (R4, 5.2).
memory.bandwidth.copy.bcopy ? memory.bandwidth.copy.small
memory.bandwidth.copy.bcopy ~ memory.bandwidth.copy
# R0 lets the kernel read ahead (4.4.4); whether its file of ftruncate (4.4.1) had blocks is not said. R1, 3 Fig 11, had perhaps
# minor faults only, it says, of 33 MB by strides of 1 MB.
R0 fault.file.major ? fault.file.readahead.stride
R0 fault.file.major ~ fault.file.major
R1 fault.file.major ? fault.file.major.cached
R1 fault.file.major ~ fault.file.major
# A stride with a random offset on page of up to 16 GB (R3, 4.3.1): probably a random page each time.
R3 fault.file.major ? fault.file.major access=random *
R3 fault.file.major ~ fault.file.major
# Whether the call is for each page, and is timed, is not said (R2, 4.3).
fault.file.dontneed ? fault.file.dontneed
# Whether the page was cached is not said: probably not, by its 1.3 ms.
fault.file.mmap ? mapping.file.one_page page_cache=cold
# R0 and R3 ran on one core (R0, 1, and R3, 2.1). Whether the 64 bytes of R0, 5.1.1, are payload, and how long its answer is, is not said.
round_trip.tcp bytes=64 peer=loopback ? network.round_trip.tcp path=loopback cpu=same bytes=64B
# R2, 5.1, mentions no pinning, so its loopback may be one CPU or two. 56 bytes are as many segments as 64.
round_trip.tcp bytes=56 peer=loopback ? network.round_trip.tcp path=loopback cpu=same bytes=56B
round_trip.tcp bytes=56 peer=loopback ? network.round_trip.tcp path=loopback cpu=other bytes=64B
round_trip.tcp bytes=64 peer=remote ? network.round_trip.tcp path=remote bytes=64B
round_trip.tcp bytes=56 peer=remote = network.round_trip.tcp path=remote bytes=56B
# By ping, which pauses between requests; here they follow each other. It sends 56 bytes unless asked; the 64 of R0, 5.1.1, are
# probably those with the header of ICMP.
R0 round_trip.icmp peer=loopback ~ network.round_trip.icmp path=loopback bytes=56B
R0 round_trip.icmp peer=remote ~ network.round_trip.icmp path=remote bytes=56B
R2 round_trip.icmp peer=loopback ~ network.round_trip.icmp path=loopback bytes=56B
R2 round_trip.icmp peer=remote ~ network.round_trip.icmp path=remote bytes=56B
# R3, 5.2.1: a byte each millisecond, acknowledged at once; when it and its acknowledgement passed is from tcpdump.
round_trip.tcp.acknowledgement peer=loopback = network.acknowledge.paced path=loopback cpu=same
round_trip.tcp.acknowledgement peer=loopback ~ network.acknowledge.packets path=loopback cpu=same segment=data
# R0, 5.2.1, starts the clock at the first data: probably all bytes count. A new connection for each transfer is probable, too.
bandwidth.tcp transfer=2KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=2KiB
bandwidth.tcp transfer=2KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=2KiB
bandwidth.tcp transfer=8KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=8KiB
bandwidth.tcp transfer=8KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=8KiB
bandwidth.tcp transfer=32KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=32KiB
bandwidth.tcp transfer=32KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=32KiB
bandwidth.tcp transfer=128KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=128KiB
bandwidth.tcp transfer=128KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=128KiB
bandwidth.tcp transfer=512KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=512KiB
bandwidth.tcp transfer=512KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=512KiB
bandwidth.tcp transfer=2048KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=2MiB
bandwidth.tcp transfer=2048KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=2MiB
bandwidth.tcp transfer=8192KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=8MiB
bandwidth.tcp transfer=8192KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=8MiB
bandwidth.tcp transfer=32768KB peer=loopback ? network.bandwidth.transfer.from_first_data path=loopback cpu=same bytes=32MiB
bandwidth.tcp transfer=32768KB peer=loopback ~ network.bandwidth.transfer path=loopback cpu=same bytes=32MiB
bandwidth.tcp transfer=2KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=2KiB
bandwidth.tcp transfer=2KB peer=remote ~ network.bandwidth.transfer path=remote bytes=2KiB
bandwidth.tcp transfer=8KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=8KiB
bandwidth.tcp transfer=8KB peer=remote ~ network.bandwidth.transfer path=remote bytes=8KiB
bandwidth.tcp transfer=32KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=32KiB
bandwidth.tcp transfer=32KB peer=remote ~ network.bandwidth.transfer path=remote bytes=32KiB
bandwidth.tcp transfer=128KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=128KiB
bandwidth.tcp transfer=128KB peer=remote ~ network.bandwidth.transfer path=remote bytes=128KiB
bandwidth.tcp transfer=512KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=512KiB
bandwidth.tcp transfer=512KB peer=remote ~ network.bandwidth.transfer path=remote bytes=512KiB
bandwidth.tcp transfer=2048KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=2MiB
bandwidth.tcp transfer=2048KB peer=remote ~ network.bandwidth.transfer path=remote bytes=2MiB
bandwidth.tcp transfer=8192KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=8MiB
bandwidth.tcp transfer=8192KB peer=remote ~ network.bandwidth.transfer path=remote bytes=8MiB
bandwidth.tcp transfer=32768KB peer=remote ? network.bandwidth.transfer.from_first_data path=remote bytes=32MiB
bandwidth.tcp transfer=32768KB peer=remote ~ network.bandwidth.transfer path=remote bytes=32MiB
# Where R2's clock ends, and on which CPUs it runs, is not said.
bandwidth.tcp block=1MB peer=loopback ? network.bandwidth.transfer path=loopback cpu=same bytes=1MiB
bandwidth.tcp block=1MB peer=remote !connection ? network.bandwidth.transfer path=remote bytes=1MiB
# The peer is not said (R2, 5.2): probably remote.
bandwidth.tcp connection=each_transfer ? network.bandwidth.transfer.new_connection path=remote bytes=1MiB
# The fastest second of 5 GB by acknowledged bytes (R3, 5.3.1); here of five seconds.
bandwidth.tcp transfer=5GB peer=loopback ~ network.bandwidth.tcp path=loopback cpu=same
bandwidth.tcp transfer=5GB peer=loopback = network.bandwidth.tcp.peak path=loopback cpu=same window=1s counted=acknowledged
bandwidth.tcp transfer=5GB peer=remote ~ network.bandwidth.tcp path=remote
bandwidth.tcp transfer=5GB peer=remote = network.bandwidth.tcp.peak path=remote window=1s counted=acknowledged
# From the first to the last of three packets; the connection carries 13 bytes here.
connection.setup.wire peer=loopback = network.acknowledge.handshake path=loopback cpu=same phase=setup
connection.setup.wire peer=remote = network.acknowledge.handshake path=remote phase=setup
connection.teardown.wire peer=loopback = network.acknowledge.handshake path=loopback cpu=same phase=teardown
connection.teardown.wire peer=remote = network.acknowledge.handshake path=remote phase=teardown
# Probably until the client was started by hand, seconds later; here it pauses 2 ms.
connection.accept peer=loopback ~ network.connection.accept.wait path=loopback cpu=same
connection.accept peer=remote ~ network.connection.accept.wait path=remote
connection.connect peer=loopback = network.connection.connect path=loopback cpu=same
connection.connect peer=remote = network.connection.connect path=remote
# Here after one byte each way; R0, 5.3.1, transfers none.
connection.close peer=loopback = network.connection.close path=loopback cpu=same
connection.close peer=remote = network.connection.close path=remote
# Which end closes first is not said.
connection.close.server peer=loopback ? network.connection.close.server path=loopback cpu=same
connection.close.server peer=remote ? network.connection.close.server path=remote
# From specifications (R2, 2).
file.write.disk ~ file.write.rate
file.read.disk ~ file.read.rate cache=cold
# hdparm reads the disk itself (R4, 2), here a file is read.
file.read.hdparm ~ file.read.rate cache=cold
# R0, 6.2.3, prints the time of a block of 4 KiB under the size of the file. It sets F_NOCACHE, which Linux lacks; at random, each
# block is sought and read, and all together are timed.
file.read.uncached file=64KB order=sequential = file.read.uncached access=sequential file_size=64KiB
file.read.uncached file=1MB order=sequential = file.read.uncached access=sequential file_size=1MiB
file.read.uncached file=16MB order=sequential = file.read.uncached access=sequential file_size=16MiB
file.read.uncached file=64MB order=random ~ file.read.uncached access=random file_size=64MiB
# R3, 6.2.2 and 6.3.2, has means over files, of 4 MB to 1 GB by 6.2.1: 64 MiB is the middle by ratio. It reads each to its end, or
# 1000 blocks at random; here at most 64 blocks, in sequence from a random one.
file.read.direct order=sequential ~ file.read.direct access=sequential file_size=64MiB
file.read.direct order=random ~ file.read.direct access=random file_size=64MiB
# Whole files of lines, after a purge (R2, 6.2). As many searches as lines, says 6.3, of remote files; 6.2 says the size of the file.
# Whether each of the 50 readings began with a purge, and whether the opening counts, is not said.
file.read.lines file=0.02KB order=sequential ? file.read.numbers page_cache=cold access=sequential file_size=20B
file.read.lines file=11.39KB order=sequential ? file.read.numbers page_cache=cold access=sequential file_size=11390B
file.read.lines file=0.02KB order=random ? file.read.numbers page_cache=cold access=random searches=lines file_size=20B
file.read.lines file=0.89KB order=random ? file.read.numbers page_cache=cold access=random searches=lines file_size=890B
# R2, 6.3, follows 6.2, which purges the client's cache; the server's is not mentioned.
file.remote.lines file=0.02KB order=sequential ? file.remote.read.numbers page_cache=cold access=sequential file_size=20B
file.remote.lines file=11.39KB order=sequential ? file.remote.read.numbers page_cache=cold access=sequential file_size=11390B
# A block of a file that the cache holds, read again.
# The mean of ten reads of a whole file (R3, 6.1.1).
file.cache_size.sweep file=below_7296MB ~ file.read.reread memory_limit=32MiB file_size=8MiB
# The cache of the whole machine: R0, 6.1.1, and R2, 6.1, by a second read, R3, 6.1.1, by the mean of ten. R0 reads
# files of different size with a purge before each, R3 files in steps of 128 MB; here it is one file of growing length.
R0 file.cache_size ~ file.cache_size memory_limit=machine method=growing
R2 file.cache_size = file.cache_size memory_limit=machine method=growing
R3 file.cache_size ~ file.cache_size memory_limit=machine method=eleven_reads
# R0's server may have had the files in its cache when they were read at random, it says (R0, 6.3.4); the client's was
# disabled. At random all blocks are timed together.
file.remote.smb file=16MB order=sequential ~ file.remote.read.uncached access=sequential file_size=16MiB server_cache=warm
file.remote.smb file=1MB order=sequential ~ file.remote.read.uncached access=sequential file_size=1MiB server_cache=warm
file.remote.smb file=16MB order=random ~ file.remote.read.uncached access=random file_size=16MiB server_cache=warm
# Time of a block for one reader. Every reader has a file of its own, of 4 MB in R0, 6.4.1; R2, 6.4, reads 4 MB of each (both F_NOCACHE).
# R0 times the whole file of the main process while the others read theirs; here blocks in a common window count.
file.contention competitors=0 order=sequential case=same ~ file.contention.own_files cache=cold access=sequential others=same competitors=0
file.contention competitors=3 order=sequential case=same ~ file.contention.own_files cache=cold access=sequential others=same competitors=3
file.contention competitors=15 order=sequential case=same ~ file.contention.own_files cache=cold access=sequential others=same competitors=15
file.contention competitors=0 order=random case=same ~ file.contention.own_files cache=cold access=random others=same competitors=0
file.contention competitors=3 order=random case=same ~ file.contention.own_files cache=cold access=random others=same competitors=3
file.contention competitors=15 order=random case=same ~ file.contention.own_files cache=cold access=random others=same competitors=15
# 4 MB by each process (R2, 6.4), whether with an emptied cache is not said; here a common window of the main one.
file.contention processes=5 competitors=4 ~ file.contention.own_files cache=cold access=sequential others=same competitors=4
# In R3, 6.4.1, files of 128 MB are read by O_DIRECT from beginning to end; here 4 MiB within a common window.
file.contention processes=4 competitors=3 ~ file.contention.own_files cache=direct access=sequential others=same competitors=3
";
