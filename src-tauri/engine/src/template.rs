//! Templates in node configs.
