import { useEffect, useRef, useState } from "preact/hooks"
import { SheafError } from "../../client/SheafClient.ts"

/** The last value that was read, and the failure of the last reading, if any. */
export interface Reading<A> {
  readonly value: A | undefined
  readonly failure: SheafError | undefined
  readonly reload: () => Promise<void>
}

/**
 * Reads something of the server, and again when one of `inputs` changes. While the page is visible it is read again
 * `waitOf` milliseconds after each reading; undefined is never. What a busy server refuses is read again when it says so.
 */
export const useReading = <A>(
  read: () => Promise<A>,
  inputs: ReadonlyArray<unknown>,
  waitOf: (value: A | undefined) => number | undefined = () => undefined
): Reading<A> => {
  const [result, setResult] = useState<Omit<Reading<A>, "reload">>({ value: undefined, failure: undefined })
  /** The last reading: results of earlier ones are not shown. */
  const reading = useRef(0)
  const reload = async () => {
    const own = ++reading.current
    try {
      const value = await read()
      if (own === reading.current) setResult({ value, failure: undefined })
    } catch (failure) {
      if (!(failure instanceof SheafError)) throw failure
      if (own === reading.current) setResult(({ value }) => ({ value, failure }))
    }
  }
  useEffect(() => {
    void reload()
    return () => void reading.current++
  }, inputs)
  useEffect(() => {
    const wait = result.failure?.retryAfter ?? waitOf(result.value)
    if (wait === undefined) return
    const again = () => {
      if (!document.hidden) return void reload()
      // Read when the page is shown.
      document.addEventListener("visibilitychange", again, { once: true })
    }
    const timer = setTimeout(again, wait)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", again)
    }
  }, [result, ...inputs])
  return { ...result, reload }
}
