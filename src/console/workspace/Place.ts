import { batch, computed, signal } from "@preact/signals"
import { type Change, follow, isProblem, type Schemas, SheafError, type SheafClient } from "../../client/SheafClient.ts"
import type { Account } from "../accounts/AccountStore.ts"

type Lists = {
  readonly notebook: Schemas["Notebook"]
  readonly tag: Schemas["Tag"]
  readonly template: Schemas["Template"]
}

/** Maximum number of tags that are shown, those of most notes first. */
export const mostTags = 500
/** Milliseconds from a change to the reading of the lists, so that many changes cause one reading. */
const beforeReading = 1_000

/** Receives changes of the workspace as they happen. */
export type Listener = (changes: ReadonlyArray<Change>) => void

const all = async <A>(list: AsyncIterable<A>, most = Infinity): Promise<ReadonlyArray<A>> => {
  const items: Array<A> = []
  for await (const item of list) {
    items.push(item)
    if (items.length >= most) break
  }
  return items
}

/** The open workspace: what all its pages show, and its changes as they happen. */
export class Place {
  readonly account: Account
  readonly client: SheafClient
  readonly workspaces = signal<ReadonlyArray<Schemas["Workspace"]>>([])
  readonly notebooks = signal<ReadonlyArray<Lists["notebook"]>>([])
  readonly tags = signal<ReadonlyArray<Lists["tag"]>>([])
  readonly templates = signal<ReadonlyArray<Lists["template"]>>([])
  readonly members = signal<ReadonlyArray<Schemas["Member"]>>([])
  /** Whether changes come as they happen. */
  readonly isLive = signal(false)
  /** The number of times that the user has signed in again. */
  readonly resumes = signal(0)
  /** Whether the lists were read. */
  readonly isReady = signal(false)
  readonly workspace = computed(() => this.workspaces.value.find(({ id }) => id === this.account.workspace))
  readonly role = computed(() => this.members.value.find(({ user_id }) => user_id === this.account.id)?.role)
  readonly canWrite = computed(() => this.role.value !== "viewer")
  private readonly ended = new AbortController()
  private readonly listeners = new Set<Listener>()
  private resumed: (() => Promise<void>) | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(account: Account, client: SheafClient) {
    this.account = account
    this.client = client
  }

  /** Reads the lists, and follows changes until `close`. Rejects if the lists cannot be read. */
  async open(): Promise<void> {
    const { client } = this
    const signal = this.ended.signal
    // Changes that happen while the lists are read come after them.
    const { cursor } = await client.getSyncCursor({}, { signal })
    await this.read()
    void this.follow(cursor)
  }

  close(): void {
    this.ended.abort()
    clearTimeout(this.timer)
  }

  /** Calls a listener with all changes until the returned function is called. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The name of a user, as members see it. */
  nameOf(user_id: string | null | undefined): string | undefined {
    const member = this.members.value.find((member) => member.user_id === user_id)
    return member === undefined ? undefined : member.name || member.email
  }

  notebook(id: string): Lists["notebook"] | undefined {
    return this.notebooks.value.find((notebook) => notebook.id === id)
  }

  /** Reads the lists again, now. */
  async read(): Promise<void> {
    const { account, client } = this
    const [workspaces, notebooks, tags, templates, members] = await Promise.all([
      all(client.listWorkspaces({ limit: 100 })),
      all(client.listNotebooks({ limit: 100 })),
      all(client.listTags({ limit: 100, sort: ["-note_count"] }), mostTags),
      all(client.listTemplates({ limit: 100 })),
      all(client.listMembers({ workspace_id: account.workspace, limit: 100 }))
    ])
    batch(() => {
      this.workspaces.value = workspaces
      this.notebooks.value = notebooks
      this.tags.value = tags
      this.templates.value = templates
      this.members.value = members
      this.isReady.value = true
    })
  }

  /** Follows until the workspace is closed or the session has ended. */
  private async follow(from: string): Promise<void> {
    const { signal } = this.ended
    const onConnection = (error: unknown) => (this.isLive.value = error === undefined)
    let cursor = from
    try {
      for await (const batch of follow(this.client, { cursor, signal, onConnection })) {
        cursor = batch.cursor
        if (batch.changes.length === 0) continue
        for (const listener of this.listeners) listener(batch.changes)
        this.readSoon()
      }
    } catch (error) {
      if (!isProblem(error, "authentication_required", "invalid_token", "token_expired", "token_reused")) throw error
      this.resumed = () => this.follow(cursor)
    } finally {
      this.isLive.value = false
    }
  }

  /** Continues after the user has signed in again. */
  async resume(): Promise<void> {
    const { resumed } = this
    this.resumed = undefined
    void resumed?.()
    this.resumes.value++
    await this.read()
  }

  /** Reads names, colours and numbers of notes again. */
  private readSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      // Without a connection the lists stay as they are until the next change.
      this.read().catch((error: unknown) => {
        if (!(error instanceof SheafError)) throw error
      })
    }, beforeReading)
  }
}
