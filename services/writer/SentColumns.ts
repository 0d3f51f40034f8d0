import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result } from "effect"
import type { Shape, SqlType } from "../tables/Column.ts"

/** How the values of a column are sent: the element type of their array, and how each is put into it and cast back. */
interface Transport {
  readonly element: number
  readonly cast: string
  readonly of: (value: any) => unknown
}

const as = (element: number, cast = "", of: (value: any) => unknown = (value) => value): Transport => ({
  element,
  cast,
  of
})

/** A literal of `text[]`: PostgreSQL's arrays of arrays must be rectangular, arrays of literals need not be. */
const arrayLiteral = (texts: ReadonlyArray<string>): string =>
  texts.length === 0 ? "{}" : `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`

const transports: Readonly<Record<SqlType, Transport>> = {
  text: as(PgTypes.OID.text),
  int: as(PgTypes.OID.int4),
  // Numbers of JavaScript, exact up to 2^53.
  bigint: as(PgTypes.OID.float8, "::bigint"),
  boolean: as(PgTypes.OID.bool),
  json: as(PgTypes.OID.text, "::json", (value) => (value === null ? null : JSON.stringify(value))),
  "text[]": as(PgTypes.OID.text, "::text[]", arrayLiteral)
}

const elementNames: Readonly<Record<number, string>> = {
  [PgTypes.OID.text]: "text",
  [PgTypes.OID.int4]: "int",
  [PgTypes.OID.float8]: "float8",
  [PgTypes.OID.bool]: "boolean"
}

/** The values of rows by column, `workspace_id` first. */
export class SentColumns {
  readonly names: ReadonlyArray<string>
  readonly #transports: ReadonlyArray<Transport>
  readonly #values: ReadonlyArray<Array<unknown>>

  constructor(columns: Shape) {
    this.names = ["workspace_id", ...Object.keys(columns)]
    this.#transports = ["text" as const, ...Object.values(columns).map(({ type }) => type)].map(
      (type) => transports[type]
    )
    this.#values = this.names.map(() => [])
  }

  add(workspace_id: string, row: any): void {
    this.#values[0]!.push(workspace_id)
    for (let index = 1; index < this.names.length; index++) {
      this.#values[index]!.push(this.#transports[index]!.of(row[this.names[index]!]))
    }
  }

  get params(): ReadonlyArray<PgTypes.Parameter> {
    return this.#values.map((values, index) =>
      Result.getOrThrow(PgTypes.array(values, this.#transports[index]!.element))
    )
  }

  /** The rows as a table expression `x`. */
  from(param: () => number): string {
    const arrays = this.#transports.map(({ element }) => `$${param()}::${elementNames[element]}[]`)
    return `unnest(${arrays.join(", ")}) AS x(${this.names.join(", ")})`
  }

  /** The columns of `x`, cast to their types. */
  get selected(): string {
    return this.names.map((name, index) => `x.${name}${this.#transports[index]!.cast}`).join(", ")
  }
}
