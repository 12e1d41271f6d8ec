"""Units of the auditor: hand-made histories, most of them of a controller gone wrong."""
