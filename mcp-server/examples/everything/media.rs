//! A picture and a sound that are as small as can be.

/// A PNG of four pixels, in base64.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR42mO44KAARAwKDheACAAhTgTBcQ76PAAAAABJRU5ErkJggg==";

/// A WAV of a millisecond, in base64.
pub(crate) const WAV: &str =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAyP/IgDgAOA==";

/// The same PNG as bytes.
#[rustfmt::skip]
pub(crate) const PNG_BYTES: [u8; 76] = [
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82,
    0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0, 253, 212, 154,
    115, 0, 0, 0, 19, 73, 68, 65, 84, 120, 218, 99, 184, 224, 160, 0,
    68, 12, 10, 14, 23, 128, 8, 0, 33, 78, 4, 193, 113, 14, 250, 60,
    0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];
