/** A process with replicas of one user, who works with them as its parent says, until the process is killed. */
import { jump } from "./JumpingClock.ts"
import { join } from "node:path"
import { SheafError } from "../../../src/clients/client/SheafClient.ts"
import { newId } from "../../../src/clients/sync/Edit.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import type { TypedRecord } from "../adapters/AdapterScenario.ts"
import { Network } from "../adapters/Network.ts"
import { type Kind, starts } from "./Replica.ts"

/** What a process gets as its argument, as JSON. */
export interface ReplicaSettings {
  readonly server: { readonly url: string; readonly key: string; readonly nodes: ReadonlyArray<string> }
  readonly folder: string
  /** The words of the process begin with it. */
  readonly name: string
  readonly seed: number
  readonly kind: Kind
  readonly count: number
}

/** What a parent asks for. */
export type Asked = { readonly steps: number } | "records"

/** What a process sends: a word that is stored, a refused edit, a jump of its clock, and the response to its parent. */
export type Sent =
  | { readonly typed: string }
  | { readonly refused: unknown }
  | { readonly jumped: number }
  | { readonly done: ReadonlyArray<ReadonlyArray<TypedRecord>> }

const { count, folder, kind, name, seed, server }: ReplicaSettings = JSON.parse(process.argv[2]!)
const random = new Random(seed)
const day = 24 * 3600_000
let words = 0

const send = (sent: Sent): void => void process.send!(sent)

const open = async (index: number) => {
  const network = new Network(server, new Random(random.between(1, 1e6)))
  network.lostPushes = 0.15
  const onRefused = (refused: unknown) => send({ refused })
  const { client } = network
  return { network, replica: await starts[kind]({ client, path: join(folder, String(index)), onRefused }) }
}

type User = Awaited<ReturnType<typeof open>>

/** Types a new word by an edit, which resolves to false if there was nothing to edit. */
const type = async (edit: (word: string) => Promise<boolean>): Promise<void> => {
  const word = `${name}${kind}${++words}`
  if (await edit(word)) send({ typed: word })
}

/** A text with a new word between two others, or instead of one that no user has typed. */
const written = (text: unknown, word: string): string => {
  const parts = String(text ?? "").split(/(?<=\s)/)
  const at = random.between(0, parts.length)
  const isReplaced = parts[at]?.startsWith("common") === true && random.chance(0.5)
  return parts.toSpliced(at, isReplaced ? 1 : 0, random.pick([`${word} `, `${word}\n`])).join("")
}

/** A promise that resolves if the server has not responded to a request, such as without a network. */
const unlessOffline = (request: Promise<unknown>): Promise<unknown> =>
  request.catch((error: unknown) => {
    if (!(error instanceof SheafError)) throw error
  })

/** The next action of a user, who is not faster than the network, if there is one. */
const step = async (user: User): Promise<void> => {
  const { network, replica } = user
  const records = await replica.records()
  const [note, notebook] = ["note", "notebook"].map((type) => {
    const found = records.filter((record) => record.type === type)
    return found.length === 0 ? undefined : random.pick(found)
  })
  await unlessOffline(network.client.listTags())
  const what = random.weighted({
    write: 10,
    rename: 2,
    note: 2,
    notebook: 1,
    remove: 1,
    offline: 1,
    online: 2,
    jump: 1
  })
  if (what === "offline") network.goOffline()
  else if (what === "online") network.goOnline()
  else if (what === "jump") {
    const jumped = random.between(-2 * day, 2 * day)
    jump(jumped)
    send({ jumped })
  } else if (what === "notebook") {
    await replica.insert({ id: newId("nb_"), type: "notebook", data: { name: "Notebook" } })
  } else if (what === "note" && notebook !== undefined) {
    const data = { notebook_id: notebook.id, body: "common1 common2 common3\ncommon4 common5\n" }
    await type(async (title) => {
      await replica.insert({ id: newId("nt_"), type: "note", data: { ...data, title } })
      return true
    })
  } else if (what === "remove") {
    const removed = random.chance(0.2) ? notebook : note
    if (removed !== undefined) await replica.remove(removed)
  } else if (note !== undefined) {
    await type((word) =>
      replica.edit(note, ({ body, title }) =>
        what === "rename" ? { title: `${String(title)} ${word}` } : { body: written(body, word) }
      )
    )
  }
}

const users = await Promise.all(Array.from({ length: count }, (_, index) => open(index)))

process.on("message", async (asked: Asked) => {
  if (asked === "records") {
    for (const { network, replica } of users) {
      network.lostPushes = 0
      if (network.isOffline) network.goOnline()
      await unlessOffline(replica.sync())
    }
    send({ done: await Promise.all(users.map(({ replica }) => replica.records())) })
  } else {
    for (let left = asked.steps; left > 0; left--) await step(random.pick(users))
    send({ done: [] })
  }
})
process.on("disconnect", () => process.exit())
send({ done: [] })
