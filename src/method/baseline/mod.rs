//! Baselines that several papers share.
