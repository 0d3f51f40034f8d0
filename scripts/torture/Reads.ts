/** The operations that read: what they receive must agree with all that was received before. */
import type { Hand } from "./Change.ts"
import type { Scene } from "./Scene.ts"
import { hashOf, pathOf } from "./Ways.ts"
import { bodyOf } from "./Wire.ts"

type Read = (scene: Scene, hand: Hand) => Promise<void>

/** Pulls all changes since a cursor. Calls `take` with each, and returns the next cursor. */
export const pullFrom = async (
  scene: Scene,
  from: string | undefined,
  take: (change: any) => void
): Promise<string> => {
  let cursor = from
  for (;;) {
    const { reply } = await scene.call("POST", "/sync/pull", {
      body: { limit: 500, ...(cursor === undefined ? {} : { cursor }) }
    })
    const page = bodyOf(reply!)
    if (reply!.status === 410) cursor = page.resync_cursor ?? undefined
    else if (reply!.status !== 201) throw new Error(`pull: ${reply!.status} ${page.code}`)
    else {
      for (const change of page.changes) {
        if (change.data !== null) scene.model.saw(change.id, change.revision, change.data, "pull")
        take(change)
      }
      cursor = page.cursor
      if (page.has_more !== true) return cursor!
    }
  }
}

/** Fails for a record of the other workspace. */
export const isOwn = (scene: Scene, record: unknown, where: string): void => {
  const text = JSON.stringify(record)
  const found = scene.foreign.find((each) => text.includes(each))
  if (found !== undefined) scene.model.fail("nothing of another workspace", `${found} in ${where}`)
}

/** The bytes of an attachment, if it has any. */
export const bytesOf = async (scene: Scene, id: string, node = 0): Promise<Uint8Array | undefined> => {
  const { reply } = await scene.call("GET", `/attachments/${id}/download`, { node })
  const url = reply?.status === 200 ? bodyOf(reply).url : undefined
  if (typeof url !== "string") return undefined
  const request = { method: "GET", path: scene.wire.pathOf(url), headers: {} }
  const called = await scene.wire.call(request, { node, isRepeatable: true })
  return called.reply?.status === 200 ? called.reply.bytes : undefined
}

/** Polls the next events. */
export const poll = async (scene: Scene): Promise<void> => {
  for (let isMore = true; isMore;) {
    const position = scene.pollCursor === "" ? "" : `&cursor=${encodeURIComponent(scene.pollCursor)}`
    const page = await scene.need("GET", `/events?sort=occurred_at&limit=100${position}`)
    scene.polled.push(...page.data)
    scene.pollCursor = page.next_cursor
    isMore = page.has_more
  }
}

export const reads: Readonly<Record<string, Read>> = {
  pull: async (scene) => {
    scene.pullCursor = await pullFrom(scene, scene.pullCursor, (change) => isOwn(scene, change, "a pull"))
  },
  record: async (scene, hand) => {
    const id = hand.id(0)
    const path = pathOf(scene, id)
    if (path === undefined) return
    const { reply } = await scene.call("GET", path, { node: hand.step.node })
    if (reply?.status !== 200) return
    scene.etags.set(id, reply.headers.get("etag") ?? "")
    const revision = scene.model.latest.get(id)?.revision ?? 0
    scene.model.latest.set(id, { revision, data: bodyOf(reply) })
  },
  events: (scene) => scene.turn.run(() => poll(scene)),
  list: async (scene, hand) => {
    const sort = hand.step.draw < 0.5 ? "title" : "-updated_at"
    for (const note of await scene.list(`/notes?sort=${sort}`)) {
      isOwn(scene, note, "a list")
      scene.model.saw(note.id, note.version, note, "list")
    }
  },
  bytes: async (scene, hand) => {
    const id = hand.id(0)
    const bytes = await bytesOf(scene, id, hand.step.node)
    const hash = scene.model.known.get(id)?.members.get("sha256")?.value
    if (bytes !== undefined && hash !== undefined && hashOf(bytes) !== hash)
      scene.model.fail("bytes match their hash", id)
  },
  sync: async (scene, { step }) => {
    const replica = scene.replicas[step.replica]!
    replica.fates.push(step.fate)
    await replica.sync()
  },
  reopen: (scene, { step }) => scene.replicas[step.replica]!.reopen(),
  kill: async (scene, { step }) => {
    scene.replicas[step.replica]!.doom(step.draw)
    await scene.replicas[step.replica]!.sync()
  }
}
