import { useEffect } from "preact/hooks"
import type { Pages } from "./usePages.ts"

/** Milliseconds between two readings. */
const beforeReading = 2_000

/** Reads a list again from time to time while some of its rows are about to change. */
export const useRefresh = <Row>({ failure, pages, reload }: Pages<Row>, isChanging: (row: Row) => boolean): void => {
  const isDue = pages?.some((rows) => rows.some(isChanging)) === true
  useEffect(() => {
    if (!isDue) return
    const timer = setTimeout(() => void reload(), beforeReading)
    return () => clearTimeout(timer)
  }, [pages, failure])
}
