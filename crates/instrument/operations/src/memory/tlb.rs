//! TLB reach: one line per page against as many adjacent lines.

use measure::{Area, Operation, Parameters, takes};
use quantity::Quantity;
use record::Plot;
use workloads::memory::tlb::{self, TlbLevel, TlbProperty, needs};

/// Entries of each level, and the cost of missing it.
pub static TLB: Operation = Operation {
    id: "memory.tlb",
    area: Area::Memory,
    title: "TLB entries and miss latency with base pages, measured without reported values",
    one_iteration: "one dependent load from one of n lines, each in its own page",
    parameters: takes::<TlbLevel>,
    quantity_of: Some(|point| match TlbLevel::read(point) {
        Ok(TlbLevel { property: TlbProperty::Entries, .. }) => Quantity::Count,
        _ => Quantity::Latency,
    }),
    method: "A random cycle through n lines in n base pages, each one line further into its page so that they fill L1 \
             evenly, minus one through n adjacent lines, which uses the same caches and few pages; n from 16 to 4096 in \
             steps of 6 %. The plateaus of the difference are the levels: level=1 adds nothing, level=2 its latency, \
             level=3 a page-table walk. The first level ends where the rise begins, extrapolated through a quarter and \
             three quarters of it: each further page overflows one more set. The second, whose sets are hashed, ends \
             half way to the walk.",
    revision: 2,
    confounds: "On base pages the lines of a large set conflict in physically indexed caches, which adjacent lines do not: \
                the walk latency includes some of that. In a virtual machine the walk is two-dimensional. Entries \
                that coalesce adjacent pages make the first level look larger.",
    sources: &[
        ("Saavedra and Smith 1995", "strides of a page: all in one set of L1"),
        ("Cooper and Xu 2018", "separate strings for caches and TLB"),
    ],
    points: &["level=1|2 property=entries; level=2|3 property=latency"],
    needs: |_| needs(tlb::BASE),
    // From manuals of cores since 2015; oscope reads no reported TLB size.
    predict: &[
        "level=1 property=entries: hardware t0 from manuals = 72 (×1.5: entries for loads of base pages: 64 (Skylake, Zen 1 to \
         3), 72 (Zen 4), 96 (Golden Cove, Zen 5), 48 (Neoverse))",
        "level=2 property=entries: hardware t0 from manuals = second_tlb",
        "level=2 property=latency: hardware t0 from manuals = second_translation × cycle_ns",
        "level=3 property=latency: hardware t0 from manuals = page_walk × cycle_ns",
    ],
    evidence: &["every line visited"],
    curve: Some(|| Plot {
        family: Some("memory.tlb".to_owned()),
        ..Plot::logarithmic("pages", "pages, of which one line each is loaded", Quantity::Count)
    }),
    run: tlb::find_entries,
    spend_ns: 60_000_000,
    ..Operation::VALUES
};

/// The same on huge pages.
pub static HUGE: Operation = Operation {
    id: "memory.tlb.huge",
    title: "TLB entries and miss latency with 2 MiB pages, measured without reported values",
    one_iteration: "one dependent load from one of n lines, each in its own huge page",
    method: "As memory.tlb, on 160 huge pages (madvise), each line 4 KiB + 64 B further into its page. Only the end of the \
             first level is within reach; the second would need too much memory.",
    confounds: "If the host backs a guest's huge pages with base pages, the processor caches base-page translations, and the \
                first level ends as in memory.tlb or at the second level. The reach then shows the host's backing, not \
                the processor's capability.",
    points: &["level=1 property=entries; level=2 property=latency"],
    needs: |_| needs(tlb::HUGE),
    predict: &[
        "property=entries: hardware t0 from manuals = 45 (×1.5: entries for loads of pages of 2 MiB: 32 (Intel since Haswell), \
         64 and more (Zen, shared with base pages))",
        "property=latency: hardware t0 from manuals = second_translation × cycle_ns",
    ],
    curve: None,
    run: tlb::find_huge_entries,
    ..TLB
};
