import { decoded, folded } from "../../../../services/markdown/LinkText.ts"
import { SheafError, type SheafClient } from "../../client/SheafClient.ts"
import { quoted } from "../notes/NoteFilter.ts"

/** Milliseconds for which an address is used: the server signs it for fifteen minutes, and returns the same for five. */
const life = 5 * 60_000
/** Maximum number of addresses that are known. */
const maxAddresses = 200
/** Maximum number of files whose names contain the one that is looked for. */
const maxNamed = 20

type Address = Promise<string | undefined>

type Addresses = Map<string, { readonly until: number; readonly url: Address }>

/** The addresses that each client has read: another workspace may have a file with the same id. */
const read = new WeakMap<SheafClient, Addresses>()

/** Returns the address that was read for a key in the last minutes, or asks for it; undefined if it cannot be read. */
const recent = (client: SheafClient, key: string, ask: () => Promise<string | null | undefined>): Address => {
  const addresses: Addresses = read.get(client) ?? new Map()
  read.set(client, addresses)
  const known = addresses.get(key)
  if (known !== undefined && known.until > Date.now()) return known.url
  const url = ask().then(
    (found) => {
      // The file may come.
      if (found == null) addresses.delete(key)
      return found ?? undefined
    },
    (error: unknown) => {
      addresses.delete(key)
      if (error instanceof SheafError) return undefined
      throw error
    }
  )
  addresses.delete(key)
  addresses.set(key, { until: Date.now() + life, url })
  if (addresses.size > maxAddresses) addresses.delete(addresses.keys().next().value!)
  return url
}

/** The address of a file. */
export const addressOfFile = (client: SheafClient, id: string): Address =>
  recent(client, id, async () => (await client.getAttachment({ id })).url)

/** The address of a file of a note by the target of a link: `attachment:` and its id, or a path whose last part is its name. */
export const addressOfTarget = (client: SheafClient, note: string | undefined, target: string): Address => {
  const [, id] = /^attachment:([\w-]+)$/.exec(target) ?? []
  if (id !== undefined) return addressOfFile(client, id)
  return recent(client, `${note} ${target}`, async () => {
    if (note === undefined) return undefined
    const name = decoded(target).replace(/^.*\//, "")
    const filter = `note_id = ${note} filename:${quoted(name)}`
    const { data } = await client.listAttachments({ filter, limit: maxNamed })
    return data.find(({ filename }) => folded(filename) === folded(name))?.url
  })
}
