WITH unnamedpayloads_read AS (
  SELECT
    kind,
    log,
    seq,
    digest
  FROM trace
  WHERE kind = 3
), unnamedpayloads_said AS (
  SELECT
    log,
    CASE WHEN kind = 3 AND (NOT (digest IS NOT NULL)) THEN seq END AS s_first
  FROM unnamedpayloads_read
), unnamedpayloads_rows AS (
  SELECT
    log AS c_log,
    min(s_first) AS c_first
  FROM unnamedpayloads_said
  GROUP BY log
), unnamedpayloads AS (
  SELECT
    c_log AS k_log,
    c_first AS v_first
  FROM unnamedpayloads_rows
), payload_read AS (
  SELECT
    kind,
    log,
    digest,
    CAST(arg_b AS BIGINT) AS arg_b
  FROM trace
  WHERE kind IN (3, 4, 5, 8, 16) AND digest IS NOT NULL
), payload_said AS (
  SELECT
    log,
    digest,
    CASE WHEN kind = 3 THEN 1 END AS s_appends,
    CASE WHEN kind = 4 AND (arg_b < 1) THEN 1 END AS s_refused,
    CASE WHEN kind = 3 THEN 1 WHEN kind = 16 THEN 2 ELSE 0 END AS bits
  FROM payload_read
), payload_rows AS (
  SELECT
    log AS c_log,
    digest AS c_digest,
    count(s_appends) AS c_appends,
    count(s_refused) AS c_refused,
    coalesce(bit_or(bits), 0) AS all_bits
  FROM payload_said
  GROUP BY log, digest
), payload_found AS (
  SELECT /*+ BROADCAST(d0) */
    r.*,
    d0.v_first AS t_0,
    ((all_bits & 2) <> 0) AS c_delivered,
    ((all_bits & 1) <> 0) AS c_invoked
  FROM payload_rows
  AS r
  LEFT JOIN unnamedpayloads AS d0 ON d0.k_log = c_log
), payload_judged AS (
  SELECT
    c_log,
    c_digest,
    CASE WHEN (c_refused > 0) THEN coalesce(3 - 2 * CAST(((NOT c_delivered) OR (c_refused < CASE WHEN (NOT (t_0 IS NOT NULL)) THEN c_appends END)) AS BIGINT), 2) ELSE 0 END
      | CASE WHEN c_delivered THEN coalesce(12 - 8 * CAST((c_invoked OR (CASE WHEN (NOT (t_0 IS NOT NULL)) THEN c_appends END > 0)) AS BIGINT), 8) ELSE 0 END AS o0
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
