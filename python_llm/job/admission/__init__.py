"""Whether a run may begin: keys, prices, approvals, registries, and who may read the folders."""
