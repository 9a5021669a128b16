"""A program that is asked about vectors: quorate vectors run copysets.json --adapter "python answering.py".

It knows which nodes may hold a record, as long as copies are counted on nodes alone.
"""

import json
import sys


def answer(kind: str, case: dict) -> dict:
    """What is said of one case."""
    if kind != "f-majority" or case["op"] != "canReplicate":
        return {"not_applicable": case.get("op", kind)}
    if others := set(case["replication"]) - {"NODE"}:
        return {"not_applicable": f"replication.{min(others)}"}
    return {"answer": len(case["tagged_shards"]) >= case["replication"]["NODE"]}


for line in sys.stdin:
    said = json.loads(line)
    hello = "quorate_vectors" in said
    print(json.dumps({"quorate_vectors": "1.0"} if hello else {"id": said["id"], **answer(said["kind"], said["case"])}))
