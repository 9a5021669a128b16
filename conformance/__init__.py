"""IS THAT SYSTEM correct? Traces, checking, replay, explanation and adapters for implementations of replicated logs."""
