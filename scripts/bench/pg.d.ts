/** The part of `pg` that the bench uses (the package ships no types). */
declare module "pg" {
  export class Pool {
    constructor(settings: { host: string; port: number; user: string; database: string; max: number })
    query<Row>(query: string | { name: string; text: string; values: ReadonlyArray<unknown> }): Promise<{ rows: Row[] }>
    on(event: "error", listener: (error: Error) => void): void
    end(): Promise<void>
  }
  const pg: {
    Pool: typeof Pool
    types: { setTypeParser: (oid: number, parse: (text: string) => unknown) => void }
  }
  export default pg
}
