import { describe, expect, it } from "vitest"
import type { WorkspaceId } from "../../../services/Ids.ts"
import type { Due, Tried } from "../../../services/webhooks/Attempts.ts"
import { type Config, concurrency, Hook, HookedWorkspace } from "../../../services/webhooks/Hook.ts"
import { Sender } from "../../../services/webhooks/Sender.ts"

interface Begun {
  readonly config: Config
  readonly due: Due
  readonly ended: (tried: Tried | undefined) => void
}

const config = (url: string): Config => ({
  url,
  target: { refusal: undefined, origin: "", path: "" },
  signers: [],
  active: true,
  ends_at: Infinity,
  types: new Set(),
  resources: new Set()
})

const due = {
  event_id: "",
  event_type: "tag.created",
  resource_id: "",
  created_at: "",
  attempt: 1,
  body: "{}",
  readAt: 0
}

const tried = (more: Partial<Tried> = {}): Tried => ({
  status: "succeeded",
  status_code: 200,
  latency_ms: 1,
  error: null,
  request: { url: "", headers: {} },
  response: null,
  next: null,
  ...more
})

const start = () => {
  const under: Array<Begun> = []
  const clock = { now: 0 }
  const sender = new Sender(
    () => clock.now,
    (config, due, ended) => void under.push({ config, due, ended })
  )
  const hooked = (workspace: HookedWorkspace, url: string, count: number, isSlow = false) => {
    const hook = new Hook(workspace, url, 30_000, isSlow)
    workspace.hooks.add(hook)
    hook.config = config(url)
    hook.isStale = false
    hook.isFailing = false
    for (let at = 0; at < count; at++) {
      hook.queue.push({ ...due, id: `${url}${at}` })
    }
    sender.add(hook)
    return hook
  }
  /** Whatever can be begun has been when a turn begins nothing more. */
  const settled = async () => {
    for (let before = -1; before < under.length;) {
      before = under.length
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
    return under.map(({ due }) => due.id)
  }
  return { clock, hooked, sender, settled, under }
}

const workspace = (id: string) => new HookedWorkspace(id as WorkspaceId)

describe("what is sent", () => {
  it("is in order, and only so much of a webhook at a time", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    expect(await settled()).toEqual(Array.from({ length: concurrency.most }, (_, at) => `a${at}`))
    under[3]!.ended(tried())
    expect((await settled()).slice(8)).toEqual(["a8"])
    expect(hook.results.map(([{ id }]) => id)).toEqual(["a3"])
    hook.close()
  })

  it("is less at a time to an endpoint that fails, or is slow to answer", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    await settled()
    under[0]!.ended(tried({ status: "failed" }))
    for (const { ended } of under.slice(1, 6)) ended(tried({ latency_ms: 2_000 }))
    expect(await settled()).toHaveLength(8)
    under[6]!.ended(tried({ latency_ms: 2_000 }))
    expect(await settled()).toHaveLength(9)
    hook.close()
  })

  it("is nothing of a webhook that is to be looked at again, or ends", async () => {
    const { hooked, settled } = start()
    const one = hooked(workspace("one"), "a", 20)
    one.isStale = true
    const other = hooked(workspace("one"), "b", 20)
    other.isEnding = true
    expect(await settled()).toEqual([])
  })

  it("is nothing of a webhook whose hold has lapsed, until it is renewed", async () => {
    const { clock, hooked, sender, settled } = start()
    clock.now = 30_000
    const hook = hooked(workspace("one"), "a", 2)
    expect(await settled()).toEqual([])
    hook.held_until = 60_000
    sender.add(hook)
    expect(await settled()).toEqual(["a0", "a1"])
  })

  it("is some of each workspace, and of each of its webhooks", async () => {
    const { hooked, settled } = start()
    const crowded = workspace("crowded")
    for (let at = 0; at < 10; at++) hooked(crowded, `a${at}.`, 10)
    const small = workspace("small")
    for (let at = 0; at < 2; at++) hooked(small, `b${at}.`, 10)
    const begun = await settled()
    expect(begun).toHaveLength(64)
    expect(begun.filter((id) => id.startsWith("b"))).toHaveLength(16)
    expect(new Set(begun.map((id) => id.split(".")[0])).size).toBe(12)
  })

  it("is some of one webhook together, and then some of the next", async () => {
    const { hooked, settled } = start()
    const own = workspace("one")
    for (const url of ["a", "b"]) hooked(own, url, 10)
    const begun = await settled()
    expect(begun.map((id) => id[0]).join("")).toBe("aaaabbbbaaaabbbb")
  })

  it("is first of a webhook that sends nothing, before others of its workspace send more", async () => {
    const { hooked, settled, under } = start()
    const crowded = workspace("crowded")
    const others = Array.from({ length: 12 }, (_, at) => hooked(crowded, `a${at}.`, 100))
    const before = (await settled()).length
    const last = hooked(crowded, "last.", 10)
    under[0]!.ended(tried())
    expect((await settled()).slice(before)).toEqual(["last.0"])
    for (const hook of [...others, last]) hook.close()
  })

  it("waits for no endpoint that is slow", async () => {
    const { hooked, settled, under } = start()
    for (let at = 0; at < 200; at++) hooked(workspace("slow"), `slow${at}.`, 10, true)
    await settled()
    const before = under.length
    hooked(workspace("other"), "b", 3)
    expect((await settled()).slice(before)).toEqual(["b0", "b1", "b2"])
  })

  it("waits for no endpoint that is slow either where its own fails at once", async () => {
    const { hooked, sender, settled, under } = start()
    const own = workspace("one")
    const failing = hooked(own, "b", 1)
    await settled()
    under[0]!.ended(tried({ status: "failed" }))
    for (let at = 0; at < 200; at++) hooked(own, `slow${at}.`, 10, true)
    await settled()
    const before = under.length
    failing.due.push({ ...due, id: "again" })
    sender.add(failing)
    expect((await settled()).slice(before)).toEqual(["again"])
    failing.close()
  })

  it("is one of each webhook, before one that is slow sends a second", async () => {
    const { hooked, settled } = start()
    const own = workspace("one")
    // All are worked on before the first of them sends.
    for (let at = 0; at < 199; at++) hooked(own, `slow${at}.`, 10, true)
    const last = hooked(own, "last.", 10, true)
    expect((await settled()).toSorted()).toEqual([...own.hooks].map(({ id }) => `${id}0`).toSorted())
    expect(last.running).toHaveLength(1)
  })

  it("is what is due again, before what is sent for the first time", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    await settled()
    hook.due.push({ ...due, id: "again" })
    hook.due_at = null
    under[0]!.ended(tried())
    under[1]!.ended(tried())
    expect((await settled()).slice(8)).toEqual(["again", "a8"])
    hook.close()
  })

  it("sends no first attempt while attempts are due again that are not at hand", async () => {
    const { clock, hooked, sender, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 0)
    hook.due_at = new Date(clock.now).toISOString()
    hook.queue.push({ ...due, id: "first" })
    sender.add(hook)
    await settled()
    expect([under.length, hook.wake.isOpen()]).toEqual([0, true])
    hook.due.push({ ...due, id: "again" })
    hook.due_at = null
    sender.add(hook)
    await settled()
    expect(under.map(({ due }) => due.id)).toEqual(["again", "first"])
  })
})
