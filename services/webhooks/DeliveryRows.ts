import * as Column from "../tables/Column.ts"
import { Columns } from "../writer/Statement.ts"
import type { Due, Tried } from "./Attempts.ts"

/** The first attempt of an event, made of the log. */
export interface Made extends Due {
  readonly seq: number
  /** When, on the clock of this process. */
  readonly madeAt: number
}

const key = ["workspace_id", "id"]
const result = {
  status: Column.text(),
  status_code: Column.nullable(Column.int),
  latency_ms: Column.nullable(Column.int),
  error: Column.nullable(Column.text()),
  next_attempt_at: Column.nullable(Column.text()),
  request: Column.nullable(Column.json()),
  response: Column.nullable(Column.json())
}

const untried = { status: "pending", status_code: null, latency_ms: null, error: null, request: null, response: null }

/**
 * Maximum number of characters of a body that is stored with each of its attempts. A longer one is made of the log when it is
 * needed: the records that can be so long are in the history or the log already.
 */
const storedChars = 2048

/** Attempts with what came of them, where something has. */
export class DeliveryRows extends Columns {
  constructor() {
    super({
      id: Column.text(),
      webhook_id: Column.text(),
      event_id: Column.text(),
      event_type: Column.text(),
      resource_id: Column.text(),
      created_at: Column.text(),
      attempt: Column.int,
      ...result,
      body: Column.nullable(Column.text()),
      chars: Column.int
    })
  }

  private of(workspace_id: string, webhook_id: string, due: Due, result: object): void {
    const { length: chars } = due.body
    this.add(workspace_id, { ...due, ...result, webhook_id, body: chars > storedChars ? null : due.body, chars })
  }

  /**
   * Adds an attempt, and the one that follows it, if any. An attempt without a result is due at `next_attempt_at`; null:
   * the caller makes it.
   */
  put(
    workspace_id: string,
    webhook_id: string,
    due: Due,
    tried: Tried | undefined,
    next_attempt_at: string | null = due.created_at
  ): void {
    if (tried === undefined) {
      this.of(workspace_id, webhook_id, due, { ...untried, next_attempt_at })
      return
    }
    const { next, ...came } = tried
    this.of(workspace_id, webhook_id, due, { ...came, next_attempt_at: null })
    if (next !== null) this.put(workspace_id, webhook_id, next, undefined, next.next_attempt_at)
  }
}

/** How far webhooks are. */
export class CursorRows extends Columns {
  constructor() {
    super({
      webhook_id: Column.text(),
      position: Column.bigint,
      due_at: Column.nullable(Column.text()),
      /** The first failure after the last success of those stored with it. */
      failing_since: Column.nullable(Column.text()),
      is_used: Column.boolean,
      is_slow: Column.boolean
    })
  }
}

/** Numbers of parameters, one after the other. */
export const counter = (first: number) => () => first++

/** Whether a record is gone, or just being deleted: one that is seen here is deleted after this is stored. */
const isGone = (type: string, table: string) => `x.event_type LIKE '${type}.%' AND NOT EXISTS (
    SELECT FROM ${table} t WHERE t.workspace_id = x.workspace_id AND t.id = x.resource_id FOR KEY SHARE SKIP LOCKED)`

/** Of a note that is gone for good nothing is kept, nor of what hung on it. */
const isErased = `(${[
  isGone("note", "notes"),
  isGone("comment", "comments"),
  isGone("attachment", "attachments"),
  isGone("reminder", "reminders")
].join(" OR ")})`

const kept: Readonly<Record<string, string>> = {
  body: "CASE WHEN is_erased THEN erased_body(body) ELSE body END",
  response: "CASE WHEN is_erased THEN erased_response(response) ELSE response END"
}

/** It was erased while it was sent. */
const wasErased = "d.body = erased_body(excluded.body) AND d.body <> excluded.body"

/**
 * Stores attempts, or what came of them where they are stored. Those are found by their key for certain: an UPDATE that
 * was planned while there were few goes through all of the workspace. `within`: what else they are joined with.
 */
export const putText = (rows: DeliveryRows, param: () => number, within: string): string =>
  `INSERT INTO webhook_deliveries AS d (${rows.names.join(", ")})
  SELECT ${rows.names.map((name) => kept[name] ?? name).join(", ")}
  FROM (SELECT ${rows.selected}, ${isErased} AS is_erased FROM ${rows.from(param)} ${within} OFFSET 0) x
  ON CONFLICT (${key.join(", ")}) DO UPDATE SET
    ${Object.keys(result)
      .filter((column) => column !== "response")
      .map((column) => `${column} = excluded.${column}`)
      .join(", ")},
    response = CASE WHEN ${wasErased} THEN erased_response(excluded.response) ELSE excluded.response END,
    body = CASE WHEN ${wasErased} THEN d.body ELSE excluded.body END`
