import { network, pause, pauseAfter } from "./Aborting.ts"
import type { Client } from "./Client.ts"
import { eventsOf } from "./EventStream.ts"
import { isProblem, noResponse, type Restored, SheafError, unexpected } from "./ClientProblem.ts"
import { silence } from "./ResponseText.ts"
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
   * Whether everything that exists follows, from the beginning. Records that are not among the changes until `isWhole`
   * do not exist any more.
   */
  readonly isFirst: boolean
  /**
   * With `isFirst`, if everything comes again because the server was restored from a backup: what the app has from the
   * time after the backup is not on the server, and only clients can bring it back.
   */
  readonly restored?: Restored
  /** Whether the changes up to here are all that the server has at this time. */
  readonly isWhole: boolean
}

/** Options of `follow`. */
export interface FollowOptions {
  /**
   * Continues after an earlier batch; without it everything that exists comes first. So it does if the server does not
   * accept the cursor, because it has lost its secret key.
   */
  readonly cursor?: string | undefined
  /** Only changes of these types. The cursor belongs to them. */
  readonly types?: ReadonlyArray<RecordType> | undefined
  /** Only what is in these notebooks and those in them, without tags and templates. The cursor belongs to them. */
  readonly notebooks?: ReadonlyArray<string> | undefined
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

/** Milliseconds after which an attempt needs no longer pause, because such attempts are rare by themselves. */
const steady = 10_000
/** Maximum number of records of a page. */
const maxRecords = 500
/** The number of records that a page may have: on bad connections only a small page comes whole. */
interface PageSize {
  records: number
}
/** Maximum number of pages in a row without changes. */
const maxIdlePages = 10

const isChange = (value: Partial<Change> | null | undefined): boolean =>
  typeof value?.type === "string" && typeof value.id === "string" && typeof value.op === "string"

const isPage = (page: Partial<Schemas["SyncObject"]> | null): boolean =>
  Array.isArray(page?.changes) &&
  page.changes.every(isChange) &&
  typeof page.cursor === "string" &&
  typeof page.has_more === "boolean"

/** Pulls pages from a cursor, also from an expired one, until there are no more. */
async function* pulled(
  client: Client,
  from: string | undefined,
  { device, notebooks, types }: FollowOptions,
  signal: AbortSignal,
  size: PageSize
): AsyncGenerator<Batch> {
  let cursor = from
  let isFirst = cursor === undefined
  let isExpired = false
  let restored: Restored | undefined
  let pages = 0
  let idlePages = 0
  /** One of the last cursors: if it comes again, the server repeats its pages for ever. */
  let mark = from
  while (true) {
    try {
      const input = { cursor, device, types, notebooks, limit: size.records }
      const page = await client.call<Schemas["SyncObject"]>("pullChanges", input, { signal, patience: silence })
      if (!isPage(page)) throw unexpected("The response is not a page")
      idlePages = page.changes.length === 0 ? idlePages + 1 : 0
      if (page.has_more && (idlePages > maxIdlePages || page.cursor === mark)) {
        throw unexpected("The server promises changes, but sends none")
      }
      if (Number.isInteger(Math.log2(++pages))) mark = page.cursor
      isExpired = false
      cursor = page.cursor
      // Otherwise a client that was offline would stay behind a workspace where others write all the time.
      size.records = Math.min(maxRecords, size.records * 2)
      yield {
        changes: page.changes,
        cursor,
        isFirst,
        isWhole: !page.has_more,
        ...(isFirst && restored && { restored })
      }
      isFirst = false
      if (!page.has_more) return
    } catch (error) {
      if (!isProblem(error, "cursor_expired") || isExpired) throw error
      isExpired = true
      // Without a resync cursor the server no longer has all deletions: everything comes again.
      cursor = error.problem.resync_cursor ?? undefined
      isFirst = cursor === undefined
      restored = error.problem.restored
    }
  }
}

const parsed = (data: string): unknown => {
  try {
    return JSON.parse(data)
  } catch {
    throw unexpected("The response is not a stream")
  }
}

/** Follows live from a cursor until the stream ends. */
async function* live(
  client: Client,
  from: string,
  { device, notebooks, onConnection, onReminder, types }: FollowOptions,
  signal: AbortSignal
): AsyncGenerator<Batch> {
  const query = (types ? `&types=${types}` : "") + (notebooks ? `&notebooks=${notebooks}` : "")
  const response = await client.ask(
    {
      method: "GET",
      path: "/sync/stream" + query.replace("&", "?"),
      headers: {
        accept: "text/event-stream",
        "last-event-id": from,
        ...(device?.id === undefined ? {} : { "device-id": device.id })
      },
      signal,
      patience: silence,
      isRepeatable: true
    },
    async (response) => {
      if (response.headers.get("content-type")?.includes("text/event-stream") === true) return response
      await response.body?.cancel()
      throw unexpected("The response is not a stream", response.status)
    }
  )
  for await (const { data, event, id } of eventsOf(response, signal)) {
    if (event === "bye") return
    if (event === "ready") onConnection?.(undefined)
    // An event of the API's description, as pages are.
    else if (event === "reminder") onReminder?.(parsed(data) as Reminder)
    const changes = event === "change" ? [parsed(data) as Change] : []
    if (!changes.every(isChange) || (event === "change" && !id)) throw unexpected("The response is not a stream")
    if (id) yield { changes, cursor: id, isFirst: false, isWhole: event !== "ready" }
  }
}

/** Pulls what has happened since a cursor, then follows live until the stream ends. */
async function* attempt(
  client: Client,
  from: string | undefined,
  options: FollowOptions,
  signal: AbortSignal,
  size: PageSize
): AsyncGenerator<Batch> {
  let cursor = from
  for await (const batch of pulled(client, cursor, options, signal, size)) {
    cursor = batch.cursor
    yield batch
  }
  if (options.isOnce === true || cursor === undefined) return
  const lost = new AbortController()
  const end = () => lost.abort(noResponse("the network was lost"))
  // Some connections stay open without a network, and are silent.
  network?.addEventListener("offline", end)
  try {
    yield* live(client, cursor, options, AbortSignal.any([signal, lost.signal]))
  } finally {
    network?.removeEventListener("offline", end)
  }
}

/** Whether another attempt can succeed without a change of the client. */
const isTemporary = (error: unknown): error is SheafError => {
  if (!(error instanceof SheafError)) return false
  const { code, status } = error.problem
  // A proxy has responded instead of the server, or the cursor was too old.
  return code === "unexpected_response" || status < 400 || status >= 500 || [408, 410, 425, 429].includes(status)
}

/** Resolves after some milliseconds, when the network is back, or when the signal is aborted. */
const pauseOffline = async (millis: number, signal: AbortSignal): Promise<void> => {
  const isBack = new AbortController()
  const end = () => isBack.abort()
  network?.addEventListener("online", end)
  await pause(millis, AbortSignal.any([signal, isBack.signal]))
  network?.removeEventListener("online", end)
}

/**
 * Returns everything that exists in the workspace, or everything since a cursor, and then each change as it happens. No
 * change is missed and none comes out of order, also when connections are lost, the server restarts, or the cursor has
 * expired meanwhile: then what happened is fetched. Ends with the signal. Rejects if the credential is refused.
 */
export async function* follow(client: Client, options: FollowOptions = {}): AsyncGenerator<Batch> {
  const signal = options.signal ?? new AbortController().signal
  let { cursor } = options
  let failures = 0
  const size = { records: maxRecords }
  let isGiven = cursor !== undefined
  while (!signal.aborted) {
    const began = performance.now()
    let retryAfter = 0
    try {
      for await (const batch of attempt(client, cursor, options, signal, size)) {
        cursor = batch.cursor
        isGiven = false
        if (batch.changes.length > 0) failures = 0
        yield batch
        if (signal.aborted) return
      }
      if (options.isOnce === true) return
    } catch (error) {
      if (signal.aborted) return
      // The server has lost the key of its cursors. Later cursors are refused if the client has changed its workspace.
      if (isGiven && isProblem(error, "invalid_cursor")) {
        cursor = undefined
        isGiven = false
        continue
      }
      if (options.isOnce === true || !isTemporary(error)) throw error
      options.onConnection?.(error)
      size.records = Math.max(1, Math.floor(size.records / 2))
      retryAfter = error.retryAfter ?? 0
    }
    if (performance.now() - began > steady) failures = 0
    const { longestWait } = client
    await pauseOffline(Math.max(pauseAfter(failures++, longestWait), Math.min(longestWait, retryAfter)), signal)
  }
}
