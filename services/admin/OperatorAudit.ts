import { Context, Effect, Layer } from "effect"
import type { BadRequest, Unavailable } from "../Errors.ts"
import { Lists } from "../lists/Lists.ts"
import { ofServer } from "../lists/ListSql.ts"
import type { Page, PageQuery } from "../lists/Page.ts"
import { traced } from "../Traced.ts"
import { operatorAuditList } from "./OperatorAuditList.ts"

/** The actions of operators, in any workspace and to the server as a whole (contract 11). */
export class OperatorAudit extends Context.Service<
  OperatorAudit,
  { readonly list: (query: PageQuery) => Effect.Effect<Page, BadRequest | Unavailable> }
>()("sheaf/admin/OperatorAudit") {
  static readonly layer = Layer.effect(
    OperatorAudit,
    Effect.map(Lists, (lists) =>
      OperatorAudit.of({
        list: traced("OperatorAudit.list")((query: PageQuery) =>
          lists.page({ spec: operatorAuditList, query, ...ofServer, where: "metadata ->> 'by' = 'operator'" })
        )
      })
    )
  )
}
