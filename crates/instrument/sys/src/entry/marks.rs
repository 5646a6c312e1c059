//! Marks in the stream of instructions: an emulator's plugin counts what lies between them. On a processor they do nothing.

use crate::arch::marks;

/// Begins a counted window.
#[inline(always)]
pub fn begin() {
    marks::begin();
}

/// Ends a counted window.
#[inline(always)]
pub fn end() {
    marks::end();
}

/// Bytes that a load may read, one for each value: the lowest byte of an address is the value.
#[repr(align(256))]
struct Values([u8; 256]);

static VALUES: Values = Values([0; 256]);

/// Passes a line of text to the plugin, a byte at a time.
pub fn pass_line(text: &str) {
    // A load that faults first is not seen: the page is there afterwards.
    std::hint::black_box(VALUES.0.iter().fold(0, |sum, value| sum | std::hint::black_box(*value)));
    for byte in text.bytes().chain([b'\n']) {
        if let Some(value) = VALUES.0.get(usize::from(byte)) {
            marks::pass(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_no_effect_on_a_processor() {
        let mut sum = 0;
        begin();
        for value in 0..10 {
            pass_line("line");
            sum += std::hint::black_box(value);
        }
        end();
        assert_eq!(sum, 45);
    }

    #[test]
    fn lowest_byte_of_an_address_is_its_value() {
        assert!((0..256).all(|value| std::ptr::from_ref(&VALUES.0[value]) as usize % 256 == value));
    }
}
