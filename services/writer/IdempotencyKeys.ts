import { Clock, Context, Effect, Layer } from "effect"
import { deflateRawSync, inflateRawSync } from "node:zlib"
import { roomFor } from "../Deflate.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Unavailable } from "../Errors.ts"
import { traced } from "../Traced.ts"
import { Database, orUnavailable, runSql } from "../database/Database.ts"
import type { Draft } from "./Draft.ts"
import { isGone, ProcessLock } from "../database/ProcessLock.ts"
import { ago, deleteInBatches } from "../database/DeleteInBatches.ts"
import { Secrets } from "../secrets/Secrets.ts"
import * as Column from "../tables/Column.ts"
import * as Table from "../tables/Table.ts"

/** Milliseconds for which a key is kept (contract 2, Idempotency-Key). */
const keyLife = 24 * 3600_000
/** Milliseconds after which a claim lapses. It lapses at once when the process that made it is gone. */
const claimLife = 60_000

/**
 * Maximum number of characters that are stored of a response. Results hold ids and no texts (`Remade.ts`): the result
 * of a push of 500 entries has about 30 000.
 */
const maxStored = 64 * 1024
/** Number of characters from which a text is compressed: results of pushes repeat the same members. */
const packedFrom = 1024
/** The first character of a compressed text. JSON never begins with it. */
const packedMark = "z"

const packed = (text: string): string => {
  if (text.length < packedFrom) return text
  const bytes = Buffer.from(text)
  return packedMark + deflateRawSync(bytes, roomFor(bytes.length)).toString("base64url")
}

const unpacked = (text: string): string =>
  text.startsWith(packedMark)
    ? inflateRawSync(Buffer.from(text.slice(packedMark.length), "base64url")).toString()
    : text

export const idempotencyKeys = Table.make(
  "idempotency_keys",
  {
    id: Column.text(),
    fingerprint: Column.text(),
    claimed_at: Column.text(),
    /** The result of the write, encrypted. Stored in the same commit as the change itself. */
    result: Column.nullable(Column.text()),
    /** The response of a request without a write, encrypted. */
    answer: Column.nullable(Column.text()),
    resource_ids: Column.texts(),
    /** Whether the response is not stored: its note was erased, it is too large, or it has a secret. */
    erased: Column.boolean,
    created_at: Column.text()
  },
  { key: ["id"] }
)
/** The result was stored while another SECRET_KEY was in use; the claim is in another row, which this node can read. */
const sealedOtherwise = new Unavailable({
  code: "service_unavailable",
  detail: "The response stored for this Idempotency-Key is encrypted with another SECRET_KEY",
  retry_after: 30
})
/** Another request with the key stored its write after this one made its claim. The next claim returns the reason. */
const notStored = new Unavailable({
  code: "service_unavailable",
  detail: "The response to this Idempotency-Key is not stored",
  retry_after: 1
})
type KeyRow = Table.Row<typeof idempotencyKeys>

/** A request with a key. */
export interface Attempt {
  readonly workspace_id: WorkspaceId
  readonly id: string
  readonly fingerprint: string
  readonly created_at: string
  /** Number of writes that it has begun: each result is stored separately. */
  writes: number
  /** Whether the result of a write was already stored. */
  replayed: boolean
}

/** The request with a key that the current write belongs to. */
export const CurrentAttempt = Context.Reference<Attempt | undefined>("sheaf/writer/CurrentAttempt", {
  defaultValue: () => undefined
})

export type Claim =
  | { readonly _tag: "Claimed"; readonly attempt: Attempt }
  | { readonly _tag: "Answered"; readonly answer: unknown }
  | { readonly _tag: "Running" | "Erased" }
  /** `result` is what the first write of the other request returned; undefined if none is stored. */
  | { readonly _tag: "OtherRequest"; readonly result: unknown }

/**
 * Idempotency keys (contract 2). The write makes them safe, not the claim: it first looks for a stored result, and
 * stores its own result in the commit of its change. A request that is repeated after a crash, on another node, or
 * while the first one still runs, gets the stored result, from which its handler makes the same response.
 */
export class IdempotencyKeys extends Context.Service<
  IdempotencyKeys,
  {
    readonly claim: (key: {
      readonly workspace_id: WorkspaceId
      readonly id: string
      readonly fingerprint: string
    }) => Effect.Effect<Claim, Unavailable>
    /** Stores the response of a request that has written nothing. If it is too large, releases the key instead. */
    readonly answer: (attempt: Attempt, answer: unknown) => Effect.Effect<void, Unavailable>
    /** Stores that the request has run, and not its response, which has a secret. */
    readonly withhold: (attempt: Attempt) => Effect.Effect<void, Unavailable>
    /** Lets a repetition run at once. Stored results of writes are kept. */
    readonly release: (attempt: Attempt) => Effect.Effect<void, Unavailable>
    /** Runs the method once for each key, and returns the stored result for repetitions. */
    readonly once: <A, E, R>(
      attempt: Attempt,
      id: string,
      draft: Draft,
      method: (draft: Draft) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Unavailable, R>
    /** Deletes expired keys. */
    readonly prune: Effect.Effect<void, Unavailable>
  }
>()("sheaf/writer/IdempotencyKeys") {
  static readonly layer = Layer.effect(
    IdempotencyKeys,
    Effect.gen(function* () {
      const { write: sql } = yield* Database
      const secrets = yield* Secrets
      const processLock = yield* ProcessLock
      const seal = (value: unknown): string => secrets.seal("stored-answer", packed(JSON.stringify(value ?? null)))
      const open = (sealed: string): { readonly value: unknown } | undefined => {
        const text = secrets.open("stored-answer", sealed)
        return text === undefined ? undefined : { value: JSON.parse(unpacked(text)) }
      }

      /**
       * Fingerprints derived with a secret that is not in the database: a body may hold a password, which could be
       * guessed from a plain hash. While the secret changes there are two; the first one is stored.
       */
      const derivedFrom = (fingerprint: string): ReadonlyArray<string> =>
        secrets
          .derivations("stored-answer", Buffer.from(fingerprint))
          .map((bytes) => Buffer.from(bytes).toString("base64url"))

      const claim = traced("IdempotencyKeys.claim")(function* (request: {
        readonly workspace_id: WorkspaceId
        readonly id: string
        readonly fingerprint: string
      }) {
        const fingerprints = derivedFrom(request.fingerprint)
        const key = { ...request, fingerprint: fingerprints[0]! }
        const now = yield* Clock.currentTimeMillis
        const at = (ago: number) => new Date(now - ago).toISOString()
        const rows = yield* runSql<{ created_at: string }>(
          sql,
          `INSERT INTO idempotency_keys AS k (workspace_id, id, fingerprint, claimed_at, created_at, holder)
          VALUES ($1, $2, $3, $4, $4, $7::int)
          ON CONFLICT (workspace_id, id) DO UPDATE SET claimed_at = excluded.claimed_at, holder = excluded.holder,
            fingerprint = CASE WHEN k.created_at < $6 OR k.result IS NULL THEN excluded.fingerprint ELSE k.fingerprint END,
            result = CASE WHEN k.created_at < $6 THEN NULL ELSE k.result END, answer = NULL, erased = false,
            resource_ids = CASE WHEN k.created_at < $6 THEN '{}' ELSE k.resource_ids END,
            created_at = CASE WHEN k.created_at < $6 THEN excluded.created_at ELSE k.created_at END
          WHERE k.created_at < $6 OR k.fingerprint = ANY($8::text[]) AND k.answer IS NULL AND NOT k.erased
            AND (k.result IS NOT NULL OR k.claimed_at < $5 OR ${isGone("k.holder")})
          RETURNING k.created_at`,
          [
            key.workspace_id,
            key.id,
            key.fingerprint,
            at(0),
            at(claimLife),
            at(keyLife),
            processLock.holder(),
            fingerprints
          ]
        )
        const [claimed] = rows
        if (claimed !== undefined) {
          const attempt: Attempt = { ...key, created_at: claimed.created_at, writes: 0, replayed: false }
          return { _tag: "Claimed", attempt } as const
        }
        const [held] = yield* runSql<KeyRow>(
          sql,
          "SELECT fingerprint, result, answer, erased FROM idempotency_keys WHERE workspace_id = $1 AND id = $2",
          [key.workspace_id, key.id]
        )
        if (held === undefined) return { _tag: "Running" } as const
        if (!fingerprints.includes(held.fingerprint)) {
          const result = held.result === null ? undefined : open(held.result)?.value
          return { _tag: "OtherRequest", result } as const
        }
        if (held.erased) return { _tag: "Erased" } as const
        if (held.answer === null) return { _tag: "Running" } as const
        const answer = open(held.answer)
        return answer === undefined
          ? ({ _tag: "OtherRequest", result: undefined } as const)
          : ({ _tag: "Answered", answer: answer.value } as const)
      })

      const once = Effect.fnUntraced(function* <A, E, R>(
        attempt: Attempt,
        id: string,
        draft: Draft,
        method: (draft: Draft) => Effect.Effect<A, E, R>
      ) {
        const known = yield* draft.get(idempotencyKeys, id)
        if (known !== undefined && known.result !== null) {
          const stored = open(known.result)
          if (stored === undefined) return yield* sealedOtherwise
          attempt.replayed = true
          return stored.value as A
        }
        if (known?.erased === true) return yield* notStored
        const before = draft.touched.length
        const value = yield* method(draft)
        const sealed = seal(value)
        const result = sealed.length > maxStored ? null : sealed
        draft.put(
          idempotencyKeys,
          {
            id,
            fingerprint: attempt.fingerprint,
            claimed_at: draft.now,
            result,
            answer: null,
            resource_ids: [...new Set(draft.touched.slice(before))],
            erased: result === null,
            created_at: attempt.created_at
          },
          (result?.length ?? 0) + 300
        )
        return value
      })

      const release = traced("IdempotencyKeys.release")((attempt: Attempt) =>
        Effect.asVoid(
          runSql(
            sql,
            "DELETE FROM idempotency_keys WHERE workspace_id = $1 AND id = $2 AND result IS NULL AND NOT erased",
            [attempt.workspace_id, attempt.id]
          )
        )
      )

      const withhold = traced("IdempotencyKeys.withhold")((attempt: Attempt) =>
        Effect.asVoid(
          runSql(sql, "UPDATE idempotency_keys SET erased = true WHERE workspace_id = $1 AND id = $2", [
            attempt.workspace_id,
            attempt.id
          ])
        )
      )

      const answer = traced("IdempotencyKeys.answer")((attempt: Attempt, answer: unknown) => {
        const sealed = seal(answer)
        // The request has written nothing, so it can run again.
        if (sealed.length > maxStored) return release(attempt)
        return Effect.asVoid(
          runSql(
            sql,
            "UPDATE idempotency_keys SET answer = $3 WHERE workspace_id = $1 AND id = $2 AND result IS NULL AND NOT erased",
            [attempt.workspace_id, attempt.id, sealed]
          )
        )
      })

      return IdempotencyKeys.of({
        claim,
        once,
        prune: Effect.flatMap(ago(keyLife), (cutoff) =>
          orUnavailable(deleteInBatches(sql, "idempotency_keys", "created_at < $1", cutoff))
        ),
        answer,
        withhold,
        release
      })
    })
  )
}
