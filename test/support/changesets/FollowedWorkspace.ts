import type { ApiResponse, TestApp } from "../TestApp.ts"
import { Team } from "../people/Team.ts"

/** A record as a device has it. `data` is null if it is deleted; `last` is its last content. */
export interface Held {
  readonly type: string
  readonly id: string
  readonly revision: number
  readonly data: any
  readonly last: any
}

/** The records of a workspace by their ids. */
export type State = ReadonlyMap<string, Held>

/** A change that a pull has shown. */
export interface Seen {
  readonly actor: string
  readonly id: string
  readonly before: Held | undefined
  readonly after: Held
}

/** The members that a user writes. The others are times, revisions and counts. */
const members: Readonly<Record<string, ReadonlyArray<string>>> = {
  note: ["notebook_id", "title", "body", "tags", "pinned", "archived"],
  notebook: ["name", "color", "icon", "parent_id"],
  tag: ["name", "color"],
  template: ["name", "body"],
  comment: ["note_id", "parent_id", "author_id", "body", "resolved"],
  reminder: ["note_id", "remind_at", "channel", "done", "user_id"]
}

const tagIdsOf = (state: State, names: ReadonlyArray<string>) =>
  names.map((name) => [...state.values()].find(({ data, type }) => type === "tag" && data?.name === name)?.id)

/** What a user wrote in a record: null if it is deleted. `withTagIds`: tags as ids, which a rename does not change. */
export const contentOf = (state: State, id: string, withTagIds = false): any => {
  const held = state.get(id)
  // A deleted comment is kept for its replies.
  if (held === undefined || held.data === null || held.data.deleted === true) return null
  const content: Record<string, any> = Object.fromEntries(
    members[held.type]!.map((member) => [member, held.data[member]])
  )
  // A tag that is made again can have another spelling.
  if (held.type === "note" && !withTagIds) content["tags"] = content["tags"].map((name: string) => name.toLowerCase())
  return withTagIds && held.type === "note" ? { ...content, tags: tagIdsOf(state, held.data.tags) } : content
}

/** The content of all records that are not deleted. */
export const contentsOf = (state: State): Record<string, any> =>
  Object.fromEntries(
    [...state.keys()].sort().flatMap((id) => {
      const content = contentOf(state, id)
      return content === null ? [] : [[id, content]]
    })
  )

/** The texts of a record that a person can have written. */
export const textOf = (data: any): string =>
  data === null ? "" : [data.title, data.body, data.name].filter((text) => typeof text === "string").join("\n")

/** A workspace of its own, whose changes are pulled after each request. */
export class FollowedWorkspace {
  readonly app: TestApp
  readonly team: Team
  readonly headers: Record<string, string>
  #state = new Map<string, Held>()
  #cursor: string | undefined
  readonly seen: Array<Seen> = []

  private constructor(app: TestApp, team: Team, headers: Record<string, string>) {
    this.app = app
    this.team = team
    this.headers = headers
  }

  static async start(app: TestApp): Promise<FollowedWorkspace> {
    const team = await Team.start(app)
    const { headers } = await team.issue(team.owner.user_id, team.owner.scopes)
    const made = new FollowedWorkspace(app, team, headers)
    await made.pull("server")
    return made
  }

  /** The records as they are now. A later pull does not change it. */
  get state(): State {
    return new Map(this.#state)
  }

  readonly call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {}
  ): Promise<ApiResponse> => this.app.call(method, path, body, { ...this.headers, ...headers })

  /** A request that must succeed. */
  readonly given = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await this.call(method, path, body)
    if (response.status >= 300) throw new Error(response.text)
    return response.body
  }

  /** Follows all changes, and notes whose they are. */
  async pull(actor: string): Promise<void> {
    for (;;) {
      const page = await this.given("POST", "/sync/pull", {
        limit: 500,
        ...(this.#cursor === undefined ? {} : { cursor: this.#cursor })
      })
      this.#cursor = page.cursor
      for (const { data, id, revision, type } of page.changes) {
        const before = this.#state.get(id)
        if (before !== undefined && revision <= before.revision) throw new Error(`the revision of ${id} is ${revision}`)
        const after = { type, id, revision, data, last: data ?? before?.last ?? null }
        this.#state.set(id, after)
        this.seen.push({ actor, id, before, after })
      }
      if (!page.has_more) return
    }
  }

  /** All records that a new device receives. */
  async received(): Promise<State> {
    const found = new Map<string, Held>()
    let cursor: string | undefined
    for (;;) {
      const page = await this.given("POST", "/sync/pull", { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
      cursor = page.cursor
      for (const { data, id, revision, type } of page.changes) found.set(id, { type, id, revision, data, last: data })
      if (!page.has_more) return found
    }
  }
}
