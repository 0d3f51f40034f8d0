import { createCollection, createTransaction } from "@tanstack/db"
import { describe, expect, inject, it } from "vitest"
import { openSync } from "../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../src/clients/sync/SyncStore.ts"
import { sheafCollectionOptions } from "../../src/clients/tanstack/SheafCollection.ts"
import { Sheaf } from "../../src/program/testing/Sheaf.ts"
import { testAdapter } from "../support/adapters/AdapterRules.ts"
import { testRestore } from "../support/adapters/RestoreRules.ts"
import { startTanStackDevice } from "../support/adapters/TanStackDevice.ts"

describe("a collection of TanStack DB", () => {
  testAdapter(startTanStackDevice)
  testRestore(startTanStackDevice)

  it("merges a transaction with what has changed since it began, and rejects a text that is too large", async () => {
    await using sheaf = await Sheaf.start({ postgres: inject("postgres") })
    const { client } = sheaf
    const [inbox] = (await client.listNotebooks()).data
    const { id } = await client.createNote({ notebook_id: inbox!.id, title: "Shared", body: "one two\n" })
    const engine = await openSync({ client, store: memoryStore() })
    const notes = createCollection(sheafCollectionOptions({ engine, type: "note" }))
    await engine.sync()
    await notes.preload()

    const { acceptMutations } = notes.utils
    const transaction = createTransaction({
      autoCommit: false,
      mutationFn: ({ transaction }) => acceptMutations(transaction)
    })
    transaction.mutate(() => notes.update(id, (note) => void (note.body = "one mine two\n")))
    await client.updateNote({ id, version: 1, body: "one two\ntheirs\n" })
    await engine.sync()
    await transaction.commit()
    expect(notes.get(id)).toMatchObject({ body: "one mine two\ntheirs\n", version: 2 })
    await engine.sync()
    expect((await client.getNote({ id })).body).toBe("one mine two\ntheirs\n")

    const large = notes.update(id, (note) => void (note.body = "x".repeat(2_000_000)))
    await expect(large.isPersisted.promise).rejects.toThrow("A text has at most 1048576")
    expect(notes.get(id)).toMatchObject({ body: "one mine two\ntheirs\n" })
    await engine.close()
  })
})
