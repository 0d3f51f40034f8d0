import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // What all nodes have measured in a minute, an hour or a day, one row for each. `at`: when it begins. `latency`: counts
  // of requests by duration.
  `CREATE TABLE series_points (
    resolution text COLLATE "C" NOT NULL CHECK (resolution IN ('minute', 'hour', 'day')),
    at text COLLATE "C" NOT NULL,
    requests float8,
    refused float8,
    errors float8,
    open_streams float8,
    stream_lag float8,
    search_lag float8,
    mails_waiting float8,
    transfers_waiting float8,
    webhook_deliveries_waiting float8,
    reminder_pushes_waiting float8,
    mails_overdue float8,
    transfers_overdue float8,
    webhook_deliveries_overdue float8,
    reminder_pushes_overdue float8,
    file_bytes float8,
    text_bytes float8,
    database_bytes float8,
    memory_bytes float8,
    latency float8[] NOT NULL,
    PRIMARY KEY (resolution, at)
  )`
]

/** Measurements of the server over time. */
export const series = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
