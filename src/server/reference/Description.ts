/** A part of the OpenAPI document. */
export type Json = Readonly<Record<string, any>>

export interface Operation {
  readonly id: string
  readonly tag: string
  readonly method: string
  readonly path: string
  readonly spec: Json
}

export interface Tag {
  readonly name: string
  readonly slug: string
  readonly description: string
}

const methods = ["get", "put", "post", "patch", "delete", "head", "options", "trace"]

const schemaRef = /"\$ref":"#\/components\/schemas\/([^"]+)"/g

/** The name in a reference. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-|-$/g, "")

/** The OpenAPI document, with the queries of the pages of the reference. */
export class Description {
  readonly document: Json
  readonly operations: ReadonlyArray<Operation>
  readonly tags: ReadonlyArray<Tag>
  readonly schemas: Readonly<Record<string, Json>>
  /** The webhook operations, by name. */
  readonly webhooks: ReadonlyArray<readonly [string, Json]>

  constructor(document: Json) {
    this.document = document
    this.schemas = document["components"].schemas
    this.tags = document["tags"].map(({ description, name }: Json) => ({ name, slug: slugOf(name), description }))
    this.operations = Object.entries<Json>(document["paths"]).flatMap(([path, item]) =>
      methods
        .filter((method) => item[method] !== undefined)
        .map((method) => ({
          id: item[method].operationId,
          tag: item[method].tags[0],
          method,
          path,
          spec: item[method]
        }))
    )
    this.webhooks = Object.entries<Json>(document["webhooks"] ?? {}).map(([name, item]) => [name, item["post"]])
  }

  /** `{base_url}`, without a final slash. */
  get baseUrl(): string {
    return this.document["servers"][0].url
  }

  /** Follows a reference, and adds the keywords next to it. */
  resolve(each: Json): Json {
    const { $ref, ...others } = each
    if ($ref === undefined) return each
    const found = String($ref)
      .slice(2)
      .split("/")
      .reduce((part: Json, key) => part[key], this.document)
    return { ...this.resolve(found), ...others }
  }

  operationsOf(tag: Tag): ReadonlyArray<Operation> {
    return this.operations.filter((operation) => operation.tag === tag.name)
  }

  parametersOf(operation: Json): ReadonlyArray<Json> {
    return (operation["parameters"] ?? []).map((each: Json) => this.resolve(each))
  }

  /** All headers of requests, each once. */
  get requestHeaders(): ReadonlyArray<Json> {
    const all = this.operations.flatMap(({ spec }) => this.parametersOf(spec)).filter((each) => each["in"] === "header")
    return [...new Map(all.map((each) => [each["name"], each])).values()]
  }

  get responseHeaders(): ReadonlyArray<readonly [string, Json]> {
    const all = this.operations
      .flatMap(({ spec }) => Object.values<Json>(spec["responses"]))
      .flatMap((response) => Object.entries<Json>(this.resolve(response)["headers"] ?? {}))
    return [...new Map(all.map(([name, each]) => [name, this.resolve(each)])).entries()]
  }

  /** The schemas that a part of the document refers to, also indirectly, with the length of the shortest path. */
  #distances(from: unknown): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    let next: ReadonlyArray<unknown> = [from]
    for (let distance = 1; next.length > 0; distance++) {
      const names = [...JSON.stringify(next).matchAll(schemaRef)].map(([, name]) => name!)
      const fresh = [...new Set(names)].filter((name) => !found.has(name))
      for (const name of fresh) found.set(name, distance)
      next = fresh.map((name) => this.schemas[name])
    }
    return found
  }

  /** The nearest of several parts of the document to each schema. A schema with two nearest parts has no entry. */
  nearest(parts: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
    const reached = Object.entries(parts).map(([part, from]) => [part, this.#distances(from)] as const)
    const nearest = new Map<string, string>()
    for (const name of Object.keys(this.schemas)) {
      const distanceFrom = (distances: ReadonlyMap<string, number>) => distances.get(name) ?? Infinity
      const least = Math.min(...reached.map(([, distances]) => distanceFrom(distances)))
      const there = reached.filter(([, distances]) => distanceFrom(distances) === least)
      if (least < Infinity && there.length === 1) nearest.set(name, there[0]![0])
    }
    return nearest
  }

  /** The schemas of request bodies. */
  get sent(): ReadonlySet<string> {
    return new Set(this.#distances(this.operations.map(({ spec }) => spec["requestBody"] ?? {})).keys())
  }

  /** How often the document refers to each schema. */
  get uses(): ReadonlyMap<string, number> {
    const uses = new Map<string, number>()
    for (const [, name] of JSON.stringify(this.document).matchAll(schemaRef))
      uses.set(name!, (uses.get(name!) ?? 0) + 1)
    return uses
  }
}
