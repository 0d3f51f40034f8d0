/** The search of a user in the audit log. Empty texts are not searched for. */
export interface AuditFilter {
  readonly actor_id: string
  readonly action: string
  readonly ip: string
  /** Local times, as inputs have them. */
  readonly from: string
  readonly to: string
}

export const noFilter: AuditFilter = { actor_id: "", action: "", ip: "", from: "", to: "" }

const quoted = (text: string): string => `"${text.trim().replaceAll(/["\\]/g, "\\$&")}"`
const timeOf = (local: string): string => `"${new Date(local).toISOString()}"`

/** The same in the filter language of the API; undefined for all entries. */
export const auditQueryOf = ({ action, actor_id, from, ip, to }: AuditFilter): string | undefined => {
  const terms = [
    ...(actor_id === "" ? [] : [`actor_id = ${actor_id}`]),
    ...(action.trim() === "" ? [] : [`action = ${quoted(action)}`]),
    ...(ip.trim() === "" ? [] : [`ip = ${quoted(ip)}`]),
    ...(from === "" ? [] : [`occurred_at >= ${timeOf(from)}`]),
    ...(to === "" ? [] : [`occurred_at <= ${timeOf(to)}`])
  ]
  return terms.length === 0 ? undefined : terms.join(" AND ")
}
