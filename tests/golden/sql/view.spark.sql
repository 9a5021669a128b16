WITH payload_read AS (
  SELECT
    kind,
    log,
    digest
  FROM trace
  WHERE kind IN (3, 4, 5, 8, 16) AND digest IS NOT NULL
), payload_said AS (
  SELECT
    log,
    digest,
    CASE WHEN kind = 3 THEN 1 END AS s_appends,
    CASE WHEN kind = 4 THEN 1 END AS s_refusals,
    CASE WHEN kind = 3 THEN 1 WHEN kind = 16 THEN 2 ELSE 0 END AS bits
  FROM payload_read
), payload_rows AS (
  SELECT
    log AS c_log,
    digest AS c_digest,
    count(s_appends) AS c_appends,
    count(s_refusals) AS c_refusals,
    coalesce(bit_or(bits), 0) AS all_bits
  FROM payload_said
  GROUP BY log, digest
), payload_found AS (
  SELECT
    *,
    ((all_bits & 2) <> 0) AS c_delivered,
    ((all_bits & 1) <> 0) AS c_invoked
  FROM payload_rows
), payload_judged AS (
  SELECT
    c_log,
    c_digest,
    CASE WHEN (c_refusals > 0) THEN CASE WHEN ((NOT c_delivered) OR (c_refusals < c_appends)) THEN 1 ELSE 3 END ELSE 0 END
      | CASE WHEN c_delivered THEN CASE WHEN c_invoked THEN 4 ELSE 12 END ELSE 0 END AS o0
  FROM payload_found
)
SELECT
  'Payload' AS view,
  o0 AS o0,
  CASE WHEN (o0 & shiftright(o0, 1) & 5) <> 0 THEN c_log END AS k0,
  CASE WHEN (o0 & shiftright(o0, 1) & 5) <> 0 THEN c_digest END AS k1,
  count(*) AS n
FROM payload_judged
GROUP BY ALL
