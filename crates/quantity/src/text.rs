//! Numbers become text: significant digits follow the interval; IEC for sizes, SI for rates.
