import * as Column from "../storage/Column.ts"
import { Columns } from "../storage/Statement.ts"
import type { Due, Tried } from "./Attempts.ts"

/** A delivery that was made of the log. */
export interface Made extends Due {
  readonly seq: number
  readonly resource_id: string
  readonly created_at: string
  /** When, on the clock of this process. */
  readonly madeAt: number
}

const result = {
  id: Column.text(),
  status: Column.text(),
  attempt: Column.int,
  status_code: Column.nullable(Column.int),
  latency_ms: Column.nullable(Column.int),
  error: Column.nullable(Column.text()),
  next_attempt_at: Column.nullable(Column.text()),
  request: Column.nullable(Column.json()),
  response: Column.nullable(Column.json())
}
const columns = {
  ...result,
  webhook_id: Column.text(),
  event_id: Column.text(),
  event_type: Column.text(),
  resource_id: Column.text(),
  created_at: Column.text(),
  body: Column.text()
}

const untried = { status: "pending", attempt: 0, status_code: null, latency_ms: null, error: null }

/** Deliveries that are stored for the first time, with what came of them where something has. */
export class NewRows extends Columns {
  constructor() {
    super(columns)
  }

  /** Without anything that came of it, it is due at `next_attempt_at`; null: who stores it tries it. */
  make(
    workspace_id: string,
    webhook_id: string,
    made: Omit<Made, "seq" | "madeAt">,
    tried: Tried | undefined,
    next_attempt_at: string | null = made.created_at
  ): void {
    const came = tried ?? { ...untried, next_attempt_at, request: null, response: null }
    this.add(workspace_id, { ...made, ...came, webhook_id, body: tried?.kept ?? made.body })
  }
}

/** What came of deliveries that are stored. */
export class Results extends Columns {
  constructor() {
    super({ ...result, kept: Column.nullable(Column.text()) })
  }
}

/** Numbers of parameters, one after the other. */
export const counter = (first: number) => () => first++

/** Of a note that is gone for good nothing is kept. */
const body = `CASE WHEN x.event_type LIKE 'note.%' AND x.event_type <> 'note.purged'
      AND NOT EXISTS (SELECT FROM notes n WHERE n.workspace_id = x.workspace_id AND n.id = x.resource_id)
    THEN NULL ELSE x.body END`

/** `within`: what else they are joined with. */
export const insertText = (rows: NewRows, param: () => number, within = ""): string =>
  `INSERT INTO webhook_deliveries (${rows.names.join(", ")})
  SELECT ${rows.selected.replace(/x\.body$/, body)} FROM ${rows.from(param)} ${within}`

/** Of the workspace $1, with the ids of all in one more parameter, by which they are found. */
export const updateText = (rows: Results, param: () => number): string =>
  `UPDATE webhook_deliveries d SET status = x.status, attempt = x.attempt, status_code = x.status_code,
    latency_ms = x.latency_ms, error = x.error, next_attempt_at = x.next_attempt_at, request = x.request::json,
    response = x.response::json, body = CASE WHEN d.body IS NULL THEN NULL ELSE coalesce(x.kept, d.body) END
  FROM ${rows.from(param)}
  WHERE d.workspace_id = $1 AND d.id = x.id AND d.id = ANY($${param()}::text[])`
