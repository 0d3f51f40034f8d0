import { type Description, type Json, nameOf } from "./Description.ts"

/** The place of a schema that is used only once: it is shown there, without a separate article. */
export type Site =
  /** `owner` is the prefix of the ids of its members. */
  | { readonly operation: string; readonly id: string; readonly owner: string }
  | { readonly webhook: string; readonly id: string; readonly owner: string }
  /** A branch of a union: `schema` is the union. */
  | { readonly schema: string; readonly id: string }

const schemasOf = ({ content = {} }: Json): ReadonlyArray<string> =>
  Object.values<Json>(content).flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [nameOf(schema.$ref)]))

export const bodyId = (owner: string): string => `${owner}-body`
export const responseId = (operation: string, status: string): string => `${operation}-${status}`
export const schemaId = (name: string): string => `schema-${name}`
export const eventId = (webhook: string): string => `event-${webhook}`

/** The sites of all schemas that have one, by name. */
export const sitesOf = (description: Description): ReadonlyMap<string, Site> => {
  const { operations, schemas, uses, webhooks } = description
  const all: ReadonlyArray<readonly [string, Site]> = [
    ...operations.flatMap(({ id: operation, spec }) => [
      ...schemasOf(spec["requestBody"] ?? {}).map(
        (name) => [name, { operation, id: bodyId(operation), owner: operation }] as const
      ),
      ...Object.entries<Json>(spec["responses"]).flatMap(([status, response]) =>
        schemasOf(response).map(
          (name) => [name, { operation, id: responseId(operation, status), owner: `${operation}.${status}` }] as const
        )
      )
    ]),
    ...webhooks.flatMap(([webhook, { requestBody = {} }]) =>
      schemasOf(requestBody).map((name) => [name, { webhook, id: bodyId(eventId(webhook)), owner: webhook }] as const)
    ),
    ...Object.entries(schemas).flatMap(([schema, { anyOf, oneOf }]) =>
      [...(oneOf ?? []), ...(anyOf ?? [])]
        .filter(({ $ref }: Json) => $ref !== undefined)
        .map(({ $ref }: Json) => [nameOf($ref), { schema, id: schemaId(nameOf($ref)) }] as const)
    )
  ]
  // The body of a webhook is shown with the webhook, even if a union of all bodies refers to it too.
  const deliveries = webhooks.flatMap(([, { requestBody = {} }]) => schemasOf(requestBody))
  const isOnce = (name: string, site: Site): boolean =>
    "webhook" in site
      ? deliveries.filter((each) => each === name).length === 1
      : uses.get(name) === 1 && !deliveries.includes(name)
  return new Map(all.filter(([name, site]) => isOnce(name, site)))
}
