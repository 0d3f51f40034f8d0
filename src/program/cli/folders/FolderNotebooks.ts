import { createHash } from "node:crypto"
import { join } from "node:path"
import { isProblem, type SheafClient } from "../../../clients/client/SheafClient.ts"
import { writePrivate } from "../../PrivateFile.ts"
import { Refused } from "../Refused.ts"
import { storedIn } from "./FolderConnection.ts"

interface Notebook {
  readonly name: string
  readonly parent_id: string | null
}

const allOf = async (client: SheafClient): Promise<ReadonlyMap<string, Notebook>> => {
  const all = new Map<string, Notebook>()
  for await (const { id, name, parent_id } of client.listNotebooks({ limit: 100 })) all.set(id, { name, parent_id })
  return all
}

/** The ids of notebooks by ids or paths of names. */
const named = (all: ReadonlyMap<string, Notebook>, text: string): ReadonlyArray<string> => {
  const pathOf = (id: string): string => {
    const { name, parent_id } = all.get(id)!
    return parent_id === null || !all.has(parent_id) ? name : `${pathOf(parent_id)}/${name}`
  }
  return text.split(",").map((wanted) => {
    const id = [...all.keys()].find((each) => each === wanted.trim() || pathOf(each) === wanted.trim())
    if (id === undefined) throw new Refused({ message: `There is no notebook ${wanted}` })
    return id
  })
}

/** Whether the server selects the notebooks of a key, so that a client cannot (contract 6). */
const isLimited = async (client: SheafClient): Promise<boolean> => {
  try {
    await client.pullChanges({ notebooks: ["nb_none"], limit: 1 })
    return false
  } catch (error) {
    if (isProblem(error, "validation_failed")) return true
    throw error
  }
}

interface Reach {
  /** The hash of the key. */
  readonly key: string
  /** The topmost notebooks that a limited key reaches; null for a key of the whole workspace. */
  readonly notebooks: ReadonlyArray<string> | null
}

/**
 * The topmost notebooks that a limited key reaches; null for a key of the whole workspace. They stay the same for a key, so
 * that its folder has one layout, and starts without a network.
 */
const reachOf = async (client: SheafClient, state: string, secret: string): Promise<Reach["notebooks"]> => {
  const [file, key] = [join(state, "reach.json"), createHash("sha256").update(secret).digest("hex")]
  const known = storedIn<Reach>(file)
  if (known?.key === key) return known.notebooks
  let notebooks: Reach["notebooks"] = null
  if (await isLimited(client)) {
    const all = await allOf(client)
    notebooks = [...all].flatMap(([id, { parent_id }]) => (parent_id !== null && all.has(parent_id) ? [] : [id]))
    if (notebooks.length === 0) throw new Refused({ message: "The notebooks of the key are gone" })
  }
  writePrivate(file, JSON.stringify({ key, notebooks } satisfies Reach))
  return notebooks
}

/** The notebooks that are synced: those of a limited key, or those that are wanted; all if there are neither. */
export const notebooksFor = async (
  client: SheafClient,
  state: string,
  key: string,
  wanted: string | undefined
): Promise<{ readonly notebooks?: ReadonlyArray<string>; readonly isLimited?: boolean }> => {
  const reached = await reachOf(client, state, key)
  if (wanted === undefined) return reached === null ? {} : { notebooks: reached, isLimited: true }
  const notebooks = named(await allOf(client), wanted)
  if (reached === null) return { notebooks }
  if (reached.some((id) => !notebooks.includes(id)) || notebooks.length > reached.length)
    throw new Refused({ message: "The key is for some notebooks, which are synced without --notebook" })
  return { notebooks, isLimited: true }
}
