import { noResponse, unexpected } from "./ClientProblem.ts"

/** Maximum milliseconds without a byte of a response: the server sends a comment to streams each 15 s. */
export const silence = 45_000

/** Maximum number of characters of a response that is kept in memory. */
const longestText = 128 * 1024 * 1024

/** The text of a response, piece by piece. Rejects if the response breaks off, or is silent for too long. */
export async function* piecesOf(response: Response, signal?: AbortSignal): AsyncGenerator<string> {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const stop = () => void reader.cancel(signal?.reason).catch(() => {})
  signal?.addEventListener("abort", stop, { once: true })
  try {
    while (true) {
      let timer: ReturnType<typeof setTimeout> | undefined
      // Only while it reads: a caller may process a piece for longer.
      const silent = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("the response was silent")), silence)
      })
      const { done, value } = await Promise.race([reader.read(), silent])
        .catch((cause: unknown) => {
          signal?.throwIfAborted()
          throw noResponse(cause)
        })
        .finally(() => clearTimeout(timer))
      signal?.throwIfAborted()
      if (done) return
      yield value
    }
  } finally {
    signal?.removeEventListener("abort", stop)
    // The caller has stopped reading, or the response was silent: its connection is closed.
    void reader.cancel().catch(() => {})
  }
}

/** The whole text of a response. */
export const textOf = async (response: Response, signal?: AbortSignal): Promise<string> => {
  let text = ""
  for await (const piece of piecesOf(response, signal)) {
    text += piece
    if (text.length > longestText) throw unexpected("The response is too long", response.status)
  }
  return text
}
