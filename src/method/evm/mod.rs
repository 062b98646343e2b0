//! Exchangeable Variable Models (Niepert and Domingos, ICML 2014).
