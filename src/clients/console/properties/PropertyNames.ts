import type { Schemas, SheafClient } from "../../client/SheafClient.ts"

/** Maximum number of pages of names that are offered, and of names in each. */
const most = { pages: 5, names: 100 }

export type NamedProperty = Schemas["NoteProperty"]

/** Reads the names of the properties of all notes, with the types of their values. */
export const readPropertyNames = async (client: SheafClient): Promise<ReadonlyArray<NamedProperty>> => {
  const found: Array<NamedProperty> = []
  let cursor: string | null | undefined
  for (let page = 0; page < most.pages && cursor !== null; page++) {
    const { data, next_cursor } = await client.listProperties({ limit: most.names, ...(cursor ? { cursor } : {}) })
    found.push(...data)
    cursor = next_cursor
  }
  return found
}
