/** SQL that computes a day or a local time. Its result depends on the zone of the session, or on PostgreSQL's list of zones. */
export const zonesInSql =
  /\bat\s+time\s+zone\b|\btimezone\s*\(|\bcurrent_(date|time)\b|(timestamptz|_time|_at|now\(\))::(date|time|timestamp)\b/i;
