import { Effect } from "effect"
import { Principal } from "../../../../services/Principal.ts"
import { reader } from "../../../../services/records/SyncAdapter.ts"
import { type Import, ImportCreate } from "../../../../services/transfers/imports/Import.ts"
import { Imports } from "../../../../services/transfers/imports/Imports.ts"
import { formWithFile } from "../responses/FormWithFile.ts"
import * as Handlers from "./Handlers.ts"
import { UnderKey } from "../pipeline/IdempotencyHttp.ts"
import * as Payload from "../pipeline/Payload.ts"
import * as Respond from "../responses/Respond.ts"
import { isForm } from "../server/Uploads.ts"

const toCreate = Payload.reader(ImportCreate)
const fromForm = reader(ImportCreate)

const formFields = ["source", "notebook_id", "on_existing", "filename", "preview"]

/** The fields of a form are texts. */
const previewOf = (text: string): boolean | string => (text === "true" ? true : text === "false" ? false : text)

export const ImportsHttp = Handlers.group("imports", { imports: Imports }, ({ imports }) => ({
  list: ({ query }) => Effect.flatMap(imports.list(query), Respond.page),
  create: Handlers.raw(({ request }) => {
    const created = (made: Import) => Respond.resource(made, 201)
    if (!isForm(request)) {
      return Effect.flatMap(toCreate(request), (input) => Effect.flatMap(imports.create(input), created))
    }
    return formWithFile(formFields, ({ preview, ...fields }, { bytes, filename }) =>
      Effect.gen(function* () {
        const asked = preview === undefined ? {} : { preview: previewOf(preview) }
        const input = yield* fromForm({ filename, ...fields, ...asked })
        const underKey = yield* UnderKey
        const { workspace_id } = yield* Principal
        return yield* imports.taken(workspace_id, bytes, (taken) =>
          underKey([JSON.stringify(input), taken.staged.sha256], Effect.flatMap(imports.add(input, taken), created))
        )
      })
    )
  }),
  get: ({ params }) => Effect.flatMap(imports.get(params.id), (found) => Respond.resource(found))
}))
