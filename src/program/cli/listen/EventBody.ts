import { StoredShare } from "../../../../services/notes/shares/Share.ts"
import { bodyOf, detailed } from "../../../../services/webhooks/DeliveryBodies.ts"
import { type CallOptions, isProblem, type Schemas, type SheafClient } from "../../../clients/client/SheafClient.ts"
import { removals } from "../../../server/openapi/OpenWebhooks.ts"

export type Event = Schemas["Event"]

/** The ids of a record, and the options of the calls that read it. */
interface Wanted {
  readonly id: string
  readonly workspace_id: string
  readonly options: CallOptions
}

const byId = ({ id }: Wanted) => ({ filter: `id = "${id}"` })

/** How a record is read. A webhook has no record of an export or import either. */
const reads: Readonly<Record<string, (client: SheafClient, wanted: Wanted) => Promise<object | undefined>>> = {
  note: (client, { id, options }) => client.getNote({ id }, options),
  notebook: (client, { id, options }) => client.getNotebook({ id }, options),
  tag: (client, { id, options }) => client.getTag({ id }, options),
  attachment: (client, { id, options }) => client.getAttachment({ id }, options),
  template: (client, { id, options }) => client.getTemplate({ id }, options),
  reminder: (client, { id, options }) => client.getReminder({ id }, options),
  // Without the link, which only its recipients may have.
  share: async (client, { id, options }) => {
    const share = await client.getShare({ id }, options)
    return Object.fromEntries(Object.entries(share).filter(([name]) => Object.hasOwn(StoredShare.fields, name)))
  },
  invitation: (client, { id, options, workspace_id }) => client.getInvitation({ workspace_id, id }, options),
  member: (client, { id, options, workspace_id }) => client.getMember({ workspace_id, id }, options),
  workspace: (client, { id, options }) => client.getWorkspace({ id }, options),
  api_key: (client, { id, options }) => client.getApiKey({ id }, options),
  webhook: (client, { id, options }) => client.getWebhook({ id }, options),
  device: async (client, wanted) => (await client.listDevices(byId(wanted), wanted.options)).data[0],
  session: async (client, wanted) => (await client.listSessions(byId(wanted), wanted.options)).data[0]
}

/**
 * The record of an event: as the event left it, where the log has it, else as it is now. Null if it is gone, or if the
 * credential may not read it.
 */
const recordOf = async (client: SheafClient, event: Event, options: CallOptions): Promise<object | null> => {
  const { data, resource_id: id, resource_type, type, workspace_id } = event
  if (removals.has(type)) return null
  if (data?.["id"] === id) return data
  try {
    const record = (await reads[resource_type]?.(client, { id, options, workspace_id })) ?? null
    return detailed.includes(type) ? { ...record, ...data } : record
  } catch (error) {
    if (isProblem(error, "not_found", "insufficient_scope", "insufficient_role", "forbidden")) return null
    throw error
  }
}

/** The body that a webhook sends of an event. */
export const eventBody = async (client: SheafClient, event: Event, options: CallOptions): Promise<string> => {
  const record = await recordOf(client, event, options)
  return bodyOf(event.workspace_id, { ...event, resource: event.resource_type }, JSON.stringify(record))
}
