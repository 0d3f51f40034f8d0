import type { TestApp } from "../TestApp.ts"

/** Returns the hash of each table, for comparisons. */
export const tableHashes = async (app: TestApp): Promise<Readonly<Record<string, string>>> => {
  const names = await app.sql(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
  )
  const hashes = names.map(async ({ name }: any) => {
    const [row] = await app.sql(
      `SELECT md5(coalesce(string_agg(t::text, '' ORDER BY t::text), '')) AS hash FROM ${name} t`
    )
    return [name, row.hash]
  })
  return Object.fromEntries(await Promise.all(hashes))
}
