/** The little of `pg` that the bench uses (the package ships no types). */
declare module "pg" {
  interface Result<Row> {
    rows: Row[]
  }
  interface Query {
    name?: string
    text: string
    values?: readonly unknown[]
  }
  interface Settings {
    host?: string
    port?: number
    user?: string
    password?: string
    database?: string
    max?: number
    options?: string
  }
  export class Pool {
    constructor(settings: Settings)
    query<Row>(query: string | Query): Promise<Result<Row>>
    on(event: "error", listener: (error: Error) => void): void
    end(): Promise<void>
  }
  const pg: {
    Pool: typeof Pool
    types: { setTypeParser: (oid: number, parse: (text: string) => unknown) => void }
  }
  export default pg
}
