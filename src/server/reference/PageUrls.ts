import type { Description } from "./Description.ts"
import { eventId, schemaId, type Site, sitesOf } from "./SchemaSites.ts"

/** Slugs of the pages that are not about a resource. */
export const pages = {
  problems: "problems",
  headers: "headers",
  schemas: "schemas",
  /** The events, not the resource, whose slug is `webhooks`. */
  webhooks: "webhook-events"
} as const

/** The addresses of pages, and of places in them. */
export class PageUrls {
  /** The address of the server without `/v2`. */
  readonly publicUrl: string
  readonly #prefix: string
  readonly #operationPages: ReadonlyMap<string, string>
  /** The slug of the page that is nearest to each schema. */
  readonly #nearest: ReadonlyMap<string, string>
  readonly #sites: ReadonlyMap<string, Site>
  readonly #names: ReadonlyArray<string>

  constructor(description: Description) {
    // Links have no host, so that they work with any host name of the server.
    this.publicUrl = description.baseUrl.replace(/\/[^/]*$/, "")
    this.#prefix = new URL(description.baseUrl).pathname.replace(/\/[^/]*$/, "")
    this.#operationPages = new Map(
      description.tags.flatMap((tag) => description.operationsOf(tag).map(({ id }) => [id, tag.slug]))
    )
    this.#sites = sitesOf(description)
    this.#names = Object.keys(description.schemas)
    this.#nearest = description.nearest({
      ...Object.fromEntries(
        description.tags.map((tag) => [tag.slug, description.operationsOf(tag).map(({ spec }) => spec)])
      ),
      [pages.webhooks]: description.webhooks,
      [pages.problems]: description.document["components"].responses
    })
  }

  /** Returns the path of an address outside `{base_url}`, such as `/healthz`. */
  outside(path: string): string {
    return this.#prefix + path
  }

  page(slug = ""): string {
    return this.outside(slug === "" ? "/docs" : `/docs/${slug}`)
  }

  operation(id: string): string {
    return `${this.page(this.#operationPages.get(id))}#${id}`
  }

  /** The slug of the page that contains a schema. */
  #pageOf(name: string, seen: ReadonlyArray<string> = []): string {
    const site = this.#sites.get(name)
    if (site !== undefined && "operation" in site) return this.#operationPages.get(site.operation)!
    if (site !== undefined && "webhook" in site) return pages.webhooks
    return site === undefined || seen.includes(site.schema)
      ? (this.#nearest.get(name) ?? pages.schemas)
      : this.#pageOf(site.schema, [...seen, name])
  }

  /** Whether a schema is shown in the place that uses it. */
  isInside(name: string | undefined): name is string {
    return name !== undefined && this.#sites.has(name)
  }

  /** Whether a schema is shown in the union that it is a branch of. */
  isBranch(name: string): boolean {
    const site = this.#sites.get(name)
    return site !== undefined && "schema" in site
  }

  /** The prefix of the ids of a schema's members; undefined for a branch, whose members are shown in the union. */
  ownerOf(name: string): string | undefined {
    const site = this.#sites.get(name)
    return site === undefined ? name : "owner" in site ? site.owner : undefined
  }

  schema(name: string): string {
    return `${this.page(this.#pageOf(name))}#${this.#sites.get(name)?.id ?? schemaId(name)}`
  }

  /** The schemas with a separate article on a page. */
  schemasOn(slug: string): ReadonlyArray<string> {
    return this.#names.filter((name) => !this.#sites.has(name) && this.#pageOf(name) === slug)
  }

  problem(code: string): string {
    return `${this.page(pages.problems)}#${code}`
  }

  header(name: string): string {
    return `${this.page(pages.headers)}#${name.toLowerCase()}`
  }

  webhook(name: string): string {
    return `${this.page(pages.webhooks)}#${eventId(name)}`
  }
}
