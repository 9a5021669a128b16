"""The rules of `spec` over any amount of trace: Spark schedules, the columns and SQL readings judge."""
