//! The table of counterparts: published operations with parameters, and the operations and points that measure the same.
//!
//! What is not listed does not compare. Of the network: transfers of a size that is not measured here, peaks over sizes,
//! derived values. Of files: reads line by line (R2 times whole files, the program a line), R2's readers (how much each
//! reads is not said), R0's second reads (seconds for a gigabyte), remote files whose size is not said, and most of R0's
//! competitors, of which a few tell enough.

/// A line for each: `published parameters = operation point`. A figure that compares with several has several.
pub(super) const TABLE: &str = "\
clock.read.rdtsc_cpuid = clock.read.rdtsc_cpuid
clock.read.rdtsc = clock.read.rdtsc
clock.read.mach_absolute_time = clock.read.monotonic
clock.frequency = clock.frequency
loop.iteration = loop.iteration.unoptimised
call.procedure = call.procedure
syscall.getpid.libc = syscall.getpid method=libc
syscall.getpid.raw = syscall.getpid method=raw
syscall.getpid.int80 = syscall.getppid method=int80
syscall.getppid.libc = syscall.getppid method=libc
syscall.getcwd.libc = syscall.getcwd method=libc
syscall.getcwd.raw = syscall.getcwd method=raw
syscall.getcwd.int80 = syscall.getcwd.int80
syscall.write = syscall.write.dev_null
syscall.kill = syscall.kill.probe
syscall.nanosleep = syscall.nanosleep.zero
syscall.open.read = syscall.open_close.read
syscall.open.read = syscall.open access=read
syscall.open.write = syscall.open access=write
syscall.close = syscall.close
syscall.open.write = syscall.open_close.write
process.create.fork.parent = process.create.fork.parent
process.create.fork.first = process.create.fork.either
process.create.fork.run = process.create.fork.run
process.create.fork.wait = process.create.fork_wait
thread.create.pthread.parent = thread.create.pthread.parent
thread.create.pthread.first = thread.create.pthread.either
thread.create.pthread.run = thread.create.pthread.run
thread.create.pthread.join = thread.create.join
switch.process.pipe = switch.process.pipe
switch.process.pipe_oneway = switch.process.one_way
switch.process.wait = switch.process.fork_wait_timestamp
switch.process.pipe_wait = switch.process.fork_wait_timestamp
switch.thread.pipe = switch.thread.pipe
switch.thread.mutex = switch.thread.mutex
switch.thread.condvar = switch.thread.condition
switch.thread.semaphore = switch.thread.failed_semaphore
memory.latency.chunk = memory.latency.short_cycle
memory.latency.list = memory.latency
memory.latency.list = memory.latency.timed
memory.latency.array = memory.latency.stride
memory.latency.stride = memory.latency.stride
memory.levels.line = memory.line_size
memory.levels.size = memory.levels
memory.bandwidth.read.loop = memory.bandwidth.read
memory.bandwidth.read.unrolled = memory.bandwidth.read
memory.bandwidth.read.stride = memory.bandwidth.read
memory.bandwidth.write = memory.bandwidth.write
memory.bandwidth.write.loop = memory.bandwidth.write
memory.bandwidth.write.unrolled = memory.bandwidth.write
memory.bandwidth.write.stride = memory.bandwidth.write
memory.bandwidth.write.memset = memory.bandwidth.fill
memory.bandwidth.write.rep_stos = memory.bandwidth.fill
memory.bandwidth.copy.bcopy = memory.bandwidth.copy
fault.file.major = fault.file.major
fault.file.dontneed = fault.dontneed
fault.file.dontneed = fault.file.dontneed
fault.file.mmap = fault.file.major
# The reports pinned nothing, so what they call loopback may be either: one CPU or two.
round_trip.tcp bytes=64 peer=loopback = network.round_trip.tcp path=loopback cpu=same bytes=64B
round_trip.tcp bytes=64 peer=loopback = network.round_trip.tcp path=loopback cpu=other bytes=64B
# 56 bytes are as many segments as 64.
round_trip.tcp bytes=56 peer=loopback = network.round_trip.tcp path=loopback cpu=same bytes=64B
round_trip.tcp bytes=56 peer=loopback = network.round_trip.tcp path=loopback cpu=other bytes=64B
round_trip.tcp bytes=64 peer=remote = network.round_trip.tcp path=remote bytes=64B
round_trip.tcp bytes=56 peer=remote = network.round_trip.tcp path=remote bytes=64B
# ping sends 56 bytes unless asked; R0's 64 are those with the header of ICMP.
round_trip.icmp peer=loopback = network.round_trip.icmp path=loopback bytes=56B
round_trip.icmp peer=remote = network.round_trip.icmp path=remote bytes=56B
# R3 took from tcpdump when a segment and its acknowledgement passed.
round_trip.tcp.acknowledgement peer=loopback = network.acknowledge.packets path=loopback cpu=same segment=data
connection.setup.wire peer=loopback = network.acknowledge.packets path=loopback cpu=same segment=syn
connection.teardown.wire peer=loopback = network.acknowledge.packets path=loopback cpu=same segment=fin
bandwidth.tcp transfer=2KB peer=loopback = network.bandwidth.transfer path=loopback cpu=same bytes=2KiB
bandwidth.tcp block=1MB peer=loopback = network.bandwidth.transfer path=loopback cpu=same bytes=1MiB
bandwidth.tcp transfer=32768KB peer=loopback = network.bandwidth.transfer path=loopback cpu=same bytes=32MiB
bandwidth.tcp transfer=2KB peer=remote = network.bandwidth.transfer path=remote bytes=2KiB
bandwidth.tcp block=1MB peer=remote = network.bandwidth.transfer path=remote bytes=1MiB
bandwidth.tcp transfer=32768KB peer=remote = network.bandwidth.transfer path=remote bytes=32MiB
# The fastest second of a long stream, which stands marked as such.
bandwidth.tcp transfer=5GB peer=loopback = network.bandwidth.tcp path=loopback cpu=same
bandwidth.tcp transfer=5GB peer=loopback = network.bandwidth.tcp path=loopback cpu=other
bandwidth.tcp transfer=5GB peer=remote = network.bandwidth.tcp path=remote
connection.connect peer=loopback = network.connection.connect path=loopback cpu=same
connection.connect peer=loopback = network.connection.connect path=loopback cpu=other
connection.connect peer=remote = network.connection.connect path=remote
connection.close peer=loopback = network.connection.close path=loopback cpu=same
connection.close peer=loopback = network.connection.close path=loopback cpu=other
connection.close peer=remote = network.connection.close path=remote
# R2's accept waits for the client to be started by hand, and so does the flawed method for its barrier.
connection.accept peer=loopback = network.connection.no_barrier
# R0 prints the time of a block of 4 KiB under the size of the file.
file.read.uncached file=64KB order=sequential = file.read.uncached access=sequential bytes=64KiB
file.read.uncached file=1MB order=sequential = file.read.uncached access=sequential bytes=1MiB
file.read.uncached file=16MB order=sequential = file.read.uncached access=sequential bytes=16MiB
file.read.uncached file=64MB order=random = file.read.uncached access=random bytes=64MiB
# R3's are means over files of 4 MB to 1 GB: 64 MiB is the middle by ratio.
file.read.direct order=sequential = file.read.direct access=sequential bytes=64MiB
file.read.direct order=random = file.read.direct access=random bytes=64MiB
# A block of a file that the cache holds, read for the second time.
file.cache_size.sweep file=128MB..7168MB block=4KB = file.read.reread memory_limit=32MiB bytes=8MiB
# The cache of the whole machine, not that of a group of 32 MiB.
file.cache_size = file.cache_size memory_limit=machine
# R0's server had the files in its cache; the client's was emptied.
file.remote.smb file=16MB order=sequential = file.remote.read.uncached access=sequential bytes=16MiB server_cache=warm
file.remote.smb file=1MB order=sequential = file.remote.read.uncached access=sequential bytes=1MiB server_cache=warm
file.remote.smb file=16MB order=random = file.remote.read.uncached access=random bytes=16MiB server_cache=warm
# Time of a block for one reader: R0's competitors read other files in its order.
file.contention competitors=0 order=sequential case=same = file.contention access=sequential others=same competitors=0
file.contention competitors=3 order=sequential case=same = file.contention access=sequential others=same competitors=3
file.contention competitors=15 order=sequential case=same = file.contention access=sequential others=same competitors=15
file.contention competitors=0 order=random case=same = file.contention access=random others=same competitors=0
file.contention competitors=3 order=random case=same = file.contention access=random others=same competitors=3
file.contention competitors=15 order=random case=same = file.contention access=random others=same competitors=15
# R3's readers read files of their own by O_DIRECT.
file.contention processes=4 competitors=3 = file.contention access=sequential others=same competitors=3
";
