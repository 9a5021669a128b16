"""A program for spark-submit: it prints as JSON what its session has, then runs the job once for each argument."""

import json
import shlex
import sys

from spark_checks import job
from spark_checks.session import spark_session

NAMES = ("spark.master", "spark.sql.shuffle.partitions", "spark.driver.memory", "spark.sql.session.timeZone")


def main() -> int:
    """Print what was submitted, and what our own settings would have made of it; end as the last job does."""
    ours = {"spark.sql.session.timeZone": "Asia/Tokyo"}
    with spark_session("submitted", cores=2, memory="1g", settings=ours) as session:
        settings = {name: session.conf.get(name) for name in NAMES}
        print(json.dumps(settings | {"app": session.sparkContext.appName, "rows": session.range(10).count()}))
    return [job.main(shlex.split(words)) for words in sys.argv[1:]][-1]


if __name__ == "__main__":
    sys.exit(main())
