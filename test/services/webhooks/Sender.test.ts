import { describe, expect, it } from "vitest"
import type { WorkspaceId } from "../../../services/Ids.ts"
import type { Due, Tried } from "../../../services/webhooks/Attempts.ts"
import { permits, requested } from "../../../services/webhooks/Permits.ts"
import {
  type Config,
  concurrency,
  type HookedWorkspace,
  WebhookState
} from "../../../services/webhooks/WebhookState.ts"
import { Sender } from "../../../services/webhooks/Sender.ts"

interface Begun {
  readonly config: Config
  readonly due: Due
  readonly ended: (tried: Tried | undefined) => void
}

const config = (url: string, origin: string): Config => ({
  url,
  target: { refusal: undefined, origin, path: "" },
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

/** Reads the settings of a webhook; undefined: it was deleted. */
const read = (hook: WebhookState, config: Config | undefined) => {
  hook.apply("changed")
  hook.apply("read")
  const queue = { position: 0, head: 0, waiting: 0, chars: 0, due_at: Infinity, failing_since: Infinity }
  hook.read(config && { ...queue, config })
}

const start = () => {
  const under: Array<Begun> = []
  const clock = { now: 0 }
  const sender = new Sender(
    () => clock.now,
    (config, due, ended) => void under.push({ config, due, ended })
  )
  /** Adds a webhook with `count` deliveries. Its origin is its URL unless one is given. */
  const hooked = (
    workspace: HookedWorkspace,
    url: string,
    count: number,
    { isSlow = false, origin = url }: { readonly isSlow?: boolean; readonly origin?: string } = {}
  ) => {
    const hook = new WebhookState(workspace, url, 30_000, isSlow)
    workspace.hooks.set(url, hook)
    read(hook, config(url, origin))
    hook.isFailing = false
    for (let at = 0; at < count; at++) {
      hook.queue.push({ ...due, id: `${url}${at}` })
    }
    sender.add(hook)
    return hook
  }
  /** Waits until a turn starts no more deliveries. Returns the ids of the started ones. */
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

const workspace = (id: string, owner = id): HookedWorkspace => ({ id: id as WorkspaceId, owner, hooks: new Map() })

describe("Sender", () => {
  it("sends in order, with a maximum of concurrent deliveries per webhook", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    expect(await settled()).toEqual(Array.from({ length: concurrency.most }, (_, at) => `a${at}`))
    under[3]!.ended(tried())
    expect((await settled()).slice(8)).toEqual(["a8"])
    expect(hook.results.map(([{ id }]) => id)).toEqual(["a3"])
    hook.release()
  })

  it("sends fewer concurrent deliveries to an endpoint that fails or is slow", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    await settled()
    under[0]!.ended(tried({ status: "failed" }))
    for (const { ended } of under.slice(1, 6)) ended(tried({ latency_ms: 2_000 }))
    expect(await settled()).toHaveLength(8)
    under[6]!.ended(tried({ latency_ms: 2_000 }))
    expect(await settled()).toHaveLength(9)
    hook.release()
  })

  it("sends nothing for a webhook that is stale or ends", async () => {
    const { hooked, settled } = start()
    const one = hooked(workspace("one"), "a", 20)
    one.signal("changed")
    const other = hooked(workspace("one"), "b", 20)
    other.signal("end")
    expect(await settled()).toEqual([])
  })

  it("sends nothing more for a webhook that was released while its attempts were running", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    const before = (await settled()).length
    hook.release()
    for (const { ended } of [...under]) ended(tried())
    expect(await settled()).toHaveLength(before)
    expect([hook.results, hook.isToSettle]).toEqual([[], false])
  })

  it("sends nothing for a webhook whose hold has expired, until it is renewed", async () => {
    const { clock, hooked, sender, settled } = start()
    clock.now = 30_000
    const hook = hooked(workspace("one"), "a", 2)
    expect(await settled()).toEqual([])
    hook.held_until = 60_000
    sender.add(hook)
    expect(await settled()).toEqual(["a0", "a1"])
  })

  it("shares permits among workspaces, and among their webhooks", async () => {
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

  it("sends several deliveries of one webhook together, and then several of the next", async () => {
    const { hooked, settled } = start()
    const own = workspace("one")
    for (const url of ["a", "b"]) hooked(own, url, 10)
    const begun = await settled()
    expect(begun.map((id) => id[0]).join("")).toBe("aaaabbbbaaaabbbb")
  })

  it("serves a webhook that sends nothing before others of its workspace send more", async () => {
    const { hooked, settled, under } = start()
    const crowded = workspace("crowded")
    const origin = "shared"
    const others = ["a", "b"].map((url) => hooked(crowded, url, 100, { origin }))
    const before = (await settled()).length
    const last = hooked(crowded, "last.", 10, { origin })
    under[0]!.ended(tried())
    expect((await settled()).slice(before)).toEqual(["last.0"])
    for (const hook of [...others, last]) hook.release()
  })

  it("does not delay fast endpoints by slow ones", async () => {
    const { hooked, settled, under } = start()
    for (let at = 0; at < 200; at++) hooked(workspace("slow"), `slow${at}.`, 10, { isSlow: true })
    await settled()
    const before = under.length
    hooked(workspace("other"), "b", 3)
    expect((await settled()).slice(before)).toEqual(["b0", "b1", "b2"])
  })

  it("does not delay an endpoint that fails at once by slow ones", async () => {
    const { hooked, sender, settled, under } = start()
    const own = workspace("one")
    const failing = hooked(own, "b", 1)
    await settled()
    under[0]!.ended(tried({ status: "failed" }))
    for (let at = 0; at < 200; at++) hooked(own, `slow${at}.`, 10, { isSlow: true })
    await settled()
    const before = under.length
    failing.due.push({ ...due, id: "again" })
    sender.add(failing)
    expect((await settled()).slice(before)).toEqual(["again"])
    failing.release()
  })

  it("sends one delivery of each webhook before a slow one sends a second", async () => {
    const { hooked, settled } = start()
    const own = workspace("one")
    // All are added before the first of them sends.
    for (let at = 0; at < 199; at++) hooked(own, `slow${at}.`, 10, { isSlow: true })
    const last = hooked(own, "last.", 10, { isSlow: true })
    expect((await settled()).toSorted()).toEqual([...own.hooks.values()].map(({ id }) => `${id}0`).toSorted())
    expect(last.running).toHaveLength(1)
  })

  it("sends at most 16 deliveries of a workspace to one origin, and does not delay other workspaces there", async () => {
    const { hooked, settled } = start()
    const crowded = workspace("crowded")
    const origin = "shared"
    for (let at = 0; at < 150; at++) hooked(crowded, `slow${at}.`, 20, { isSlow: true, origin })
    for (let at = 0; at < 5; at++) hooked(crowded, `fast${at}.`, 20, { origin })
    const begun = await settled()
    expect(begun).toHaveLength(permits.slow.permitsPerKey + permits.fast.permitsPerKey)
    expect(begun.length + requested.permitsPerKey).toBe(16)
    hooked(workspace("other"), "b", 2, { isSlow: true, origin })
    hooked(crowded, "elsewhere", 2, { isSlow: true })
    const rest = (await settled()).slice(begun.length)
    expect(rest.toSorted()).toEqual(["b0", "b1", "elsewhere0", "elsewhere1"])
  })

  it("serves webhooks that wait for an origin in order when a permit is free", async () => {
    const { hooked, settled, under } = start()
    const own = workspace("one")
    const hooks = Array.from({ length: 20 }, (_, at) => hooked(own, `a${at}.`, 2, { isSlow: true, origin: "shared" }))
    const order = Array.from({ length: 20 }, (_, at) => `a${at}.0`)
    for (let ended = 0; ended < 20; ended++) {
      expect((await settled()).slice(0, 20)).toEqual(order.slice(0, ended + permits.slow.permitsPerKey))
      under[ended]!.ended(tried({ latency_ms: 15_000 }))
    }
    for (const hook of hooks) hook.release()
  })

  it("gives one owner at most half of the permits, however many workspaces they own", async () => {
    const { hooked, settled } = start()
    for (let at = 0; at < 10; at++) {
      for (let hook = 0; hook < 30; hook++) {
        hooked(workspace(`w${at}`, "owner"), `slow${at}.${hook}.`, 10, { isSlow: true })
        hooked(workspace(`w${at}`, "owner"), `fast${at}.${hook}.`, 10)
      }
    }
    const begun = await settled()
    const count = (name: string) => begun.filter((id) => id.startsWith(name)).length
    expect([count("slow") * 2, count("fast") * 2]).toEqual([permits.slow.permits, permits.fast.permits])
    hooked(workspace("other"), "b", 1, { isSlow: true })
    expect((await settled()).slice(begun.length)).toEqual(["b0"])
  })

  it("sends to a new origin at once when the URL of a waiting webhook changes", async () => {
    const { hooked, sender, settled, under } = start()
    const own = workspace("one")
    const hangs = { isSlow: true, origin: "hangs" }
    const hooks = Array.from({ length: 8 }, (_, at) => hooked(own, `a${at}.`, 1, hangs))
    await settled()
    const [moved, removed] = hooks.slice(-2)
    read(moved!, config("moved", "other"))
    sender.add(moved!)
    // The sender takes it before its fiber handles the deletion.
    read(removed!, undefined)
    expect((await settled()).slice(permits.slow.permitsPerKey)).toEqual(["a6.0"])
    for (const { ended } of [...under]) ended(tried())
    await settled()
    const again = Array.from({ length: 8 }, (_, at) => hooked(own, `b${at}.`, 1, hangs))
    expect((await settled()).slice(7)).toHaveLength(permits.slow.permitsPerKey)
    for (const hook of [...hooks, ...again]) hook.release()
  })

  it("sends retries before first attempts", async () => {
    const { hooked, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 20)
    await settled()
    hook.due.push({ ...due, id: "again" })
    hook.due_at = Infinity
    under[0]!.ended(tried())
    under[1]!.ended(tried())
    expect((await settled()).slice(8)).toEqual(["again", "a8"])
    hook.release()
  })

  it("sends no first attempt while due retries are not loaded", async () => {
    const { clock, hooked, sender, settled, under } = start()
    const hook = hooked(workspace("one"), "a", 0)
    hook.due_at = clock.now
    hook.queue.push({ ...due, id: "first" })
    sender.add(hook)
    await settled()
    expect([under.length, hook.wake.isOpen()]).toEqual([0, true])
    hook.due.push({ ...due, id: "again" })
    hook.due_at = Infinity
    sender.add(hook)
    await settled()
    expect(under.map(({ due }) => due.id)).toEqual(["again", "first"])
  })
})
