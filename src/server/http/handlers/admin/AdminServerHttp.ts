import { Effect } from "effect"
import { CheckRuns } from "../../../../../services/admin/CheckRuns.ts"
import { Nodes } from "../../../../../services/admin/Nodes.ts"
import { OperatorAudit } from "../../../../../services/admin/OperatorAudit.ts"
import { ServerBackups } from "../../../../../services/admin/ServerBackups.ts"
import { ServerMails } from "../../../../../services/admin/ServerMails.ts"
import { ServerState } from "../../../../../services/admin/ServerState.ts"
import { BadRequest } from "../../../../../services/Errors.ts"
import { OperatorApps } from "../../../../../services/oauth/OperatorApps.ts"
import { Series } from "../../../../../services/series/Series.ts"
import { seriesRanges } from "../../../../../services/series/SeriesReport.ts"
import { ServedSettings } from "../../../settings/ServedSettings.ts"
import * as Respond from "../../responses/Respond.ts"
import { asOperator, shown } from "./AdminHttp.ts"
import * as Handlers from "../Handlers.ts"

const wrongRange = new BadRequest({
  code: "invalid_parameter",
  detail: `range must be one of ${seriesRanges.join(", ")}`
})

export const AdminServerHttp = Handlers.group(
  "adminServer",
  {
    apps: OperatorApps,
    audit: OperatorAudit,
    checks: CheckRuns,
    nodes: Nodes,
    series: Series,
    settings: ServedSettings,
    state: ServerState
  },
  ({ apps, audit, checks, nodes, series, settings, state }) => ({
    status: () => shown(state.get),
    settings: () => Respond.resource({ data: settings }),
    nodes: () => Effect.flatMap(nodes.list, (data) => Respond.resource({ data })),
    series: Effect.fnUntraced(function* ({ query }) {
      const { range = "hour" } = query
      const found = seriesRanges.find((each) => each === range)
      if (found === undefined) return yield* wrongRange
      return yield* Respond.resource(yield* series.read({ range: found }))
    }),
    auditLog: ({ query }) => Effect.flatMap(audit.list(query), Respond.page),
    checks: () => Effect.flatMap(checks.list, (data) => Respond.resource({ data })),
    beginCheck: ({ payload }) =>
      Effect.flatMap(asOperator(checks.begin(payload?.thorough === true)), (run) => Respond.resource(run, 202)),
    check: ({ params }) => shown(checks.get(params.id)),
    endApps: ({ payload }) => Effect.map(asOperator(apps.end(payload.client_id)), Respond.value)
  })
)

export const AdminMailsHttp = Handlers.group("adminMails", { mails: ServerMails }, ({ mails }) => ({
  list: ({ query }) => Effect.flatMap(mails.list(query), Respond.page),
  get: ({ params }) => shown(mails.get(params.id)),
  test: ({ payload }) => Effect.map(asOperator(mails.test(payload.email)), (result) => Respond.value(result)),
  resend: ({ params }) => shown(mails.resend(params.id))
}))

export const AdminBackupsHttp = Handlers.group("adminBackups", { backups: ServerBackups }, ({ backups }) => ({
  list: ({ query }) => Effect.flatMap(backups.list(query), Respond.page),
  begin: () => Effect.as(asOperator(backups.begin), Respond.value({ accepted: true }, 202)),
  beginDrill: () => Effect.as(asOperator(backups.beginDrill), Respond.value({ accepted: true }, 202)),
  get: ({ params }) => shown(backups.get(params.id)),
  download: ({ params }) => Effect.map(asOperator(backups.link(params.id)), Respond.value)
}))
