import { expect, isPull, type Scene, syncedThrough, toFirst } from "./Scene.ts"
import { changed, instead, type Network } from "./Wire.ts"

export const responseScenes: ReadonlyArray<Scene> = [
  {
    name: "later-server",
    proves: "members, types and headers that the client does not know change nothing",
    source: "contract, rule 4: extra response members are allowed",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      const more = { later_member: { deep: [1, null] } }
      const card = {
        type: "card",
        id: "cd_scene0000000000000001",
        op: "upsert",
        revision: 1,
        data: { front: "?" },
        ...more
      }
      one.wire.network = async ({ path }, send) => {
        const answer = await send()
        if (!path.startsWith("/sync/") || answer.status >= 300) return answer
        return changed(answer, (body) => ({
          ...body,
          ...more,
          ...(body.changes && {
            changes: [
              ...body.changes.map((each: any) => ({
                ...each,
                ...more,
                ...(each.data && { data: { ...each.data, ...more } })
              })),
              ...(isPull(path) ? [card] : [])
            ]
          }),
          ...(body.results && { results: body.results.map((each: object) => ({ ...each, ...more })) })
        }))
      }
      await one.write("note", note, { title: "Herons" })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "New", body: "egret" })
      await stage.settled("Herons", "egret")
    }
  },
  {
    name: "older-state",
    proves: "a page with an earlier revision does not replace a later one",
    source: "clients.md, Pull: a lower revision never replaces a higher one",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await stage.server.updateNote({ id: note, body: "The crane waits" })
      await one.write("note", note, { pinned: true })
      const old: Network = async ({ path }, send) => {
        const answer = await send()
        return isPull(path)
          ? changed(answer, (body) => ({
              ...body,
              changes: body.changes.map((each: any) =>
                each.id === note
                  ? {
                      ...each,
                      revision: 1,
                      data: { ...each.data, version: 1, pinned: false, body: "The heron waits" }
                    }
                  : each
              )
            }))
          : answer
      }
      await syncedThrough(one, old)
      await stage.settled("crane")
    }
  },
  {
    name: "proxy-pages",
    proves: "pages of a proxy, with status 200 or 502, are no response of the server",
    source: "clients.md, Requests and files",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Typed" })
      for (const status of [200, 502]) {
        await syncedThrough(one, async () => instead(status, "<html>Please sign in to this network</html>"))
        expect(
          (await one.read()).records.get(note)?.data["title"] === "Typed",
          "the client has dropped the word 'Typed' of note 'Birds' after a page of a proxy"
        )
      }
      await stage.settled("Typed")
    }
  },
  {
    name: "overloaded",
    proves: "after 503 the client waits for Retry-After, and loses no edit",
    source: "interface, Errors 3: 503 responses carry Retry-After",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Typed" })
      one.wire.network = toFirst(
        () => true,
        async () =>
          instead(503, { status: 503, code: "overloaded", title: "Overloaded", detail: "Busy" }, { "retry-after": "1" })
      )
      await stage.settled("Typed")
    }
  },
  {
    name: "rate-limited",
    proves: "after 429 the client waits for Retry-After, and loses no edit",
    source: "contract 2, rate limits: 429 adds Retry-After",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Typed" })
      one.wire.network = toFirst(
        (path) => path.startsWith("/sync/pu"),
        async () =>
          instead(
            429,
            { status: 429, code: "rate_limited", title: "Too many requests", detail: "Later" },
            { "retry-after": "1" }
          )
      )
      await stage.settled("Typed")
    }
  }
]
