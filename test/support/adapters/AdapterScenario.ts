import { isDeepStrictEqual } from "node:util"
import { expect, vi } from "vitest"
import { follow, isProblem, type RecordType, type Schemas } from "../../../src/clients/client/SheafClient.ts"
import type { Refused } from "../../../src/clients/sync/EditQueue.ts"
import type { Data } from "../../../services/records/Merge.ts"
import { newId } from "../../../src/clients/sync/Edit.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { epoch, type Sheaf } from "../../../src/program/testing/Sheaf.ts"
import { eventually } from "../flows/eventually.ts"
import { Network } from "./Network.ts"

/** A record, as the user or the server has it. */
export interface TypedRecord {
  readonly id: string
  readonly type: string
  readonly data: Data
}

/** A device with an adapter, as a test uses it. */
export interface AdapterDevice {
  /** The records that the user sees. */
  readonly records: () => Promise<ReadonlyArray<TypedRecord>>
  readonly insert: (record: TypedRecord) => Promise<void>
  /** Changes members of a record. */
  readonly change: (id: string, data: Data) => Promise<void>
  readonly remove: (id: string) => Promise<void>
  /** Calls a listener with the id and the version of each note that is shown. */
  readonly watch: (listener: (id: string, version: number) => void) => void
  readonly stop: () => Promise<void>
}

export type StartDevice = (
  network: Network,
  options?: { readonly onRefused?: (refused: Refused) => void; readonly types?: ReadonlyArray<RecordType> }
) => Promise<AdapterDevice>

interface Device {
  readonly name: string
  readonly network: Network
  readonly adapter: AdapterDevice
}

const wordsOf = (text: unknown): ReadonlyArray<string> => (typeof text === "string" ? (text.match(/\S+/g) ?? []) : [])

/** Everything that the server has, by id. */
export const serverRecords = async ({ client }: Pick<Sheaf, "client">): Promise<ReadonlyMap<string, TypedRecord>> => {
  const records = new Map<string, TypedRecord>()
  for await (const { changes } of follow(client, { isOnce: true })) {
    for (const { data, id, op, type } of changes) {
      if (op === "upsert") records.set(id, { id, type, data })
    }
  }
  return records
}

const sortedById = (records: Iterable<TypedRecord>) =>
  [...records].map(({ data, id, type }) => ({ id, type, data })).toSorted((one, other) => (one.id < other.id ? -1 : 1))

/** Waits until a device has exactly what the server has. */
export const untilEqual = async (sheaf: Sheaf, adapter: AdapterDevice): Promise<void> => {
  let seen: ReadonlyArray<unknown> = []
  let truth: ReadonlyArray<unknown> = []
  const isEqual = async () => {
    seen = sortedById(await adapter.records())
    truth = sortedById((await serverRecords(sheaf)).values())
    return isDeepStrictEqual(seen, truth)
  }
  await eventually("the device has what the server has", isEqual).catch(() => expect(seen).toEqual(truth))
}

/** Two devices and a user of the REST API type words, each unique, into the same notes. */
export class AdapterScenario {
  private readonly sheaf: Sheaf
  private readonly random: Random
  private readonly devices: Array<Device> = []
  private readonly notes: Array<string> = []
  private readonly words: Array<string> = []

  constructor(sheaf: Sheaf, seed: number) {
    this.sheaf = sheaf
    this.random = new Random(seed)
  }

  /**
   * Types with lost responses, offline, with an expired cursor, and against deletions, until the devices have what the
   * server has. Returns the words that are lost, and those that are in the notes twice.
   */
  async run(
    start: StartDevice
  ): Promise<{ readonly lost: ReadonlyArray<string>; readonly twice: ReadonlyArray<string> }> {
    // The devices have the clock of the server, which decides what counts as written offline.
    vi.useFakeTimers({ toFake: ["Date"], now: epoch })
    const { client } = this.sheaf
    const { data } = await client.listNotebooks()
    for (const title of ["One", "Two", "Three"]) {
      const body = "Some words are here.\nThis is the second line.\n"
      this.notes.push((await client.createNote({ notebook_id: data[0]!.id, title, body })).id)
    }
    try {
      for (const name of ["a", "b"]) {
        const network = new Network(this.sheaf, new Random(this.random.between(1, 1e6)))
        const adapter = await start(network)
        this.devices.push({ name, network, adapter })
        await untilEqual(this.sheaf, adapter)
      }
      const [a, b] = this.devices as [Device, Device]
      b.network.lostPushes = 0.25
      await this.type(12)
      a.network.goOffline()
      await this.type(12)
      b.network.goOffline()
      await this.offline(a)
      await this.offline(b)
      await this.type(12)
      await this.sheaf.advance("2 days")
      vi.setSystemTime(epoch + 2 * 86_400_000)
      a.network.goOnline()
      b.network.goOnline()
      await this.type(6)
      b.network.lostPushes = 0
      for (const { adapter } of this.devices) await untilEqual(this.sheaf, adapter)
      // The last push of one device may have changed the other.
      for (const { adapter } of this.devices) await untilEqual(this.sheaf, adapter)
      return await this.checkedWords()
    } finally {
      for (const { adapter } of this.devices) await adapter.stop()
      vi.useRealTimers()
    }
  }

  private word(name: string): string {
    const word = `${name}${this.words.length}`
    this.words.push(word)
    return word
  }

  private withWord(body: unknown, word: string): string {
    const parts = String(body).split(/(?<=\s)/)
    return parts
      .toSpliced(this.random.between(0, parts.length), 0, this.random.pick([`${word} `, `${word}\n`]))
      .join("")
  }

  private async type(count: number): Promise<void> {
    for (let done = 0; done < count; done++) {
      const writer = this.random.pick([...this.devices, undefined])
      const id = this.random.pick(this.notes)
      await (writer === undefined ? this.typeByRest(id) : this.typeOn(writer, id))
    }
  }

  private async typeOn({ adapter, name }: Device, id: string): Promise<void> {
    const note = (await adapter.records()).find((record) => record.id === id)
    if (note === undefined) return
    await adapter.change(id, { body: this.withWord(note.data["body"], this.word(name)) })
  }

  private async typeByRest(id: string): Promise<void> {
    const word = this.word("rest")
    while (true) {
      try {
        const { body, version } = await this.sheaf.client.getNote({ id })
        await this.sheaf.client.updateNote({ id, version, body: this.withWord(body, word) })
        return
      } catch (error) {
        if (isProblem(error, "not_found")) return void this.words.splice(this.words.indexOf(word), 1)
        if (!isProblem(error, "precondition_failed")) throw error
      }
    }
  }

  /** A notebook with a note; the deletion of a note that others may change. */
  private async offline({ adapter, name }: Device): Promise<void> {
    const [notebook, note] = [newId("nb_"), newId("nt_")]
    await adapter.insert({ id: notebook, type: "notebook", data: { name } })
    const data = { notebook_id: notebook, title: name, body: this.word(name) }
    await adapter.insert({ id: note, type: "note", data })
    await adapter.change(note, { body: `${data.body} ${this.word(name)}` })
    if (name === "a") await adapter.remove(this.notes[2]!)
    else await this.typeOn({ adapter, name } as Device, this.notes[2]!)
  }

  /** A word is lost if it is in no note, also not in its history. */
  private async checkedWords() {
    const records = await serverRecords(this.sheaf)
    const bodies = [...records.values()].filter(({ type }) => type === "note").map(({ data }) => data["body"])
    const found = bodies.flatMap(wordsOf)
    const lost = new Set(this.words.filter((word) => !found.includes(word)))
    for (const id of lost.size === 0 ? [] : this.notes) {
      for (const { body } of await this.versions(id)) for (const word of wordsOf(body)) lost.delete(word)
    }
    return { lost: [...lost], twice: this.words.filter((word) => found.filter((each) => each === word).length > 1) }
  }

  private async versions(id: string): Promise<ReadonlyArray<Schemas["NoteVersion"]>> {
    const { client } = this.sheaf
    const versions: Array<Schemas["NoteVersion"]> = []
    for await (const { version } of client.listNoteVersions({ id })) {
      versions.push(await client.getNoteVersion({ id, version }))
    }
    return versions
  }
}
