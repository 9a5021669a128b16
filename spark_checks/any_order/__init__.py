"""Any order: a trace that is not sorted is cut into ranges of its order, each of which one task sorts and judges."""
