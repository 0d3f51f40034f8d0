import { noteTypes, rows as resourceRows } from "../Resources.ts"
import * as Column from "../tables/Column.ts"
import { SentColumns } from "../writer/SentColumns.ts"
import type { Due, Tried } from "./Attempts.ts"

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
 * Maximum number of characters of a body that is stored with each attempt. A longer one is made from the log when it is
 * needed: records of that length are in the history or the log already.
 */
const storedChars = 2048

/** Attempts with their results, if any. */
export class DeliveryRows extends SentColumns {
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

  #of(workspace_id: string, webhook_id: string, due: Due, result: object): void {
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
      this.#of(workspace_id, webhook_id, due, { ...untried, next_attempt_at })
      return
    }
    const { next, ...came } = tried
    this.#of(workspace_id, webhook_id, due, { ...came, next_attempt_at: null })
    if (next !== null) this.put(workspace_id, webhook_id, next, undefined, next.next_attempt_at)
  }
}

/** Positions of webhooks in the log. */
export class CursorRows extends SentColumns {
  constructor() {
    super({
      webhook_id: Column.text(),
      position: Column.bigint,
      due_at: Column.nullable(Column.text()),
      /** The first failure after the last success among the results that are stored with it. */
      failing_since: Column.nullable(Column.text()),
      is_used: Column.boolean,
      is_slow: Column.boolean
    })
  }
}

/** Returns a function that counts up from `first`, for the numbers of SQL parameters. */
export const counter = (first: number) => () => first++

/** Whether a record is deleted, or locked by a deletion. Any other record can only be deleted after this statement. */
const isGone = (type: string, table: string) => `x.event_type LIKE '${type}.%' AND NOT EXISTS (
    SELECT FROM ${table} t WHERE t.workspace_id = x.workspace_id AND t.id = x.resource_id FOR KEY SHARE SKIP LOCKED)`

/** Whether the note of an event, or the part of a note, is erased: then its content must not be stored. */
const isErased = `(${noteTypes.map((type) => isGone(type, resourceRows[type].counter!)).join(" OR ")})`

const kept: Readonly<Record<string, string>> = {
  body: "CASE WHEN is_erased THEN erased_body(body) ELSE body END",
  response: "CASE WHEN is_erased THEN erased_response(response) ELSE response END"
}

/** Whether the record was erased while the attempt was made. */
const wasErased = "d.body = erased_body(excluded.body) AND d.body <> excluded.body"

/**
 * Stores attempts, or the results of stored attempts. ON CONFLICT finds rows by their key in every case: an UPDATE that
 * was planned while there were few rows would scan the whole workspace. `within` is a further join.
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
