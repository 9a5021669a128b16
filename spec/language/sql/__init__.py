"""The SQL reading: one text that judges all rules of a trace, for Spark and for DuckDB, from one generator."""
