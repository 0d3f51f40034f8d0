import { Redacted } from "effect"
import { expect, it } from "vitest"
import { resealTokens } from "../../services/notes/shares/ShareTokens.ts"
import { acceptKey } from "../support/acceptKey.ts"
import { startApp } from "../support/TestApp.ts"

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))

it("share links stay readable after a change of the secret key, also without the previous key", async () => {
  const before = await startApp({ settings: { secretKey: key(1) } })
  try {
    const notebook_id = (await before.call("GET", "/notebooks")).body.data[0].id
    const note_id = (await before.call("POST", "/notes", { notebook_id, title: "Shared" })).body.id
    const share = (await before.call("POST", "/shares", { note_id })).body
    const changing = await startApp({
      databaseOf: before,
      settings: { secretKey: key(2), secretKeyPrevious: key(1) }
    })
    try {
      expect((await changing.call("GET", `/shares/${share.id}`)).body).toEqual(share)
      await changing.run(resealTokens)
      const after = await startApp({ databaseOf: before, settings: { secretKey: key(2) } })
      try {
        expect((await after.call("GET", `/shares/${share.id}`)).body).toEqual(share)
      } finally {
        await after.stop()
      }
    } finally {
      await changing.stop()
    }
  } finally {
    await before.stop()
  }
})

it("share links are encrypted again even when no known key opens another link", async () => {
  const lost = await startApp({ settings: { secretKey: key(3) } })
  const [{ id: notebook_id }] = (await lost.call("GET", "/notebooks")).body.data
  const note_id = (await lost.call("POST", "/notes", { notebook_id, title: "Shared" })).body.id
  await lost.call("POST", "/shares", { note_id })
  await acceptKey(lost, key(4))
  const before = await startApp({ databaseOf: lost, settings: { secretKey: key(4) } })
  const share = (await before.call("POST", "/shares", { note_id })).body
  const changing = await startApp({ databaseOf: lost, settings: { secretKey: key(5), secretKeyPrevious: key(4) } })
  await changing.run(resealTokens)
  const after = await startApp({ databaseOf: lost, settings: { secretKey: key(5) } })
  expect((await after.call("GET", `/shares/${share.id}`)).body).toEqual(share)
  for (const app of [after, changing, before, lost]) await app.stop()
})
