const scope: unknown = globalThis
/** Browsers report here by the events `offline` and `online` that the network is lost or back; Node does not. */
export const network = scope instanceof EventTarget ? scope : undefined

/** Resolves after some milliseconds, or when the signal is aborted. */
export const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve()
    const ended = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", ended)
      resolve()
    }
    const timer = setTimeout(ended, millis)
    signal?.addEventListener("abort", ended, { once: true })
  })

/** Milliseconds before the next attempt, doubled with each one in a row that has failed. */
export const pauseAfter = (failures: number, longest: number): number =>
  // Clients that failed together do not come back together.
  Math.min(longest, 1_000 * 2 ** failures) * (0.5 + Math.random() / 2)

/** Resolves as a promise does, or rejects with the reason of the signal. */
export const unlessAborted = <A>(promise: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  new Promise((resolve, reject) => {
    const ended = () => reject(signal!.reason)
    void promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", ended))
    if (signal?.aborted === true) return ended()
    signal?.addEventListener("abort", ended, { once: true })
  })
