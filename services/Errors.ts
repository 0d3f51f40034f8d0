import { type Effect, Schema } from "effect"
import { type ProblemCode, problemCodes } from "./ProblemCodes.ts"

/**
 * The errors of a call, in the terms of the contract (section 2). Infrastructure failures are not here: they are defects,
 * and become `internal_error`.
 */

/** The possible issues of a field. */
export const fieldCodes = [
  "blank",
  "cycle",
  "invalid",
  "invalid_characters",
  "invalid_color",
  "invalid_email",
  "invalid_locale",
  "invalid_slug",
  "invalid_tag",
  "invalid_timestamp",
  "invalid_timezone",
  "invalid_type",
  "mismatch",
  "out_of_range",
  "required",
  "taken",
  "too_common",
  "too_deep",
  "too_long",
  "too_many",
  "too_short",
  "unknown",
  "unknown_field",
  "unknown_icon",
  "unknown_plan",
  "unknown_role",
  "unknown_scope"
] as const
export type FieldCode = (typeof fieldCodes)[number]

/** One error in one field of a body: `pointer` is a JSON Pointer (RFC 6901) into the body. */
export const FieldIssue = Schema.Struct({
  field: Schema.String,
  pointer: Schema.String,
  code: Schema.Literals(fieldCodes),
  message: Schema.String
})
export type FieldIssue = typeof FieldIssue.Type

const problem = {
  code: Schema.Literals(problemCodes),
  detail: Schema.String,
  /** Further members of the problem, such as `limit` and `used` of `quota_exceeded`. */
  extra: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}

/** 400: a parameter, a cursor, a header or the form of the request cannot be understood. */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", problem) {}

/** 422: the request is understood, but its content is not acceptable. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", {
  ...problem,
  errors: Schema.optionalKey(Schema.Array(FieldIssue))
}) {
  /** One field is wrong. `code` is the code of the field; the code of the problem is `validation_failed` unless given. */
  static field(field: string, code: FieldCode, message: string, problemCode: ProblemCode = "validation_failed") {
    return new Invalid({
      code: problemCode,
      detail: `${field} ${message}`,
      errors: [{ field, pointer: `/${field.replaceAll(".", "/")}`, code, message }]
    })
  }
}

/** 404: missing, in the trash, or in a workspace of other users. The response never shows which. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", problem) {
  static of(what: string) {
    return new NotFound({ code: "not_found", detail: `No such ${what}` })
  }
}

/** 409: valid, but in conflict with the current state; `retry_after` in seconds where waiting helps. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  ...problem,
  retry_after: Schema.optionalKey(Schema.Int)
}) {}

/** 412: `If-Match` or `version` does not match the current state. */
export class Stale extends Schema.TaggedError<Stale>()("Stale", problem) {
  /** `current` is the version or revision, or the entity tag of a record that has neither. */
  static at(
    current: number | string,
    detail = `The current ${typeof current === "number" ? "version" : "entity tag"} is ${current}`
  ) {
    return new Stale({ code: "precondition_failed", detail, extra: { current_version: current } })
  }

  /** The current tag was sent as a weak one. */
  static weakly(etag: string, current: number | string) {
    return Stale.at(
      current,
      `If-Match has the current entity tag as a weak one (W/), which never matches. A proxy that compresses makes tags weak: send ${etag}`
    )
  }
}

/**
 * Fails if the current state of a record is not the state that a change is based on. `version` is the version or revision
 * of records that have one.
 */
export type Condition<Shown> = (current: Shown, version?: number) => Effect.Effect<void, Stale>

/** 410: it existed and has expired. */
export class Expired extends Schema.TaggedError<Expired>()("Expired", problem) {}

/** 401: no credential, or an invalid one. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", problem) {}

/** 403: a valid credential without the right to do this. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", problem) {}

/** 413: more bytes than allowed. */
export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", problem) {}

/** 429: too many requests; `retry_after` in seconds. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...problem,
  retry_after: Schema.Int
}) {}

/** 503: not available now; `retry_after` in seconds. A write may have succeeded: a retry with its key is safe. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...problem,
  retry_after: Schema.Int
}) {
  static readonly database = new Unavailable({
    code: "service_unavailable",
    detail: "The database cannot be reached",
    retry_after: 2
  })
  static readonly exhausted = new Unavailable({
    code: "service_unavailable",
    detail: "The database has no disk space, memory or other resource for this",
    retry_after: 10
  })
  /** Another transaction holds a lock for too long. Clients get the same response; the log does not report an outage. */
  static readonly locked = new Unavailable({
    code: "service_unavailable",
    detail: "The database cannot be reached",
    retry_after: 2
  })
  static readonly overloaded = new Unavailable({
    code: "overloaded",
    detail: "The database took too long",
    retry_after: 5
  })
}

export const all = [
  BadRequest,
  Invalid,
  NotFound,
  Conflict,
  Stale,
  Expired,
  Unauthorized,
  Forbidden,
  TooLarge,
  RateLimited,
  Unavailable
] as const

export type SheafError = InstanceType<(typeof all)[number]>

export const isSheafError = (error: unknown): error is SheafError =>
  all.some((constructor) => error instanceof constructor)
