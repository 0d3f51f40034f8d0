import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Redacted } from "effect"
import { getRxStorageLocalstorage } from "rxdb/plugins/storage-localstorage"
import { describe, inject, it } from "vitest"
import { Random } from "../../src/program/testing/Random.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { acceptKey } from "../support/acceptKey.ts"
import { testAdapter } from "../support/adapters/AdapterRules.ts"
import { testRestore } from "../support/adapters/RestoreRules.ts"
import { untilEqual } from "../support/adapters/AdapterScenario.ts"
import { Network } from "../support/adapters/Network.ts"
import { startRxDevice } from "../support/adapters/RxDevice.ts"
import { eventually } from "../support/flows/eventually.ts"
import { DiskItems } from "../support/replicas/DiskItems.ts"
import { nameOf } from "../support/replicas/Replica.ts"
import { ReplicaProcess } from "../support/replicas/ReplicaProcess.ts"

describe("a replicated RxDB collection", () => {
  testAdapter(startRxDevice)
  testRestore(startRxDevice)

  it("pushes what was changed before a restart, after the clock was set back", async () => {
    await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
    const [inbox] = (await sheaf.client.listNotebooks()).data
    const { id } = await sheaf.client.createNote({ notebook_id: inbox!.id, title: "Clock", body: "one" })
    const folder = mkdtempSync(join(tmpdir(), "sheaf-clock-"))
    const server = { url: sheaf.url, key: sheaf.key, nodes: [sheaf.url] }
    // Its clock is days ahead, and that of this process is not.
    const settings = { server, folder, name: "p", seed: 1, kind: "rxdb", count: 1 } as const
    const before = new ReplicaProcess(settings, () => {})
    await before.start()
    await eventually("the note", async () => (await before.records())[0]!.some((record) => record.id === id))
    await before.kill()

    const path = join(folder, "0")
    const storage = getRxStorageLocalstorage({ localStorage: new DiskItems(path) })
    const network = new Network(sheaf, new Random(1))
    network.goOffline()
    const offline = await startRxDevice(network, { storage, name: nameOf(path) })
    await offline.change(id, { body: "one two" })
    await offline.stop()

    network.goOnline()
    const after = await startRxDevice(network, { storage, name: nameOf(path) })
    await eventually("the change", async () => (await sheaf.client.getNote({ id })).body === "one two")
    await untilEqual(sheaf, after)
    await after.stop()
    rmSync(folder, { recursive: true })
  })

  it("has the notes of some notebooks, also when they come or go", async () => {
    await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
    const { client } = sheaf
    const [kept, other] = [
      await client.createNotebook({ name: "Kept" }),
      await client.createNotebook({ name: "Other" })
    ]
    const [one, two] = [
      await client.createNote({ notebook_id: kept.id, title: "One" }),
      await client.createNote({ notebook_id: other.id, title: "Two" })
    ]
    const device = await startRxDevice({ client }, { notebooks: [kept.id] })
    const titles = async () => (await device.records()).flatMap(({ data }) => data["title"] ?? []).toSorted()
    const have = (...wanted: ReadonlyArray<string>) =>
      eventually(wanted.join(), async () => (await titles()).join() === wanted.join())
    await have("One")
    await client.updateNote({ id: two.id, notebook_id: kept.id })
    await have("One", "Two")
    await client.updateNote({ id: one.id, notebook_id: other.id })
    await have("Two")
    await device.stop()
  })

  it("pulls everything again from a server that has lost its secret key", async () => {
    await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
    const [inbox] = (await sheaf.client.listNotebooks()).data
    const { id } = await sheaf.client.createNote({ notebook_id: inbox!.id, title: "Deleted" })
    const nodes = [sheaf.url]
    const network = new Network({ url: sheaf.url, key: sheaf.key, nodes }, new Random(1))
    const device = await startRxDevice(network)
    await untilEqual(sheaf, device)
    network.goOffline()
    await sheaf.client.deleteNote({ id, permanent: true })
    await sheaf.client.createNote({ notebook_id: inbox!.id, title: "Created" })

    const secretKey = Redacted.make(new Uint8Array(32).fill(8))
    await acceptKey(sheaf, secretKey)
    await using other = await Sheaf.start({ postgres: inject("postgres"), databaseOf: sheaf, settings: { secretKey } })
    nodes.splice(0, 1, other.url)
    network.goOnline()
    await untilEqual(other, device)
    await device.stop()
  })
})
