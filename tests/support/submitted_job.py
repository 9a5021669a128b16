"""A job for spark-submit that prints as JSON which settings its session has."""

import json

from spark_checks.session import spark_session


def main() -> None:
    """Print what was submitted, and what our own settings would have made of it."""
    with spark_session(
        "submitted", cores=2, memory="1g", settings={"spark.sql.session.timeZone": "Asia/Tokyo"}
    ) as session:
        names = ("spark.master", "spark.sql.shuffle.partitions", "spark.driver.memory", "spark.sql.session.timeZone")
        settings = {name: session.conf.get(name) for name in names}
        print(json.dumps(settings | {"app": session.sparkContext.appName, "rows": session.range(10).count()}))


if __name__ == "__main__":
    main()
