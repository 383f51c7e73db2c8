//! A picture and a sound that are as small as can be.

/// A PNG of four pixels, in base64.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAE0lEQVR42mO44KAARAwKDheACAAhTgTBcQ76PAAAAABJRU5ErkJggg==";

/// A WAV of a millisecond, in base64.
pub(crate) const WAV: &str =
    "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAyP/IgDgAOA==";
