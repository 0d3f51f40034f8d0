import type { StreamEvent } from "../EventStream.ts"

/** Address and API key of a running Sheaf: a test App or a program. */
export interface Server {
  readonly url: string
  readonly key: string
}

export interface WireResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: any
}

/** Sends one request, as a client in any language does. */
export const call = async (
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {}
): Promise<WireResponse> => {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${server.key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  // A proxy has its own error pages.
  const isJson = response.headers.get("content-type")?.includes("json") === true
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : isJson ? JSON.parse(text) : text
  }
}

/** Returns all items of a list, page by page. */
export const listAll = async (server: Server, path: string, limit = 100): Promise<Array<any>> => {
  const items: Array<any> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { body, status } = await call(
      server,
      "GET",
      `${path}?limit=${limit}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    )
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
    items.push(...body.data)
    cursor = body.next_cursor
  }
  return items
}

/** The event in a block of a stream; undefined for a comment. */
export const eventIn = (block: string): StreamEvent | undefined => {
  const fields = new Map(
    block.split("\n").map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
    })
  )
  const event = fields.get("event")
  return event === undefined ? undefined : { id: fields.get("id"), event, data: JSON.parse(fields.get("data")!) }
}

/** An open event stream. */
export interface OpenStream {
  /** Resolves when the stream has ended, by either side. */
  readonly ended: Promise<void>
  readonly isOpen: () => boolean
  readonly close: () => Promise<void>
}

/** Opens an event stream and calls `onEvent` for each event until it is closed. */
export const openStream = async (
  server: Server,
  lastEventId: string | undefined,
  onEvent: (event: StreamEvent) => void
): Promise<OpenStream> => {
  const abort = new AbortController()
  const response = await fetch(`${server.url}/sync/stream`, {
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${server.key}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
    }
  })
  if (response.status !== 200) throw new Error(`stream: ${response.status} ${await response.text()}`)
  let open = true
  const read = async () => {
    const decoder = new TextDecoder()
    let text = ""
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes, { stream: true })
      const blocks = text.split("\n\n")
      text = blocks.pop()!
      for (const event of blocks.flatMap((block) => eventIn(block) ?? [])) if (open) onEvent(event)
    }
  }
  const ended = read()
    .catch((error) => {
      // A broken or aborted connection ends the stream; an error in `onEvent` is a failure.
      if (error instanceof TypeError || error.name === "AbortError" || error.code === "UND_ERR_SOCKET") return
      throw error
    })
    .finally(() => (open = false))
  // Prevents an unhandled rejection; `ended` still rejects for its users.
  ended.catch(() => {})
  return {
    ended,
    isOpen: () => open,
    close: () => {
      open = false
      abort.abort()
      return ended
    }
  }
}
