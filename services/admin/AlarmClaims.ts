const day = 24 * 3_600_000

/**
 * Common table expressions that claim the alarms of the kinds $1, at the time $2, by one node. `claimed` has those that
 * were last claimed before $3; a time in the future is of a clock that was ahead. The others then count from $2 too, so
 * that all of them are due together. A release is claimed once.
 */
export const text = `claimed AS (
    INSERT INTO alarms AS a (kind, mailed_at) SELECT kind, $2 FROM unnest($1::text[]) AS kind ORDER BY kind
    ON CONFLICT (kind) DO UPDATE SET mailed_at = excluded.mailed_at
    WHERE (a.mailed_at <= $3 OR a.mailed_at > $2) AND a.kind NOT LIKE '%release %'
    RETURNING kind
  ), moved AS (
    UPDATE alarms SET mailed_at = $2
    WHERE kind = ANY ($1) AND EXISTS (SELECT FROM claimed) AND kind NOT IN (SELECT kind FROM claimed)
  )`

export const parameters = (kinds: ReadonlyArray<string>, now: number): ReadonlyArray<unknown> => [
  kinds,
  new Date(now).toISOString(),
  new Date(now - day).toISOString()
]
