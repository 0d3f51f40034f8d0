import { Schema } from "effect"
import * as Ids from "../Ids.ts"
import * as Text from "../Text.ts"

/** Members of the records of a JSON export, checked as input: the file may come from anywhere. */

export const id = (prefix: Ids.Prefix) =>
  Schema.String.check(Text.checked("invalid", `must be an id of ${prefix}_`, (text) => Ids.isClientMade(prefix, text)))

export const user = Schema.NullOr(id("us"))

export const time = Text.Timestamp

/** A record with an id of this prefix, the times of its creation and last change, and these members. */
export const record = <Fields extends Schema.Struct.Fields>(prefix: Ids.Prefix, fields: Fields) =>
  Schema.Struct({ ...fields, id: id(prefix), created_at: time, updated_at: time })
