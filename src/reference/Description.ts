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

/** The name of what a reference leads to. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-|-$/g, "")

/** The OpenAPI document, as the pages of the reference ask about it. */
export class Description {
  readonly document: Json
  readonly operations: ReadonlyArray<Operation>
  readonly tags: ReadonlyArray<Tag>
  readonly schemas: Readonly<Record<string, Json>>
  /** What is sent to subscribers, by name. */
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

  /** `{base_url}`. */
  get baseUrl(): string {
    return this.document["servers"][0].url
  }

  /** What stands at the end of a reference, with what stands beside it. */
  resolve(each: Json): Json {
    const { $ref, ...beside } = each
    if ($ref === undefined) return each
    const found = String($ref)
      .slice(2)
      .split("/")
      .reduce((part: Json, key) => part[key], this.document)
    return { ...this.resolve(found), ...beside }
  }

  operationsOf(tag: Tag): ReadonlyArray<Operation> {
    return this.operations.filter((operation) => operation.tag === tag.name)
  }

  parametersOf(operation: Json): ReadonlyArray<Json> {
    return (operation["parameters"] ?? []).map((each: Json) => this.resolve(each))
  }

  /** Headers that requests and answers carry, each once. */
  get requestHeaders(): ReadonlyArray<Json> {
    const all = this.operations.flatMap(({ spec }) => this.parametersOf(spec)).filter((each) => each["in"] === "header")
    return [...new Map(all.map((each) => [each["name"], each])).values()]
  }

  get answerHeaders(): ReadonlyArray<readonly [string, Json]> {
    const all = this.operations
      .flatMap(({ spec }) => Object.values<Json>(spec["responses"]))
      .flatMap((answer) => Object.entries<Json>(this.resolve(answer)["headers"] ?? {}))
    return [...new Map(all.map(([name, each]) => [name, this.resolve(each)])).entries()]
  }

  /** The schemas that a part of the document reaches, with the number of references that lead there. */
  private distances(from: unknown): ReadonlyMap<string, number> {
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

  /** Of several parts of the document, the one that is nearest to each schema; none where two are as near. */
  nearest(parts: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
    const reached = Object.entries(parts).map(([part, from]) => [part, this.distances(from)] as const)
    const nearest = new Map<string, string>()
    for (const name of Object.keys(this.schemas)) {
      const distanceFrom = (distances: ReadonlyMap<string, number>) => distances.get(name) ?? Infinity
      const least = Math.min(...reached.map(([, distances]) => distanceFrom(distances)))
      const there = reached.filter(([, distances]) => distanceFrom(distances) === least)
      if (least < Infinity && there.length === 1) nearest.set(name, there[0]![0])
    }
    return nearest
  }

  /** The schemas of what clients send. */
  get sent(): ReadonlySet<string> {
    return new Set(this.distances(this.operations.map(({ spec }) => spec["requestBody"] ?? {})).keys())
  }

  /** How often the document refers to each schema. */
  get uses(): ReadonlyMap<string, number> {
    const uses = new Map<string, number>()
    for (const [, name] of JSON.stringify(this.document).matchAll(schemaRef))
      uses.set(name!, (uses.get(name!) ?? 0) + 1)
    return uses
  }
}
