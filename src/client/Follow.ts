import type { Client } from "./Client.ts"
import { eventsOf } from "./EventStream.ts"
import { isProblem, SheafError, unexpected } from "./ClientProblem.ts"
import type { Schemas } from "./Types.ts"

export type Change = Schemas["ChangeEntry"]
/** `note`, `notebook` or another type of sync. */
export type RecordType = Change["type"]
export type Reminder = Schemas["Reminder"]

/** Changes that belong together: an app stores them and the cursor in one step. */
export interface Batch {
  /** In the order of the log. A later state of a record never comes before an earlier one. */
  readonly changes: ReadonlyArray<Change>
  /** Where to continue after these changes. */
  readonly cursor: string
  /**
   * `first`: everything that exists follows, from the beginning. Records that are not among the changes until `isWhole`
   * do not exist any more.
   */
  readonly isFirst: boolean
  /** Whether the changes up to here are all that the server has at this time. */
  readonly isWhole: boolean
}

/** Options of `follow`. */
export interface FollowOptions {
  /** Continues after an earlier batch; without it everything that exists comes first. */
  readonly cursor?: string | undefined
  /** Only changes of these types. The cursor belongs to them. */
  readonly types?: ReadonlyArray<RecordType> | undefined
  /** Ends when all changes until now were returned, and rejects if that fails, instead of following live. */
  readonly isOnce?: boolean
  /** The device that syncs. A new one is registered. */
  readonly device?: Schemas["DeviceInput"] | undefined
  readonly signal?: AbortSignal
  /** Called when a reminder of the channel `push` fires. */
  readonly onReminder?: (reminder: Reminder) => void
  /** Called when the connection is lost or found again: `undefined` means that changes come live. */
  readonly onConnection?: (error: unknown) => void
}

/** Milliseconds before the stream is opened again, doubled with each failure in a row. */
const firstPause = 1_000
const longestPause = 60_000

/** Resolves after some milliseconds, or when the signal is aborted. */
export const pause = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, millis)
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
  })

/** Maximum number of pages in a row that bring nothing new and promise more. */
const mostIdlePages = 10

const isPage = (page: Partial<Schemas["SyncObject"]>): boolean =>
  Array.isArray(page?.changes) && typeof page.cursor === "string" && typeof page.has_more === "boolean"

/** Pulls pages from a cursor, also from an expired one, until there are no more. */
async function* pulled(
  client: Client,
  from: string | undefined,
  { device, types }: FollowOptions,
  signal: AbortSignal
): AsyncGenerator<Batch> {
  let cursor = from
  let isFirst = cursor === undefined
  let isExpired = false
  let idlePages = 0
  while (true) {
    try {
      const input = { cursor, device, types, limit: 500 }
      const page = await client.call<Schemas["SyncObject"]>("pullChanges", input, { signal })
      if (!isPage(page)) throw unexpected("The response is not a page of changes")
      idlePages = page.cursor === cursor || page.changes.length === 0 ? idlePages + 1 : 0
      if (page.has_more && idlePages > mostIdlePages) throw unexpected("The server promises changes, but sends none")
      isExpired = false
      cursor = page.cursor
      yield { changes: page.changes, cursor: page.cursor, isFirst, isWhole: !page.has_more }
      isFirst = false
      if (!page.has_more) return
    } catch (error) {
      if (!isProblem(error, "cursor_expired") || isExpired) throw error
      isExpired = true
      // Without a resync cursor the server no longer has all deletions: everything comes again.
      cursor = error.problem.resync_cursor ?? undefined
      isFirst = cursor === undefined
    }
  }
}

/** Follows live from a cursor until the stream ends. */
async function* live(
  client: Client,
  from: string,
  { device, onConnection, onReminder, types }: FollowOptions,
  signal: AbortSignal
): AsyncGenerator<Batch> {
  const stream = new AbortController()
  const abort = () => stream.abort(signal.reason)
  signal.addEventListener("abort", abort, { once: true })
  try {
    const response = await client.ask(
      {
        method: "GET",
        path: types === undefined ? "/sync/stream" : `/sync/stream?types=${types.join()}`,
        headers: {
          accept: "text/event-stream",
          "last-event-id": from,
          ...(device?.id === undefined ? {} : { "device-id": device.id })
        },
        signal: stream.signal,
        isRepeatable: true
      },
      async (response) => response
    )
    for await (const { data, event, id } of eventsOf(response, stream.signal)) {
      if (event === "ready") onConnection?.(undefined)
      else if (event === "reminder") onReminder?.(JSON.parse(data))
      const changes: ReadonlyArray<Change> = event === "change" ? [JSON.parse(data)] : []
      if (id !== undefined) yield { changes, cursor: id, isFirst: false, isWhole: event !== "ready" }
    }
  } finally {
    signal.removeEventListener("abort", abort)
    stream.abort()
  }
}

/** Whether another attempt can succeed without a change of the client. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof SheafError) ||
  // A proxy has responded instead of the server.
  isProblem(error, "unexpected_response") ||
  ![400, 401, 403, 404, 422].includes(error.problem.status)

/**
 * Returns everything that exists in the workspace, or everything since a cursor, and then each change as it happens. No
 * change is missed and none comes out of order, also when connections are lost, the server restarts, or the cursor has
 * expired meanwhile: then what happened is fetched. Ends with the signal. Rejects if the credential is refused.
 */
export async function* follow(client: Client, options: FollowOptions = {}): AsyncGenerator<Batch> {
  const signal = options.signal ?? new AbortController().signal
  let { cursor } = options
  let failures = 0
  let isToPull = true
  while (!signal.aborted) {
    const isLive = !isToPull && cursor !== undefined
    try {
      for await (const batch of isLive
        ? live(client, cursor!, options, signal)
        : pulled(client, cursor, options, signal)) {
        cursor = batch.cursor
        if (isLive) failures = 0
        yield batch
      }
      if (options.isOnce === true) return
      // The server ends streams now and then: they continue without a pull.
      isToPull = false
    } catch (error) {
      if (signal.aborted) return
      if (options.isOnce === true || !isTemporary(error)) throw error
      options.onConnection?.(error)
      // Also where no stream can be opened, such as behind some proxies, changes come with each attempt.
      isToPull = true
      const millis = Math.min(longestPause, firstPause * 2 ** failures++)
      if (!isProblem(error, "cursor_expired") || failures > 1) await pause(millis * (0.5 + Math.random() / 2), signal)
    }
  }
}
