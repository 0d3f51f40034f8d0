import { describe, expect, it } from "vitest"
import type { Batch } from "../../src/clients/client/SheafClient.ts"
import { change, FollowedServer, page, type Respond } from "../support/devices/FollowedServer.ts"

const isLast = ({ changes }: Batch) => changes.some(({ id }) => id === "last")
const invalid = expect.objectContaining({ problem: expect.objectContaining({ code: "invalid_cursor" }) })

describe("of the cursors that a server refuses, follow", () => {
  const refusal = () => Response.json({ code: "invalid_cursor", status: 400, detail: "Refused" }, { status: 400 })

  it.each([true, false])("replaces that of the caller by everything (isOnce: %s)", async (isOnce) => {
    const pages = [refusal, () => page("c1", [change("x")], true), () => page("c2", [change("last")])]
    const server = new FollowedServer(pages, undefined, { cursor: "c0", isOnce, isEnded: isLast })
    await server.ended
    expect(server.pulls).toEqual(["c0", undefined, "c1"])
    expect(server.batches.map(({ isFirst }) => isFirst)).toEqual([true, false])
    expect(server.errors).toEqual([])
  })

  it("replaces that of the caller also after lost connections", async () => {
    const fails = () => Promise.reject(new TypeError("no network"))
    const server = new FollowedServer([fails, refusal, () => page("c1", [change("last")])], undefined, {
      cursor: "c0",
      isEnded: isLast
    })
    await server.ended
    expect(server.pulls).toEqual(["c0", "c0", undefined])
  })

  it.each<[string, Array<Respond>, string | undefined, ReadonlyArray<string | undefined>]>([
    ["in the first pull", [() => page("c1", [change("x")], true), refusal], undefined, [undefined, "c1"]],
    ["after that of the caller", [() => page("c1", [change("x")], true), refusal], "c0", ["c0", "c1"]],
    ["after it began again", [refusal, () => page("c0", [change("x")], true), refusal], "c0", ["c0", undefined, "c0"]],
    ["when it pulls everything", [refusal], "c0", ["c0", undefined]]
  ])("rejects with later ones: %s", async (_, pages, cursor, pulls) => {
    const server = new FollowedServer(pages, undefined, { cursor })
    await expect(server.ended).rejects.toEqual(invalid)
    expect(server.pulls).toEqual(pulls)
  })
})
