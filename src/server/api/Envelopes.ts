import { Schema, SchemaAST } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Fields from "../../../services/Fields.ts"
import { PageQuery } from "../../../services/lists/Page.ts"
import { Text } from "../../../services/Text.ts"

/** The list envelope (contract, Common shapes). */
export const list = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item).annotate({ description: "The resources of this page." }),
    ...Fields.pageEnd
  }).annotate({ identifier: `${SchemaAST.resolveIdentifier(item.ast)}Page` })

/** The delete envelope. */
export const Deleted = Schema.Struct({
  deleted: Fields.always,
  id: Fields.text("The id of the deleted record.", Fields.exampleId("nt"))
}).annotate({
  identifier: "Deleted"
})

export const created = HttpApiSchema.status(201)

export const page = PageQuery

/** An id that cannot be stored, such as one with NUL, gets 404 before the database is queried. */
export const id = { id: Text }

/** Path parameters of a resource in a workspace. */
export const inWorkspace = { workspace_id: Text, id: Text }

/** Path parameters of a resource of a note. */
export const inNote = { note_id: Text, id: Text }

/** Bodies of actions may be absent (contract 5). */
export const optionalBody = <S extends Schema.Top>(schema: S) => [schema, Schema.Null] as const
