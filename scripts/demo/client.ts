/** Requests of the REST API and the stream, as an outsider would write them: `fetch`, a key, JSON. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** A failure that the demo prints in one line before it exits. */
export class DemoError extends Error {}

export interface ChangeEntry {
  readonly type: string
  readonly id: string
  readonly op: "upsert" | "delete"
  readonly revision: number
  readonly data: Readonly<Record<string, unknown>> | null
}

interface Problem {
  readonly title?: string
  readonly detail?: string
  readonly code?: string
  readonly request_id?: string
}

export async function readKey(environment: NodeJS.ProcessEnv): Promise<string> {
  if (environment["SHEAF_KEY"]) return environment["SHEAF_KEY"].trim()
  const file = join(environment["DATA_DIR"] || "./data", "bootstrap.json")
  try {
    const { api_key, secret } = JSON.parse(await readFile(file, "utf8")) as {
      api_key?: unknown
      secret?: unknown
    }
    const key = api_key ?? secret
    if (typeof key === "string" && key !== "") return key
  } catch {
    // The message below is sufficient.
  }
  throw new DemoError(`No API key: set SHEAF_KEY, or DATA_DIR to the folder with bootstrap.json (${file} has none)`)
}

export class Client {
  readonly #base: string
  readonly #key: string

  constructor(base: string, key: string) {
    this.#base = base.replace(/\/+$/, "")
    this.#key = key
  }

  get<T>(path: string): Promise<T> {
    return this.#call<T>("GET", path, undefined, 200)
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#call<T>("POST", path, body, 201)
  }

  /** An open server-sent event stream; the caller ends it with `signal`. */
  async stream(cursor: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {
      Accept: "text/event-stream",
      "Cache-Control": "no-cache"
    }
    if (lastEventId !== undefined) headers["Last-Event-ID"] = lastEventId
    const response = await this.#send(`/sync/stream?cursor=${encodeURIComponent(cursor)}`, {
      headers,
      signal
    })
    if (response.status !== 200) throw await this.#failure("GET", "/sync/stream", response)
    const type = response.headers.get("content-type") ?? ""
    if (!type.startsWith("text/event-stream")) throw new DemoError(`GET /sync/stream returned ${type}, no event stream`)
    return response
  }

  async #call<T>(method: string, path: string, body: unknown, expected: number): Promise<T> {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    for (let attempt = 1; ; attempt += 1) {
      const init: RequestInit = { method, signal: AbortSignal.timeout(60_000) }
      if (sent !== undefined) {
        init.body = sent
        init.headers = { "Content-Type": "application/json" }
      }
      const response = await this.#send(path, init)
      if (response.status === expected) return (await response.json()) as T
      const wait = Number(response.headers.get("retry-after"))
      if (![429, 503].includes(response.status) || attempt === 5 || !(wait <= 60)) {
        throw await this.#failure(method, path, response)
      }
      await response.body?.cancel()
      await sleep(wait * 1000)
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set("Authorization", `Bearer ${this.#key}`)
    try {
      return await fetch(this.#base + path, { ...init, headers })
    } catch (error) {
      if (init.signal?.aborted && (init.signal.reason as Error)?.name === "AbortError") throw error
      const cause = (error as { cause?: { code?: string; message?: string } }).cause
      const why = cause?.code ?? cause?.message ?? (error as Error).message
      throw new DemoError(
        `No response from ${new URL(this.#base).origin} (${why}): is the server running? Set SHEAF_URL for another address`
      )
    }
  }

  async #failure(method: string, path: string, response: Response): Promise<DemoError> {
    const text = await response.text()
    let problem: Problem = {}
    try {
      problem = JSON.parse(text) as Problem
    } catch {
      // Not a problem document: only the status is known.
    }
    const what = problem.detail ?? problem.title ?? (text.slice(0, 200).replace(/\s+/g, " ") || "no body")
    const marks = [problem.code, problem.request_id].filter(Boolean).join(", ")
    const hint = response.status === 401 ? "; is SHEAF_KEY correct?" : ""
    return new DemoError(
      `${method} ${path.replace(/\?.*/, "")} returned ${response.status}: ${what}${marks && ` (${marks})`}${hint}`
    )
  }
}
