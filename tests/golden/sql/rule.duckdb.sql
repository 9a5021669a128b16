WITH slot_read AS (
  SELECT
    kind,
    log,
    epoch * 4294967296 + esn AS lsn,
    upto_epoch * 4294967296 + upto_esn AS upto,
    CAST(arg AS BIGINT) AS arg
  FROM trace
  WHERE kind IN (1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 42, 43, 44, 45, 46)
), slot_said AS (
  SELECT
    log,
    lsn,
    CASE WHEN kind = 46 AND (arg <= 2) THEN upto END AS s_missed_upto,
    CASE WHEN kind = 46 AND (arg = 3) THEN upto END AS s_perhaps_trimmed_upto,
    CASE WHEN kind IN (17, 46) THEN upto END AS s_answered_upto,
    CASE WHEN kind = 17 AND ((arg <= 3) OR (arg = 8)) THEN upto END AS s_gapped_upto,
    CASE WHEN kind = 8 THEN 1 WHEN kind = 16 THEN 2 ELSE 0 END AS bits
  FROM slot_read
), slot_rows AS (
  SELECT
    log AS c_log,
    lsn AS c_lsn,
    max(s_missed_upto) AS c_missed_upto,
    max(s_perhaps_trimmed_upto) AS c_perhaps_trimmed_upto,
    max(s_answered_upto) AS c_answered_upto,
    max(s_gapped_upto) AS c_gapped_upto,
    coalesce(bit_or(bits), 0) AS all_bits
  FROM slot_said
  GROUP BY log, lsn
), slot_near AS (
  SELECT
    *,
    max(c_answered_upto) OVER (PARTITION BY c_log ORDER BY c_lsn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c_told_upto,
    max(c_gapped_upto) OVER (PARTITION BY c_log ORDER BY c_lsn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c_passed_upto,
    max(c_missed_upto) OVER (PARTITION BY c_log ORDER BY c_lsn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c_passed_without_reason_upto,
    max(c_perhaps_trimmed_upto) OVER (PARTITION BY c_log ORDER BY c_lsn ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c_perhaps_passed_upto
  FROM slot_rows
), slot_found AS (
  SELECT
    *,
    ((all_bits & 1) <> 0) AS c_acked,
    ((all_bits & 2) <> 0) AS c_delivered
  FROM slot_near
), slot_judged AS (
  SELECT
    c_log,
    c_lsn,
    CASE WHEN (c_acked AND (c_delivered OR ((c_told_upto IS NOT NULL) AND (c_told_upto >= c_lsn)))) THEN coalesce(3 - 2 * CAST((NOT ((((c_passed_upto IS NOT NULL) AND (c_passed_upto >= c_lsn)) OR ((c_passed_without_reason_upto IS NOT NULL) AND (c_passed_without_reason_upto >= c_lsn))) OR ((c_perhaps_passed_upto IS NOT NULL) AND (CASE WHEN (c_perhaps_passed_upto < c_lsn) THEN c_perhaps_passed_upto END >= c_lsn)))) AS BIGINT), 2) WHEN (c_acked AND (c_delivered OR ((c_told_upto IS NOT NULL) AND (c_told_upto >= c_lsn)))) IS NULL THEN CASE WHEN (NOT ((((c_passed_upto IS NOT NULL) AND (c_passed_upto >= c_lsn)) OR ((c_passed_without_reason_upto IS NOT NULL) AND (c_passed_without_reason_upto >= c_lsn))) OR ((c_perhaps_passed_upto IS NOT NULL) AND (CASE WHEN (c_perhaps_passed_upto < c_lsn) THEN c_perhaps_passed_upto END >= c_lsn)))) THEN 1 ELSE 2 END ELSE 0 END AS o0
  FROM slot_found
)
SELECT
  'Slot' AS view,
  o0 AS o0,
  CASE WHEN (o0 & (o0 >> 1) & 1) <> 0 THEN c_log END AS k0,
  CASE WHEN (o0 & (o0 >> 1) & 1) <> 0 THEN c_lsn END AS k1,
  count(*) AS n
FROM slot_judged
GROUP BY ALL
