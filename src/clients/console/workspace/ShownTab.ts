/**
 * Resolves when the tab is shown or `ended` is aborted, with a signal that is aborted when the tab is hidden or `ended` is
 * aborted. Browsers have six connections to a server over HTTP/1.1: if each hidden tab kept a stream, the seventh tab could
 * not load, and no tab could save.
 */
export const untilShown = (ended: AbortSignal): Promise<AbortSignal> =>
  new Promise((resolve) => {
    const hidden = new AbortController()
    const end = () => {
      document.removeEventListener("visibilitychange", look)
      ended.removeEventListener("abort", end)
      hidden.abort()
      resolve(hidden.signal)
    }
    let wasShown = false
    const look = () => {
      if (document.visibilityState === "visible") {
        wasShown = true
        resolve(hidden.signal)
      } else if (wasShown) end()
    }
    if (ended.aborted) return end()
    ended.addEventListener("abort", end)
    document.addEventListener("visibilitychange", look)
    look()
  })
