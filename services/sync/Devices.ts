import { Clock, Context, Effect, Layer } from "effect"
import { type Device, type DeviceInput, deviceList } from "./Device.ts"
import { type BadRequest, type Condition, Invalid, NotFound, type Stale, type Unavailable } from "../Errors.ts"
import * as Ids from "../Ids.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { Principal, type PrincipalShape } from "../Principal.ts"
import {
  type EndedDevice,
  endSilent,
  foreignDevice,
  isForeign,
  makeRoom,
  silentText
} from "../identity/KnownDevices.ts"
import { type DeviceRow, devices } from "../identity/IdentityTables.ts"
import { Sessions } from "../identity/Sessions.ts"
import { Database, runSql } from "../database/Database.ts"
import { actorOf, systemActor } from "../writer/Actor.ts"
import type { Draft } from "../writer/Draft.ts"
import { CurrentAttempt } from "../writer/IdempotencyKeys.ts"
import type { LockedDraft } from "../writer/LockedDraft.ts"
import { Lists } from "../lists/Lists.ts"
import { columnsOf } from "../tables/Column.ts"
import { ago } from "../database/DeleteInBatches.ts"
import * as AuditTrail from "../writer/AuditTrail.ts"
import { Writer } from "../writer/Writer.ts"
import { traced } from "../Traced.ts"
import { Plans } from "../workspaces/Plans.ts"

/** Milliseconds after its last sync for which a device is listed (contract, Limits); then it ends (contract 4). */
const listedFor = 90 * 24 * 3600_000
const pruneBatch = 500
/** Minimum milliseconds between two updates of `last_sync_at` of a device. */
const updateInterval = 60_000

const missing = NotFound.of("device")

const shorten = (text: string | undefined, fallback: string) => [...(text ?? fallback)].slice(0, 100).join("")

/** Devices that sync (contract 6). A log-in creates a device, or the first pull or push that names it. */
export class Devices extends Context.Service<
  Devices,
  {
    readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable, Principal>
    readonly delete: (
      id: string,
      condition?: Condition<Device>
    ) => Effect.Effect<void, NotFound | Stale | Unavailable, Principal>
    /** Returns the device of this request, or null if it names none. Registers a new device; updates `last_sync_at`. */
    readonly syncing: (
      input: DeviceInput | undefined
    ) => Effect.Effect<string | null, Invalid | NotFound | Unavailable, Principal>
    /** Ends the devices that have not synced for too long, each in the order of its workspace. */
    readonly prune: Effect.Effect<void, Unavailable>
  }
>()("sheaf/sync/Devices") {
  static readonly layer = Layer.effect(
    Devices,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const lists = yield* Lists
      const writer = yield* Writer
      const sessions = yield* Sessions
      const { limits } = yield* Plans
      /** When this node last updated `last_sync_at` of a device. The oldest entries are evicted. */
      const lastUpdates = new Map<string, number>()

      const updateLastSync = Effect.fnUntraced(function* ({ user_id, workspace_id }: PrincipalShape, id: string) {
        const now = yield* Clock.currentTimeMillis
        const key = `${workspace_id} ${user_id} ${id}`
        if (now - (lastUpdates.get(key) ?? 0) < updateInterval) return true
        const rows = yield* runSql(
          sql,
          "UPDATE devices SET last_sync_at = $3 WHERE workspace_id = $1 AND id = $2 AND user_id = $4 RETURNING id",
          [workspace_id, id, new Date(now).toISOString(), user_id]
        )
        if (rows.length === 0) return false
        lastUpdates.delete(key)
        lastUpdates.set(key, now)
        if (lastUpdates.size > 10_000) lastUpdates.delete(lastUpdates.keys().next().value!)
        return true
      })

      const register = Effect.fnUntraced(function* (id: string | undefined, input: DeviceInput | undefined) {
        const principal = yield* Principal
        // If a user has signed in on the device, its session has a name.
        const [signedIn] =
          id === undefined || principal.kind !== "session"
            ? []
            : yield* runSql<{ readonly device_name: string; readonly platform: string }>(
                sql,
                "SELECT device_name, platform FROM sessions WHERE workspace_id = $1 AND id = $2 AND device_id = $3",
                [principal.home_id, principal.credential_id, id]
              )
        let ended: ReadonlyArray<EndedDevice> = []
        const made = yield* writer.writeLocked(
          principal.workspace_id,
          // Locked, so that concurrent requests are counted one after the other and do not create a device twice.
          { actor: { ...actorOf(principal), device_id: null } },
          Effect.fnUntraced(function* (draft: LockedDraft) {
            const known = id === undefined ? undefined : yield* draft.get(devices, id)
            if (known !== undefined) return known.user_id === principal.user_id ? known.id : yield* foreignDevice
            if (id !== undefined && (yield* Effect.orDie(isForeign(draft.sql, principal.user_id, id))))
              return yield* foreignDevice
            const name = shorten(input?.name ?? signedIn?.device_name, "Unnamed device")
            const platform = shorten(input?.platform ?? signedIn?.platform, "unknown")
            if (id === undefined) {
              // A device without an id is recognized by its name and platform.
              const [same] = yield* draft.runSql<{ id: string }>(
                `SELECT id FROM devices WHERE workspace_id = $1 AND credential_id = $2 AND name = $3 AND platform = $4
                ORDER BY id LIMIT 1`,
                [draft.workspace_id, principal.credential_id, name, platform]
              )
              if (same !== undefined) return same.id
            }
            const row: DeviceRow = {
              id: id ?? draft.newId("sy"),
              user_id: principal.user_id,
              credential_id: principal.credential_id,
              name,
              platform,
              last_sync_at: draft.now,
              created_at: draft.now
            }
            ended = yield* makeRoom(draft, principal.user_id, limits, principal.device_id)
            draft.put(devices, row)
            AuditTrail.log(draft, {
              type: "device.registered",
              resource: "device",
              resource_id: row.id,
              data: { name: row.name, platform: row.platform }
            })
            return row.id
          })
        )
        for (const { id, isSignedIn } of ended) {
          lastUpdates.delete(`${principal.workspace_id} ${principal.user_id} ${id}`)
          if (isSignedIn) yield* sessions.endOnDevice(id)
        }
        return made
      })

      const syncing = traced("Devices.syncing")(function* (input: DeviceInput | undefined) {
        const principal = yield* Principal
        if (input?.id === undefined && principal.names_foreign_device) return yield* foreignDevice
        const id = input?.id ?? principal.device_id ?? undefined
        if (id === undefined && input === undefined) return null
        if (id !== undefined) {
          if (!Ids.isClientMade("sy", id)) {
            return yield* Invalid.field("device.id", "invalid", "must be sy_ and 16 to 40 of [0-9A-Za-z_-]")
          }
          if (yield* updateLastSync(principal, id)) return id
        }
        // Without the Idempotency-Key, which is for the request's own write: a repetition finds the device again.
        const registered = yield* register(id, input).pipe(Effect.provideService(CurrentAttempt, undefined))
        yield* updateLastSync(principal, registered)
        return registered
      })

      /** Fails unless the device is the caller's and meets the condition: a refused request must not end a session. */
      const expected = Effect.fnUntraced(function* (
        draft: LockedDraft,
        { device_id, user_id, workspace_id }: PrincipalShape,
        id: string,
        condition?: Condition<Device>
      ) {
        const [own] = yield* runSql<Device>(
          draft.sql,
          `SELECT ${columnsOf(deviceList.shape)} FROM ${deviceList.from}
            WHERE workspace_id = $1 AND id = $2 AND user_id = $3`,
          [workspace_id, id, user_id, device_id]
        )
        if (own === undefined) return yield* missing
        if (condition !== undefined) yield* condition(own)
      })

      const prune = Effect.fnUntraced(function* () {
        const now = yield* ago(0)
        const since = yield* ago(listedFor)
        let last = { workspace_id: "", id: "" }
        while (true) {
          const due = yield* runSql<{ readonly workspace_id: Ids.WorkspaceId; readonly id: string }>(sql, silentText, [
            since,
            now,
            last.workspace_id,
            last.id,
            String(pruneBatch)
          ])
          for (const { id, workspace_id } of due) {
            yield* writer
              .writeLocked(workspace_id, { actor: systemActor }, (draft) => endSilent(draft, id, since))
              .pipe(
                // The workspace is being erased, and its devices with it.
                Effect.catchTag("NotFound", () => Effect.void)
              )
          }
          if (due.length < pruneBatch) return
          last = due.at(-1)!
        }
      })

      return Devices.of({
        syncing,
        list: traced("Devices.list")(function* (query: PageQuery) {
          const principal = yield* Principal
          const since = new Date((yield* Clock.currentTimeMillis) - listedFor).toISOString()
          return yield* lists.page({
            spec: deviceList,
            query,
            workspace_id: principal.workspace_id,
            // Devices belong to a user, not to the workspace.
            where: "user_id = $2 AND last_sync_at >= $3",
            params: [principal.user_id, since, principal.device_id]
          })
        }),
        prune: prune(),
        delete: traced("Devices.delete")(function* (id: string, condition?: Condition<Device>) {
          const principal = yield* Principal
          yield* writer.changeLocked((draft) => expected(draft, principal, id, condition))
          // First, so that a device that is no longer listed has no tokens.
          yield* sessions.endOnDevice(id)
          yield* writer.write(
            principal.workspace_id,
            { actor: actorOf(principal) },
            Effect.fnUntraced(function* (draft: Draft) {
              const row = yield* draft.get(devices, id)
              if (row === undefined || row.user_id !== principal.user_id) return yield* missing
              draft.remove(devices, id)
              AuditTrail.log(draft, {
                type: "device.revoked",
                resource: "device",
                resource_id: id,
                data: { name: row.name }
              })
            })
          )
          lastUpdates.delete(`${principal.workspace_id} ${principal.user_id} ${id}`)
        })
      })
    })
  )
}
