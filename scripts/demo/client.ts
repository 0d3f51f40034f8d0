/** A client as an outsider would write it from the contract: `fetch`, a key, JSON. It imports nothing of Sheaf. */
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
  readonly device_id?: string | null
}

export interface PushEntry {
  readonly mutation_id: string
  readonly type: string
  readonly op: "upsert" | "delete"
  readonly id: string
  readonly revision?: number
  readonly data: Readonly<Record<string, unknown>>
}

export interface Conflict {
  readonly type: string
  readonly id: string
  readonly reason: string
  readonly revision: number
  readonly client_revision: number
  readonly server: ChangeEntry | null
  readonly client: PushEntry | null
  readonly base: {
    readonly revision: number
    readonly data: Readonly<Record<string, unknown>>
  } | null
}

export interface SyncResponse {
  readonly cursor: string
  readonly changes: readonly ChangeEntry[]
  readonly has_more: boolean
  readonly conflicts: readonly Conflict[]
  readonly device_id?: string
}

export interface PushResult {
  readonly index: number
  readonly id: string
  readonly status: "applied" | "duplicate" | "conflict" | "rejected"
  readonly revision: number
  readonly error?: { readonly code?: string; readonly detail?: string } | null
}

export interface PushResponse extends SyncResponse {
  readonly results: readonly PushResult[]
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
  /** Set by the first pull. */
  deviceId: string | undefined

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

  push(changes: readonly PushEntry[]): Promise<PushResponse> {
    return this.post<PushResponse>("/sync/push", { changes })
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

  /** Sends bytes to a signed address, without the key. */
  async putFile(url: string, headers: Readonly<Record<string, string>>, bytes: Uint8Array): Promise<void> {
    const response = await this.#fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) })
    if (response.status !== 200) throw await this.#failure("PUT", new URL(url).pathname, response)
    await response.body?.cancel()
  }

  async getFile(url: string): Promise<Buffer> {
    const response = await this.#fetch(url, {})
    if (response.status !== 200) throw await this.#failure("GET", new URL(url).pathname, response)
    return Buffer.from(await response.arrayBuffer())
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
      await sleep(wait * 1000) // repeating a push is safe: each entry has its mutation_id
    }
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set("Authorization", `Bearer ${this.#key}`)
    if (this.deviceId !== undefined) headers.set("Device-Id", this.deviceId)
    return this.#fetch(this.#base + path, { ...init, headers })
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (init.signal?.aborted && (init.signal.reason as Error)?.name === "AbortError") throw error
      const cause = (error as { cause?: { code?: string; message?: string } }).cause
      const why = cause?.code ?? cause?.message ?? (error as Error).message
      throw new DemoError(
        `No response from ${new URL(url).origin} (${why}): is the server running? Set SHEAF_URL for another address`
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
