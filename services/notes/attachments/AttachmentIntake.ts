import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect } from "effect"
import { BadRequest, type Expired, type Forbidden, Invalid, TooLarge, type Unavailable } from "../../Errors.ts"
import type { RandomnessShape } from "../../Randomness.ts"
import type { WorkspaceId } from "../../Ids.ts"
import type { Actor } from "../../writer/Actor.ts"
import { type Blobs, Incoming, type Source, type Staged } from "../../files/Blobs.ts"
import { runSql } from "../../database/Database.ts"
import { blobs as blobTable } from "../../files/BlobTable.ts"
import type { Draft } from "../../writer/Draft.ts"
import type { Need } from "../../writer/Mailboxes.ts"
import type { Writer } from "../../writer/Writer.ts"
import type { FileRoom } from "../../workspaces/FileRoom.ts"
import * as Edits from "./AttachmentEdits.ts"
import type { AttachmentRow } from "./Attachment.ts"

/** Bytes that were received, and are not kept yet. */
export interface Taken {
  readonly name: string
  readonly staged: Staged
}

/** Makes the name under which bytes are staged. Clients that upload directly to a bucket see it. */
export const stagingName = (randomness: RandomnessShape) => `up_${randomness.text(24)}`

export const tooLarge = (maxBytes: number) =>
  new TooLarge({
    code: "payload_too_large",
    detail: `The plan of the workspace allows ${maxBytes} bytes for a file`,
    extra: { limit_bytes: maxBytes }
  })

/** The client rarely receives this. */
const incomplete = new BadRequest({ code: "malformed_request", detail: "The body ended too early" })

/** Receives bytes and stores them, with the records that use them. */
export const make = (
  sql: PgClient,
  blobs: Blobs["Service"],
  writer: Writer["Service"],
  fileRoom: FileRoom["Service"],
  randomness: RandomnessShape
) => {
  /**
   * Keeps staged bytes, before the record that uses them is written. Their row is written first: if the process stops
   * after that, the bytes are found by their unused row and removed once it is an hour old. Bytes that should be there
   * already are stored again, which mends a lost or damaged file.
   */
  const keep = Effect.fnUntraced(function* (workspace_id: WorkspaceId, name: string, staged: Staged) {
    const now = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* runSql(
      sql,
      `INSERT INTO blobs (workspace_id, sha256, size, refs, unused_since) VALUES ($1, $2, $3::bigint, 0, $4)
        ON CONFLICT (workspace_id, sha256) DO UPDATE
          SET unused_since = CASE WHEN blobs.refs = 0
                THEN greatest(blobs.unused_since, excluded.unused_since) END,
            released = false`,
      [workspace_id, staged.sha256, String(staged.size), now]
    )
    yield* Effect.catchTag(blobs.keep(name, { workspace_id, sha256: staged.sha256 }), "NotStaged", Effect.die)
  })

  /** Keeps staged bytes, and writes the record that uses them. */
  const keeping = Effect.fnUntraced(function* <A, E>(
    workspace_id: WorkspaceId,
    actor: Actor,
    name: string,
    staged: Staged,
    needs: ReadonlyArray<Need>,
    change: (draft: Draft) => Effect.Effect<A, E>
  ) {
    yield* keep(workspace_id, name, staged)
    return yield* writer.write(workspace_id, { actor, needs: [[blobTable, staged.sha256], ...needs] }, change)
  })

  /** Receives and checks bytes, and passes them to `use`, which may keep them. They are discarded if anything fails. */
  const taking = <A, E, R>(
    workspace_id: WorkspaceId,
    stated: Pick<AttachmentRow, "size" | "sha256">,
    maxBytes: number,
    source: Source,
    use: (taken: Taken) => Effect.Effect<A, E, R>,
    refused: (maxBytes: number) => TooLarge = tooLarge
  ) =>
    Effect.suspend(() => {
      const name = stagingName(randomness)
      const limit = Math.min(maxBytes, stated.size ?? Infinity)
      const known = source instanceof Incoming ? (source.length ?? stated.size) : stated.size
      const length = known === null ? undefined : Math.min(known, limit)
      return fileRoom
        .reserving(
          { workspace_id, length },
          Effect.fnUntraced(function* (room) {
            const staged = yield* blobs.stage(source, name, limit, room).pipe(
              Effect.catchTags({
                TooLarge: (): Effect.Effect<never, Invalid | TooLarge> =>
                  stated.size !== null && stated.size <= maxBytes
                    ? Invalid.field(
                        "size",
                        "mismatch",
                        `is ${stated.size}, but more bytes were received`,
                        "size_mismatch"
                      )
                    : refused(maxBytes),
                SourceFailed: () => Effect.fail(incomplete)
              })
            )
            yield* Edits.checkContent(stated, staged)
            return yield* use({ name, staged })
          })
        )
        .pipe(Effect.onError(() => Effect.ignore(blobs.discard(name))))
    })

  /** Receives a file again; fails with `other` if it is a different file. */
  const takingAgain = (
    workspace_id: WorkspaceId,
    known: Staged,
    source: Source,
    other: Expired
  ): Effect.Effect<void, BadRequest | Expired | Forbidden | Unavailable> =>
    Effect.catchTags(
      taking(workspace_id, known, known.size, source, ({ name, staged }) => keep(workspace_id, name, staged)),
      { Invalid: () => other, TooLarge: () => other }
    )

  return { keep, keeping, taking, takingAgain }
}
