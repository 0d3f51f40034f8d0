import { randomId } from "./RandomId.ts"
import { unlessAborted } from "./Aborting.ts"
import type { adminOperations } from "./generated/AdminOperationTable.ts"
import { operations } from "./generated/OperationTable.ts"
import { isProblem, SheafError, unexpected } from "./ClientProblem.ts"
import { type Body, type RequestSettings, send } from "./Requests.ts"
import { silence, textOf } from "./ResponseText.ts"
import { memorySession, type Session, type SessionStore, Tokens } from "./ClientSession.ts"
import type { CallOptions, InputOf, List, Methods, Schemas } from "./Types.ts"
import type { operations as Operations } from "./generated/Schema.ts"

/** Options of a client. */
export interface ClientOptions {
  /** The `{base_url}`, with `/v2`, such as `https://notes.example.org/v2`. */
  readonly url: string
  /** An API key. Without it the client signs in. */
  readonly key?: string
  /** Where the session is kept, by default in memory. */
  readonly session?: SessionStore
  /** The workspace of all calls, with a session; by default the personal workspace of the user. */
  readonly workspace?: string
  /** Sent with each request, so that changes name this device. */
  readonly device?: string
  readonly fetch?: typeof fetch
  /** Maximum number of repetitions of a request, by default 4. */
  readonly retries?: number
  /** Longest wait before a repetition, in milliseconds, by default a minute. */
  readonly longestWait?: number
}

/** A request to the server with the credential of a client. */
interface Asking {
  readonly method: string
  readonly path: string
  readonly body?: Body
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  readonly patience?: number | undefined
  readonly isRepeatable: boolean
  readonly ifGone?: () => unknown
  /** Without the credential. */
  readonly isOpen?: boolean
  /** Sends this request instead of the `fetch` of the client. */
  readonly fetch?: typeof fetch
}

/** Operations that take no credential. */
const open = new Set<string>([
  "registerUser",
  "logIn",
  "offerPasskey",
  "logInByPasskey",
  "refreshTokens",
  "forgotPassword",
  "resetPassword",
  "getDescription",
  "getErrorCode"
] satisfies ReadonlyArray<keyof typeof operations>)

/** POST operations that change nothing, or repeat the same result themselves, and take no idempotency key. */
const withoutKey = new Set<string>(["searchNotes", "pullChanges", ...open, "logOut", "changePassword"])

/** Checks the address of a server, and removes slashes from its end. */
const addressOf = (url: string): string => {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol)) {
    throw new TypeError("url must be like https://example.com/v2")
  }
  return address.href.replace(/\/+$/, "")
}

interface Route {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<string>
}

const routeOf = (text: string): Route => {
  const [, method = "", path = "", query = ""] = /^(\w+) ([^?]+)\??(.*)$/.exec(text) ?? []
  return { method, path, query: query.match(/\w+/g) ?? [] }
}

/** The parts of an input: those in the path, in the query, and the rest for the body. */
const placed = ({ method, path, query }: Route, input: Readonly<Record<string, unknown>>) => {
  const rest: Record<string, unknown> = { ...input }
  const taken = (name: string) => {
    const value = rest[name]
    delete rest[name]
    return value
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = taken(name)
    if (value === undefined || value === "") throw new TypeError(`${name} is required`)
    return encodeURIComponent(String(value))
  })
  const parameters = new URLSearchParams()
  // A GET has no body: what is not in the path is in the query.
  for (const name of method === "GET" ? Object.keys(rest) : query) {
    const value = taken(name)
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  const isBody = Object.keys(rest).length > 0
  return {
    path: parameters.size === 0 ? filled : `${filled}?${parameters}`,
    ...(isBody ? { body: JSON.stringify(rest) } : {})
  }
}

/** The ETags of results. */
const etags = new WeakMap<object, string>()

const etagOf = (ifMatch: object | string): string => {
  const etag = typeof ifMatch === "string" ? ifMatch : etags.get(ifMatch)
  if (etag === undefined) throw new TypeError("ifMatch: no ETag")
  // The server only has strong tags: a proxy that compresses responses has made it weak.
  return etag.replace(/^W\//, "")
}

const readJson = async (response: Response, signal: AbortSignal | undefined): Promise<unknown> => {
  if (response.headers.get("content-type")?.includes("json") !== true) {
    await response.body?.cancel()
    throw unexpected("The response is not JSON", response.status)
  }
  const body: unknown = JSON.parse(await textOf(response, signal))
  const etag = response.headers.get("etag")
  if (etag !== null && typeof body === "object" && body !== null) etags.set(body, etag)
  return body
}

/** A client of one server. All operations of the API are methods, by the names of its description. */
export class Client {
  /** Longest wait before a repetition, in milliseconds. */
  readonly longestWait: number
  readonly #settings: RequestSettings
  readonly #options: ClientOptions
  readonly #tokens: Tokens
  /** Called after each attempt of a request: whether a response has come. */
  readonly watchers = new Set<(isReached: boolean) => void>()

  constructor(options: ClientOptions) {
    this.#options = options
    this.longestWait = options.longestWait ?? 60_000
    this.#settings = {
      url: addressOf(options.url),
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
      retries: options.retries ?? 4,
      longestWait: this.longestWait,
      watchers: this.watchers
    }
    this.#tokens = new Tokens(options.session ?? memorySession(), (refresh_token) =>
      this.call<Session>("refreshTokens", { refresh_token }, { patience: silence })
    )
  }

  /** Signs in, and keeps the session. */
  async signIn(input: InputOf<Operations["logIn"]>): Promise<Session> {
    const session = await this.call<Session>("logIn", input)
    await this.#tokens.store.write(session)
    return session
  }

  /** Creates an account, and keeps its session. */
  async signUp(input: InputOf<Operations["registerUser"]>): Promise<Session> {
    const session = await this.call<Session>("registerUser", input)
    await this.#tokens.store.write(session)
    return session
  }

  /** Ends the session. Without a network it is only forgotten here. */
  async signOut(): Promise<void> {
    try {
      await this.call("logOut", {})
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
    } finally {
      await this.#tokens.store.write(undefined)
    }
  }

  /** Calls an operation by its name. */
  call<Output>(
    name: keyof typeof operations,
    input?: Readonly<Record<string, unknown>>,
    options?: CallOptions
  ): Promise<Output> {
    return this.callAt(name, operations[name], input, options)
  }

  /** Calls an operation at its entry of a table. */
  async callAt<Output>(
    name: string,
    entry: string,
    input: Readonly<Record<string, unknown>> = {},
    options: CallOptions = {}
  ): Promise<Output> {
    const route = routeOf(entry)
    const { method } = route
    const { body, path } = placed(route, input)
    const hasKey = method === "POST" && !withoutKey.has(name)
    const { changeSet, idempotencyKey = randomId(), ifMatch, patience, signal, workspace } = options
    const asking: Asking = {
      method,
      path,
      signal,
      patience,
      ...(body === undefined ? {} : { body: () => body }),
      // A repetition with If-Match would conflict with the first request, if that was processed. A task has another id by then.
      isRepeatable: ifMatch === undefined && name !== "updateTask",
      ...(method === "DELETE" ? { ifGone: () => ({ id: input["id"], deleted: true }) } : {}),
      isOpen: open.has(name),
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(hasKey ? { "idempotency-key": idempotencyKey } : {}),
        ...(ifMatch === undefined ? {} : { "if-match": etagOf(ifMatch) }),
        ...(changeSet === undefined ? {} : { "change-set": changeSet }),
        ...(workspace === undefined ? {} : { "workspace-id": workspace })
      }
    }
    // The description states the type of the response.
    return this.ask(asking, (response) => readJson(response, signal) as Promise<Output>)
  }

  /**
   * Sends a request with the credential of the client, and again with a new token if that has expired or is not valid
   * any more. A session that was ended elsewhere is forgotten when the server refuses its refresh token too.
   */
  async ask<A>(asking: Asking, read: (response: Response) => Promise<A>): Promise<A> {
    const { device, key, workspace } = this.#options
    const isOpen = asking.isOpen === true
    const token = isOpen ? undefined : (key ?? (await this.#tokens.store.read())?.access_token)
    const sent = (token: string | undefined) =>
      send(
        { ...this.#settings, fetch: asking.fetch ?? this.#settings.fetch },
        {
          ...asking,
          headers: {
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...(device === undefined || isOpen ? {} : { "device-id": device }),
            ...(workspace === undefined || isOpen ? {} : { "workspace-id": workspace }),
            ...asking.headers
          }
        },
        read
      )
    try {
      return await sent(token)
    } catch (error) {
      if (key !== undefined || token === undefined || !isProblem(error, "token_expired", "invalid_token")) {
        throw error
      }
      return sent(await unlessAborted(this.#tokens.renewed(token), asking.signal))
    }
  }
}

const paged = <Output extends Schemas["NotePage"]>(
  get: (cursor: string | undefined) => Promise<Output>
): List<Output> => {
  const first = get(undefined)
  // Who only iterates sees a failure there.
  first.catch(() => {})
  const items = async function* () {
    for (let page = await first; ; page = await get(page.next_cursor!)) {
      yield* page.data
      if (!page.has_more || page.next_cursor === null) return
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items }) as unknown as List<Output>
}

/** A method for each operation of a table. */
export const methodsOf = (client: Client, table: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [
      name,
      (input?: Readonly<Record<string, unknown>>, options?: CallOptions) => {
        const call = <Output>(more: object) => client.callAt<Output>(name, entry, { ...input, ...more }, options)
        return entry.includes("cursor")
          ? paged((cursor) => call<Schemas["NotePage"]>(cursor === undefined ? {} : { cursor }))
          : call({})
      }
    ])
  )

/** A client with all operations as methods, except those on the whole server. */
export type SheafClient = Client & Omit<Methods, keyof typeof adminOperations>

/** Creates a client. It sends no request by itself. Throws a TypeError if `url` is no address. */
export const createClient = (options: ClientOptions): SheafClient => {
  const client = new Client(options)
  return Object.assign(client, methodsOf(client, operations)) as unknown as SheafClient
}
