import { expect, it } from "vitest"
import { newId } from "../../../src/clients/sync/Edit.ts"
import { eventually } from "../flows/eventually.ts"
import { RestoringServer } from "../storage/RestoringServer.ts"
import { type StartDevice, untilEqual } from "./AdapterScenario.ts"
import type { Network } from "./Network.ts"

/** What an adapter does after a restore of the server. */
export const testRestore = (start: StartDevice): void => {
  it("pushes again what a restored server lacks or has in an earlier state", async () => {
    await using server = await RestoringServer.start()
    const client = server.client()
    const notebook_id = (await client.listNotebooks()).data[0]!.id
    const { id } = await client.createNote({ notebook_id, title: "Shared", body: "first" })
    await server.save()
    // A test of a network without faults needs its client alone.
    const device = await start({ client } as Network)
    await eventually("the note", async () => (await device.records()).some((record) => record.id === id))
    const late = newId("nt_")
    await device.change(id, { body: "first lost" })
    await device.insert({ id: late, type: "note", data: { notebook_id, title: "Late", body: "late" } })
    const textsOf = async (ids: ReadonlyArray<string>) =>
      Promise.all(
        ids.map((each) =>
          client.getNote({ id: each }).then(
            ({ body }) => body,
            () => undefined
          )
        )
      )
    const have = (texts: ReadonlyArray<string>) => async () => (await textsOf([id, late])).join() === texts.join()
    await eventually("both changes", have(["first lost", "late"]))
    await untilEqual({ client } as never, device)
    await server.restore()
    await device.change(late, { body: "late mine" })
    await eventually("what was lost", have(["first lost", "late mine"]), 40)
    await untilEqual({ client } as never, device)
    expect((await client.listNotes()).data).toHaveLength(2)
    await device.stop()
  })
}
