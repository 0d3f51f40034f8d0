import { useEffect, useRef, useState } from "preact/hooks"
import { SheafError } from "../../../client/SheafClient.ts"

/** The part of a list that a request asks for. */
interface PageInput {
  readonly limit: number
  readonly cursor?: string
}

interface Page<Row> {
  readonly data: ReadonlyArray<Row>
  readonly next_cursor: string | null
}

/** The pages of a list that were read so far. */
export interface Pages<Row> {
  /** The rows of each page. A page that was read keeps its identity. Undefined before the first response. */
  readonly pages: ReadonlyArray<ReadonlyArray<Row>> | undefined
  readonly hasMore: boolean
  readonly isBusy: boolean
  readonly failure: SheafError | undefined
  /** Reads the next page. */
  readonly more: () => Promise<void>
  /** Reads the first page again, and drops the others. */
  readonly reload: () => Promise<void>
}

/** Rows of a page. */
const pageSize = 100

/**
 * Reads a list of the API in pages, and from its beginning again when one of `inputs` changes. What a busy server refuses is
 * read again when it says so.
 */
export const usePages = <Row>(
  read: (page: PageInput) => Promise<Page<Row>>,
  inputs: ReadonlyArray<unknown>
): Pages<Row> => {
  const [pages, setPages] = useState<ReadonlyArray<ReadonlyArray<Row>>>()
  const [cursor, setCursor] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(true)
  const [failure, setFailure] = useState<SheafError>()
  /** The last reading: results of earlier ones are not shown. */
  const reading = useRef(0)
  const load = async (from: string | null) => {
    const own = ++reading.current
    setIsBusy(true)
    try {
      const { data, next_cursor } = await read({ limit: pageSize, ...(from === null ? {} : { cursor: from }) })
      if (own !== reading.current) return
      setPages((earlier) => (from === null ? [data] : [...(earlier ?? []), data]))
      setCursor(next_cursor)
      setFailure(undefined)
    } catch (error) {
      if (!(error instanceof SheafError)) throw error
      if (own !== reading.current) return
      setFailure(error)
      if (error.retryAfter !== undefined) setTimeout(() => own === reading.current && void load(from), error.retryAfter)
    } finally {
      if (own === reading.current) setIsBusy(false)
    }
  }
  useEffect(() => {
    void load(null)
    // The result of a list that is not shown any more is dropped.
    return () => void reading.current++
  }, inputs)
  return { pages, hasMore: cursor !== null, isBusy, failure, more: () => load(cursor), reload: () => load(null) }
}

/** Rows that are all known, as a list. */
export const wholeList = <Row>(rows: ReadonlyArray<Row>): Pages<Row> => ({
  pages: [rows],
  hasMore: false,
  isBusy: false,
  failure: undefined,
  more: async () => {},
  reload: async () => {}
})
