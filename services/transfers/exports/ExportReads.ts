import { statementOf } from "../../database/ReachedRows.ts"
import type { ExportParameters } from "./ExportMessages.ts"

/** Executes a statement on the connection of an export, and returns its rows. */
export type Execute = <Row extends object>(text: string, params: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Row>>

/** Reads the snapshot that is exported, as far as the credential of the export reaches. */
export class ExportReads {
  readonly #execute: Execute
  readonly #parameters: ExportParameters

  constructor(execute: Execute, parameters: ExportParameters) {
    this.#execute = execute
    this.#parameters = parameters
  }

  #statement(text: string, params: ReadonlyArray<unknown>) {
    const { now, reach, workspace_id } = this.#parameters
    return statementOf({ workspace_id, reach: reach ?? undefined }, now, text, params)
  }

  readonly query: Execute = (text, params) => {
    const own = this.#statement(text, params)
    return this.#execute(own.text, own.params)
  }

  /** The rows of one query, `size` at a time. One such query runs at a time. */
  async *pages<Row extends object>(
    text: string,
    params: ReadonlyArray<unknown>,
    size: number
  ): AsyncGenerator<ReadonlyArray<Row>> {
    const own = this.#statement(text, params)
    await this.#execute(`DECLARE pages NO SCROLL CURSOR FOR ${own.text}`, own.params)
    while (true) {
      const page = await this.#execute<Row>(`FETCH ${size} FROM pages`, [])
      if (page.length > 0) yield page
      if (page.length < size) break
    }
    await this.#execute("CLOSE pages", [])
  }
}
