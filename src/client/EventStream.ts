/** An event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface StreamEvent {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

/** Maximum milliseconds without a byte: the server sends a comment each 15 s. */
const silence = 45_000

const eventOf = (block: string): StreamEvent | undefined => {
  let [event, data, id]: [string, string | undefined, string | undefined] = ["message", undefined, undefined]
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === "event") event = value
    else if (name === "id") id = value
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`
  }
  return data === undefined ? undefined : { event, data, id }
}

/** Reads the events of a response until it ends. Rejects if it breaks off, or is silent for too long. */
export async function* eventsOf(response: Response, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const stop = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  let text = ""
  try {
    while (true) {
      let timer: ReturnType<typeof setTimeout> | undefined
      const silent = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("the stream was silent for too long")), silence)
      })
      const { done, value } = await Promise.race([reader.read(), silent]).finally(() => clearTimeout(timer))
      signal.throwIfAborted()
      if (done) return
      const blocks = (text + value.replaceAll("\r", "")).split("\n\n")
      text = blocks.pop()!
      for (const block of blocks) {
        const event = eventOf(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    signal.removeEventListener("abort", stop)
    // The caller has stopped reading, or the stream was silent: its connection is closed.
    void reader.cancel().catch(() => {})
  }
}
