import { pause } from "./Aborting.ts"
import { noResponse, type Problem, SheafError } from "./ClientProblem.ts"
import { textOf } from "./ResponseText.ts"

/** The body of a request, made again for each repetition. */
export type Body = () => NonNullable<RequestInit["body"]>

/** How requests are sent. */
export interface RequestSettings {
  /** The `{base_url}`, with `/v2`. */
  readonly url: string
  readonly fetch: typeof fetch
  /** Maximum number of repetitions of a request. */
  readonly retries: number
  /** Longest wait before a repetition, in milliseconds. A server that asks for a longer one is not asked again. */
  readonly longestWait: number
  /** Called after each attempt: whether a response has come. */
  readonly watchers: ReadonlySet<(isReached: boolean) => void>
}

/** A request, which may be sent several times. */
export interface Sending {
  readonly method: string
  /** Below the base URL, or a whole URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
  readonly signal?: AbortSignal | undefined
  /** Maximum milliseconds until the response begins. Without it there is no limit. */
  readonly patience?: number | undefined
  /** Whether the request may be sent again although the server may have processed it. */
  readonly isRepeatable: boolean
  /** The result of a deletion whose repetition finds no record. */
  readonly ifGone?: () => unknown
}

/** Milliseconds before the first repetition without a Retry-After; each further one doubles it. */
const firstWait = 300

/** Milliseconds of a `Retry-After` (RFC 9110, section 10.2.3). */
const retryAfterOf = (response: Response): number | undefined => {
  const text = response.headers.get("retry-after")
  if (text === null) return undefined
  const millis = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(millis) ? undefined : Math.max(0, millis)
}

const isProblem = (value: Partial<Problem> | null | undefined): value is Problem => typeof value?.code === "string"

/** The error of a response that is not successful. */
const errorOf = async (response: Response, signal: AbortSignal | undefined): Promise<SheafError> => {
  const retryAfter = retryAfterOf(response)
  const text = await textOf(response, signal)
  let body: Partial<Problem> | null | undefined
  try {
    body = JSON.parse(text)
  } catch {
    // A page of a proxy.
  }
  const { status } = response
  if (isProblem(body)) return new SheafError(body, { retryAfter })
  const detail = `The response (${status}) is not of Sheaf`
  return new SheafError({ code: "unexpected_response", status, detail }, { retryAfter })
}

/** Whether a repetition may succeed: too many requests, an overload, or a proxy without a server. */
const isTemporary = ({ problem }: SheafError): boolean =>
  [429, 502, 503, 504].includes(problem.status) || problem.code === "idempotency_in_progress"

/** Whether the server has surely changed nothing. */
const isRefused = ({ problem }: SheafError): boolean => [429, 503].includes(problem.status)

const sendOnce = async ({ fetch, url, watchers }: RequestSettings, sending: Sending): Promise<Response> => {
  const { body, headers, method, path, patience, signal } = sending
  let response: Response | undefined
  const late = new AbortController()
  const timer =
    patience === undefined ? undefined : setTimeout(() => late.abort(new Error("no response began")), patience)
  try {
    response = await fetch(/^https?:/.test(path) ? path : url + path, {
      method,
      headers,
      // `duplex` is needed for a stream, which is then not awaited before the response.
      ...(body === undefined ? {} : { body: body(), duplex: "half" }),
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    })
  } catch (cause) {
    signal?.throwIfAborted()
    throw noResponse(cause)
  } finally {
    clearTimeout(timer)
    if (!signal?.aborted) watchers.forEach((watcher) => watcher(response !== undefined))
  }
  if (response.ok || response.status === 304) return response
  throw await errorOf(response, signal)
}

/** Sends a request, and again while that may help. Rejects with a SheafError, or with the reason of the signal. */
export const send = async <A>(
  settings: RequestSettings,
  sending: Sending,
  read: (response: Response) => Promise<A>
): Promise<A> => {
  /** Whether the response to an earlier attempt was lost, which may have been processed. */
  let wasLost = false
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await sendOnce(settings, sending)
      try {
        return await read(response)
      } catch (cause) {
        sending.signal?.throwIfAborted()
        // The connection ended in the middle of the response.
        throw cause instanceof SheafError ? cause : noResponse(cause)
      }
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      // The record that an earlier attempt has deleted.
      if (wasLost && error.problem.status === 404 && sending.ifGone !== undefined) return sending.ifGone() as A
      const isLost = error.problem.code === "no_response"
      wasLost ||= isLost
      if (attempt >= settings.retries) throw error
      if (!(isLost || isTemporary(error)) || !(sending.isRepeatable || isRefused(error))) throw error
      // Clients that failed together do not come back together.
      const own = Math.min(firstWait * 2 ** attempt * (0.5 + Math.random()), settings.longestWait)
      const { retryAfter = 0 } = error
      if (retryAfter > settings.longestWait) throw error
      await pause(Math.max(own, retryAfter), sending.signal)
      sending.signal?.throwIfAborted()
    }
  }
}
